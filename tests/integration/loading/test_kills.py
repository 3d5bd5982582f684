"""A load that is killed at any moment and run again ends as one that was never killed."""

import asyncio
import json
import os
import random
import subprocess
import sys
from pathlib import Path

from tests.integration.loading.files import digest_table, fetch_value, own_listings, write_json_lines
from tests.integration.servers import MakeDatabase
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.scripts import Blueprint

ROWS = 2_000
KILLS = 3
_COMMITTED = "SELECT count(*) FROM property_listings"


def start_load(path: Path, dsn: str, folder: Path, *options: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "vmk_mcp", "load", str(path), "--dsn", dsn, "--json", *options]
    environ = {**os.environ, "DATA_DIR": str(folder)}
    return subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


async def kill_when_committed(
    process: "subprocess.Popen[bytes]", dsn: str, rows: int, delay_s: float
) -> None:
    """Kill `process` a moment after so many rows are in."""
    # Each look is a connection of its own, which is pause enough.
    while process.poll() is None and await fetch_value(dsn, _COMMITTED) < rows:
        pass
    await asyncio.sleep(delay_s)
    process.kill()
    process.communicate()


async def test_a_killed_load_run_again_equals_one_that_was_not(
    cluster: EmbeddedServer,
    make_database: MakeDatabase,
    listings_template: Blueprint,
    tmp_path: Path,
) -> None:
    whole, killed = [cluster.dsn(Role.OWNER, await make_database(listings_template)) for _ in range(2)]
    rows = own_listings(ROWS)
    for number in range(0, ROWS, 97):
        rows[number]["price"] = "дорого"
    path = write_json_lines(tmp_path / "a.jsonl", rows)
    errors = [tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"]
    expected = start_load(path, whole, tmp_path / "whole", "--errors", str(errors[0]))
    rng = random.Random(8)  # noqa: S311 - moments to kill at, no secret
    for committed in sorted(rng.sample(range(1, ROWS - 500), KILLS)):
        process = start_load(path, killed, tmp_path / "killed", "--errors", str(errors[1]))
        await kill_when_committed(process, killed, committed, rng.uniform(0, 0.2))
    # Else nothing was left to go on from, and the test would show nothing.
    assert len(list((tmp_path / "killed" / "loads").glob("*.json"))) == 1
    last = start_load(path, killed, tmp_path / "killed", "--errors", str(errors[1]))
    outputs = [process.communicate()[0] for process in (expected, last)]
    tallies = [json.loads(output) for output in outputs]
    assert await digest_table(killed) == await digest_table(whole)
    assert errors[1].read_bytes() == errors[0].read_bytes()
    assert [tally["refused"] for tally in tallies] == [len(range(0, ROWS, 97))] * 2
    assert [sum(tally[what] for what in ("inserted", "updated", "unchanged")) for tally in tallies] == [
        ROWS - len(range(0, ROWS, 97))
    ] * 2
    assert tallies[1]["updated"] == 0
