"""A client that goes away, or cancels, takes its statement out of Postgres: seen in `pg_stat_activity`."""

import http.client
import json
import os
import select
import subprocess
import time
from collections.abc import Iterator, Mapping
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
ANSWERED_WITHIN_S: Final = 30
QUERY_TIMEOUT_S: Final = 60
"""Long enough that no statement ends by it in these tests."""
SLOW: Final = {
    "jsonrpc": "2.0",
    "id": "slow-1",
    "method": "tools/call",
    "params": {"name": "summarize_market", "arguments": {"group_by": "district"}},
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
AND query LIKE 'SELECT%AS group_value%';
"""
"""What the slow call runs begins so; what the service itself compares with after a start begins otherwise."""


class Session:
    """A program that is spoken to line by line, and never waited for without end."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self._stdin = stdin
        self._stdout = stdout

    def tell(self, line: str) -> None:
        """Send a line."""
        self._stdin.write(line.encode() + b"\n")
        self._stdin.flush()

    def ask(self, line: str) -> str:
        """Send a line and give the next one that comes."""
        self.tell(line)
        said = b""
        while not said.endswith(b"\n"):
            assert select.select([self._stdout], [], [], ANSWERED_WITHIN_S)[0], f"no answer after {said!r}"
            got = os.read(self._stdout.fileno(), 65536)
            assert got, f"it ended after {said!r}"
            said += got
        return said.decode().strip()


@contextmanager
def talking(command: list[str], settings: Mapping[str, str]) -> Iterator[Session]:
    """Run a program that is spoken to; one that does not end by itself at the end of its input is killed."""
    with subprocess.Popen(
        command, env=dict(settings), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield Session(process.stdin, process.stdout)
        finally:
            process.stdin.close()
            try:
                process.wait(ANSWERED_WITHIN_S)
            except subprocess.TimeoutExpired:
                process.kill()


@contextmanager
def psql(service: Service) -> Iterator[Session]:
    """Open a session of the superuser; a transaction that is open at the end is rolled back."""
    address = find_embedded(service.data_dir)
    assert address is not None
    program = str(find_wheel_binaries().bin_dir / "psql")
    dsn = address.dsn(Role.SUPERUSER, "vmk_data")
    with talking([program, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", dsn], {}) as session:
        yield session


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
        "VMK_FAMILIES": "listings",
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


def test_a_cancellation_over_stdio_takes_the_statement_along_and_is_not_answered(
    service: Service, tmp_path: Path
) -> None:
    address = find_embedded(service.data_dir)
    assert address is not None
    settings = environment(tmp_path, **patience(address.dsn(Role.READER, "vmk_data")))
    with talking([VMK_MCP, "stdio"], settings) as client:
        assert json.loads(client.ask(json.dumps(PING))) == PONG
        with locked_table(service) as statements:
            client.tell(json.dumps(SLOW))
            statements.await_number(1, SEEN_WITHIN_S)
            client.tell(json.dumps(CANCELLED))
            statements.await_number(0, GONE_WITHIN_S)
        assert json.loads(client.ask(json.dumps(PING))) == PONG
