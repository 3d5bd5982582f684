"""The official conformance suite against the diagnostics family, whose fixtures it asks for by name."""

import json
import re
import socket
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.installs import node_with, run
from tests.e2e.service import diagnostics_service

SUITE: Final = "@modelcontextprotocol/conformance@0.1.13"
EXCEPTIONS: Final = Path(__file__).with_name("conformance.toml")
PROGRAM: Final = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
RESULT: Final = re.compile(r"server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT[\d-]+Z")
NEUTRAL: Final = {"INFO", "SKIPPED"}


def exceptions() -> dict[str, str]:
    """Give the scenarios on record as not passing, with their reasons."""
    tables = tomllib.loads(EXCEPTIONS.read_text("utf-8"))
    return {scenario: reason for table in tables.values() for scenario, reason in table.items()}


def free_port() -> int:
    """Give a port that nobody listens on: the server's own address must be known before it starts."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A server as the suite needs it: it sends no token, and says that its Origin is the server's own."""
    port = free_port()
    origin = f"http://127.0.0.1:{port}"
    with diagnostics_service(MCP_AUTH="off", MCP_PORT=str(port), MCP_ALLOWED_ORIGINS=origin) as service:
        yield service.url


@pytest.fixture(scope="module")
def outcomes(url: str, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[str]]:
    """Each scenario's checks that failed or warned; of one that checked nothing, a word on that."""
    folder = tmp_path_factory.mktemp("conformance")
    command = ["node", PROGRAM, "server", "--url", url, "--suite", "all", "-o", str(folder)]
    done = run(command, folder, cwd=node_with(SUITE))
    found = {}
    for path in folder.glob("*/checks.json"):
        name = RESULT.fullmatch(path.parent.name)
        assert name is not None, path
        checks = json.loads(path.read_text("utf-8"))
        bad = [f"{check['id']}: {check.get('errorMessage', '')}" for check in checks if is_bad(check)]
        passed = any(check["status"] == "SUCCESS" for check in checks)
        found[name["scenario"]] = bad if bad or passed else ["nothing was checked"]
    assert found, done.stdout + done.stderr
    return found


def is_bad(check: Mapping[str, str]) -> bool:
    """Say whether a check failed or warned."""
    return check["status"] != "SUCCESS" and check["status"] not in NEUTRAL


def test_every_scenario_passes_but_those_with_a_reason_on_record(outcomes: Mapping[str, list[str]]) -> None:
    failed = {scenario: bad for scenario, bad in outcomes.items() if bad}
    assert set(failed) == set(exceptions()), failed


def test_every_scenario_of_the_suite_was_run(outcomes: Mapping[str, list[str]], tmp_path: Path) -> None:
    listed = run(["node", PROGRAM, "list", "--server"], tmp_path, cwd=node_with(SUITE)).stdout
    assert set(outcomes) == set(re.findall(r"^  - (\S+)$", listed, re.MULTILINE))
