"""Several workers, started by the README's line: whichever answers, it is one service."""

import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from msgspec import Struct

from tests.e2e.service import HEADERS, Service, environment
from tests.integration.pgbouncer import find_free_port
from tests.integration.servers import open_folder

README: Final = Path(__file__).parents[2] / "README.md"
WORKERS: Final = 2
WITHIN_S: Final = 60
SEVERAL: Final = 20
"""Connections of their own, of which each worker takes some."""


class Workers(Struct, frozen=True):
    """A running uvicorn, and what its callers and its operator have."""

    process: "subprocess.Popen[bytes]"
    url: str
    tokens: Path
    token: str
    log: Path

    def call(self, tool: str, arguments: Mapping[str, object]) -> httpx.Response:
        """Call a tool over a connection of its own."""
        call = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        due = {**HEADERS, "Authorization": f"Bearer {self.token}"}
        return httpx.post(self.url, json=message, headers=due, timeout=30)

    def who_answered(self, tool: str) -> set[str]:
        """Give the processes that log calls of `tool`, by what their request ids begin with."""
        lines = [json.loads(line) for line in self.log.read_text("utf-8").splitlines() if line[:1] == "{"]
        return {line["request_id"].partition("-")[0] for line in lines if line.get("tool") == tool}


@pytest.fixture(scope="module")
def workers(service: Service) -> Iterator[Workers]:
    """Two workers on the folder of the running service, so that its server is theirs."""
    found = re.search(r"`\.venv/bin/(uvicorn --factory .* --workers 2 .*)`", README.read_text("utf-8"))
    assert found is not None, "the README has no line for several workers"
    port = str(find_free_port())
    _, *options = shlex.split(found[1].replace("8080", port))
    with open_folder() as folder:
        tokens, log = folder / "tokens.toml", folder / "log"
        made = service.run("token", "new", "agent", "--tools", "listings", "--file", str(tokens))
        environ = environment(service.data_dir, MCP_TOKENS_FILE=str(tokens))
        with log.open("wb") as said:
            command = [str(Path(sys.executable).with_name("uvicorn")), *options]
            process = subprocess.Popen(
                command, env=environ, stdin=subprocess.DEVNULL, stdout=said, stderr=said
            )
        try:
            deadline = time.monotonic() + WITHIN_S
            while log.read_text("utf-8").count("Application startup complete.") < WORKERS:
                assert process.poll() is None, log.read_text("utf-8")
                assert time.monotonic() < deadline, log.read_text("utf-8")
                time.sleep(0.05)
            yield Workers(process, f"http://127.0.0.1:{port}/mcp", tokens, made.stdout.strip(), log)
        finally:
            process.terminate()
            process.wait(WITHIN_S)


def page(workers: Workers, limit: int, offset: int) -> list[int]:
    """Give the ids of a page of one search."""
    paging = {"limit": limit, "offset": offset}
    answer = workers.call("search_by_metadata", {"query": "квартира", "pagination": paging}).json()
    return [row["id"] for row in answer["result"]["structuredContent"]["listings"]]


def test_a_list_walked_over_both_workers_is_one_list(workers: Workers) -> None:
    walked = [id_ for number in range(SEVERAL) for id_ in page(workers, 5, 5 * number)]
    assert walked == page(workers, 5 * SEVERAL, 0)
    assert len(set(walked)) == 5 * SEVERAL
    deadline = time.monotonic() + WITHIN_S
    while len(workers.who_answered("search_by_metadata")) < WORKERS:
        assert time.monotonic() < deadline, "one worker answered all"
        assert page(workers, 5, 0) == walked[:5]


def test_a_revoked_token_is_refused_by_both_workers(workers: Workers, service: Service) -> None:
    assert workers.call("describe_schema", {}).status_code == 200
    assert service.run("token", "revoke", "agent", "--file", str(workers.tokens)).returncode == 0
    deadline = time.monotonic() + WITHIN_S
    while {workers.call("describe_schema", {}).status_code for _ in range(SEVERAL)} != {401}:
        assert time.monotonic() < deadline, "the token goes on to be good"


def test_both_end_by_one_signal_and_leave_the_server_to_the_other_service(
    workers: Workers, service: Service
) -> None:
    workers.process.terminate()
    assert workers.process.wait(WITHIN_S) == 0
    found: Any = service.call("get_listing_by_id", {"listing_id": 1})
    assert not found.get("isError")
