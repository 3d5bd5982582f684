"""A client that goes away, or cancels, takes its statement out of Postgres: seen in `pg_stat_activity`."""

import http.client
import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final
from urllib.parse import urlsplit

import pytest

from tests.e2e.service import HEADERS, VMK_MCP, Service, environment, fresh_service
from vmk_mcp.database.binaries import find_wheel_binaries
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import find_embedded

GONE_WITHIN_S: Final = 2
SEEN_WITHIN_S: Final = 20
QUERY_TIMEOUT_S: Final = 60
"""Long enough that no statement ends by it in these tests."""
SLOW: Final = {
    "jsonrpc": "2.0",
    "id": "slow-1",
    "method": "tools/call",
    "params": {"name": "get_listing_by_id", "arguments": {"listing_id": 1}},
}
PING: Final = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
PONG: Final = {"jsonrpc": "2.0", "id": 1, "result": {}}
CANCELLED: Final = {
    "jsonrpc": "2.0",
    "method": "notifications/cancelled",
    "params": {"requestId": "slow-1", "reason": "the user did not want to wait"},
}
WAITING: Final = """\
SELECT count(*) FROM pg_stat_activity
WHERE usename = 'vmk_reader' AND state = 'active' AND wait_event_type = 'Lock'
AND query LIKE 'SELECT%l.generated_description::text%';
"""
"""Postgres shows the first kilobyte of a statement."""


class Session:
    """A program that is spoken to line by line."""

    def __init__(self, stdin: IO[str], stdout: IO[str]) -> None:
        self._stdin = stdin
        self._stdout = stdout

    def tell(self, line: str) -> None:
        """Send a line."""
        self._stdin.write(line + "\n")
        self._stdin.flush()

    def ask(self, line: str) -> str:
        """Send a line and give the next one that comes."""
        self.tell(line)
        return self._stdout.readline().strip()


@contextmanager
def psql(service: Service) -> Iterator[Session]:
    """Open a session of the superuser; a transaction that is open at the end is rolled back."""
    address = find_embedded(service.data_dir)
    assert address is not None
    program = str(find_wheel_binaries().bin_dir / "psql")
    command = [
        program,
        "-X",
        "-q",
        "-A",
        "-t",
        "-v",
        "ON_ERROR_STOP=1",
        address.dsn(Role.SUPERUSER, "vmk_data"),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Session(process.stdin, process.stdout)
        process.stdin.close()


class Statements:
    """The statements that wait for the locked table."""

    def __init__(self, watcher: Session) -> None:
        self._watcher = watcher

    def await_number(self, number: int, within_s: float) -> None:
        """Wait until so many of them run."""
        deadline = time.monotonic() + within_s
        while (seen := int(self._watcher.ask(WAITING))) != number:
            assert time.monotonic() < deadline, f"{seen} statements run"
            time.sleep(0.05)


@pytest.fixture(scope="module")
def patient(service: Service) -> Iterator[Service]:
    """A second service on the same database, with the time for slow statements."""
    address = find_embedded(service.data_dir)
    assert address is not None
    settings = patience(address.dsn(Role.READER, "vmk_data"))
    with fresh_service(**settings) as running:
        yield running


@pytest.fixture
def statements(service: Service, patient: Service) -> Iterator[Statements]:
    """The table is locked once the service has started, which reads it too."""
    with locked_table(service) as waiting:
        yield waiting


def patience(dsn: str) -> dict[str, str]:
    """Give the settings by which a statement may take a minute."""
    return {
        "DATABASE_URL": dsn,
        "DATA_EMBED_MODEL": "multilingual-e5-small",
        "DB_QUERY_TIMEOUT": str(QUERY_TIMEOUT_S),
        "EMBEDDER": "local",
    }


@contextmanager
def locked_table(service: Service) -> Iterator[Statements]:
    """Lock the table of listings, so that whoever reads it waits."""
    with psql(service) as holder, psql(service) as watcher:
        locked = "BEGIN; LOCK TABLE property_listings IN ACCESS EXCLUSIVE MODE; SELECT 'locked';"
        assert holder.ask(locked) == "locked"
        yield Statements(watcher)


@contextmanager
def slow_call(service: Service) -> Iterator[http.client.HTTPConnection]:
    """Send the slow call without waiting for its answer, and leave at the end of the block."""
    connection = http.client.HTTPConnection(urlsplit(service.url).netloc, timeout=30)
    headers = {**HEADERS, "Authorization": f"Bearer {service.token}"}
    connection.request("POST", "/mcp", json.dumps(SLOW).encode(), headers)
    try:
        yield connection
    finally:
        connection.close()


def test_a_client_that_goes_away_takes_its_statement_along(patient: Service, statements: Statements) -> None:
    with slow_call(patient):
        statements.await_number(1, SEEN_WITHIN_S)
    statements.await_number(0, GONE_WITHIN_S)


def test_a_cancellation_over_http_takes_the_statement_along(patient: Service, statements: Statements) -> None:
    with slow_call(patient) as connection:
        statements.await_number(1, SEEN_WITHIN_S)
        assert patient.post(CANCELLED).status_code == 202
        statements.await_number(0, GONE_WITHIN_S)
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (202, b"")


def test_a_cancellation_that_fits_two_calls_leaves_both_at_work(
    patient: Service, statements: Statements
) -> None:
    with slow_call(patient), slow_call(patient):
        statements.await_number(2, SEEN_WITHIN_S)
        assert patient.post(CANCELLED).status_code == 202
        # The answer to this comes after whatever the notification set going.
        assert patient.post(PING).json() == PONG
        statements.await_number(2, 0)
    statements.await_number(0, GONE_WITHIN_S)


@contextmanager
def stdio(dsn: str, folder: Path) -> Iterator[Session]:
    """Serve over stdio; each message asked gives one line."""
    with subprocess.Popen(
        [VMK_MCP, "stdio"],
        env=environment(folder, **patience(dsn)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield Session(process.stdin, process.stdout)
        finally:
            process.terminate()


def test_a_cancellation_over_stdio_takes_the_statement_along_and_is_not_answered(
    service: Service, tmp_path: Path
) -> None:
    address = find_embedded(service.data_dir)
    assert address is not None
    with stdio(address.dsn(Role.READER, "vmk_data"), tmp_path) as client:
        assert json.loads(client.ask(json.dumps(PING))) == PONG
        with locked_table(service) as statements:
            client.tell(json.dumps(SLOW))
            statements.await_number(1, SEEN_WITHIN_S)
            client.tell(json.dumps(CANCELLED))
            statements.await_number(0, GONE_WITHIN_S)
        assert json.loads(client.ask(json.dumps(PING))) == PONG
