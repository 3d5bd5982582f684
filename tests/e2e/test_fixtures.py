"""`vmk-mcp fixtures` as a process of its own: every recorded exchange over HTTP, and official clients."""

import http.client
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from tests.e2e.installs import ask_client, python_with
from tests.e2e.service import VMK_MCP
from tests.e2e.test_wire import EXCHANGES, bytes_of

SCRIPTS: Final = Path(__file__).with_name("clients")
READY_WITHIN_S: Final = 30
TRANSPORT: Final = {"date", "connection", "transfer-encoding"}
"""Headers that HTTP itself puts beside the recorded ones."""
TASK: Final = {
    "token": "agent-token",
    "tool": "search_by_metadata",
    "arguments": {
        "query": "квартира",
        "filters": {"city": ["Київ"]},
        "sort_by": "price_asc",
        "pagination": {"limit": 1},
    },
    "mistake": {"pagination": {"limit": 0}},
}


class FixtureService:
    """A running `vmk-mcp fixtures`."""

    def __init__(self, process: "subprocess.Popen[bytes]", log: Path) -> None:
        self.process = process
        self.log = log
        self.url = ""

    def await_address(self) -> None:
        """Wait until it listens, and keep the address that it says."""
        deadline = time.monotonic() + READY_WITHIN_S
        while "\n" not in (said := self.log.read_text("utf-8")):
            assert self.process.poll() is None, said
            assert time.monotonic() < deadline, said
            time.sleep(0.02)
        self.url = said.splitlines()[0].split()[-1]

    def ask(self, request: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        """Send a request as recorded; gives status, headers and body."""
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=30)
        try:
            connection.request(request["method"], request["path"], bytes_of(request), request["headers"])
            answer = connection.getresponse()
            headers = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, headers, answer.read()
        finally:
            connection.close()


@contextmanager
def serving_fixtures(program: str, folder: Path) -> Iterator[FixtureService]:
    """Run `program fixtures` in an empty `folder`, without a single setting, until the end of the block."""
    log = folder / "log"
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            [program, "fixtures", "--port", "0"],
            env={"PATH": os.environ["PATH"], "HOME": str(folder)},
            stdin=subprocess.DEVNULL,
            stderr=stderr,
            cwd=folder,
        )
        try:
            service = FixtureService(process, log)
            service.await_address()
            yield service
        finally:
            process.send_signal(signal.SIGTERM)
            status = process.wait(READY_WITHIN_S)
    assert status == 0
    assert [path.name for path in folder.iterdir()] == ["log"], "it writes nothing"


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FixtureService]:
    """The service, as it is installed for the tests."""
    with serving_fixtures(VMK_MCP, tmp_path_factory.mktemp("fixtures")) as service:
        yield service


def recorded() -> list[Any]:
    """Give all exchanges."""
    files = [json.loads(path.read_text("utf-8")) for path in sorted(EXCHANGES.glob("*.json"))]
    return [pytest.param(exchange, id=exchange["name"]) for file in files for exchange in file]


@pytest.mark.parametrize("exchange", recorded())
def test_every_exchange_comes_over_http_as_recorded(
    fixtures: FixtureService, exchange: dict[str, Any]
) -> None:
    response = exchange["response"]
    status, headers, body = fixtures.ask(exchange["request"])
    assert (status, body) == (response["status"], bytes_of(response))
    kept = {
        name: value for name, value in headers.items() if name not in TRANSPORT or name in response["headers"]
    }
    assert kept == response["headers"]


@pytest.mark.parametrize(
    ("script", "pins"),
    [
        ("python_sdk_1.py", ["mcp==1.30.0"]),
        ("python_sdk_2.py", ["mcp==2.3.0"]),
        ("fastmcp_client.py", ["fastmcp==4.2.3", "mcp==2.3.0"]),
    ],
)
def test_an_official_client_opens_lists_and_calls_what_is_on_record(
    fixtures: FixtureService, tmp_path: Path, script: str, pins: Sequence[str]
) -> None:
    task = {"url": fixtures.url, **TASK}
    answer = ask_client(python_with(*pins), SCRIPTS / script, task, tmp_path)
    assert (answer["version"], answer["pinged"]) == ("2025-06-18", True)
    assert TASK["tool"] in answer["tools"]
    assert answer["found"]["total"] == 2
    assert json.loads(answer["failure"])["field"] == "pagination.limit"


def test_a_request_that_is_not_on_record_names_the_nearest(fixtures: FixtureService) -> None:
    exchange = next(one.values[0] for one in recorded() if one.id == "echo")
    request = json.loads(json.dumps(exchange["request"]))
    request["body"]["params"]["arguments"]["text"] = "of nobody"
    status, _, body = fixtures.ask(request)
    error = json.loads(body)["error"]
    assert (status, error["data"]["nearest"]) == (200, "echo")
    assert error["data"]["differences"][0].startswith("body.params.arguments.text is ")
    assert "nearest one is echo" in fixtures.log.read_text("utf-8")
