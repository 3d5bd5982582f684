"""More calls than there are connections, places in line, or calls a minute: all are answered, and bounded."""

import asyncio
import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.e2e.service import HEADERS, Service, diagnostics_service, fresh_service
from tests.e2e.test_cancellation import PING, PONG, SLOW, Statements, locked_table
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import find_embedded

CALLS: Final = 200
CONNECTIONS: Final = 5
AT_WORK: Final = 64
IN_LINE: Final = 50
ANSWERED_WITHIN_S: Final = 60
QUICK: Final = {**SLOW, "params": {"name": "get_listing_by_id", "arguments": {"listing_id": 1}}}


@pytest.fixture(scope="module")
def narrow(service: Service) -> Iterator[Service]:
    """A second service on the same database, with few connections, little patience and a short line."""
    address = find_embedded(service.data_dir)
    assert address is not None
    with fresh_service(
        DATABASE_URL=address.dsn(Role.READER, "vmk_data"),
        DATA_EMBED_MODEL="multilingual-e5-small",
        DB_POOL_MAX_SIZE=str(CONNECTIONS),
        DB_QUERY_TIMEOUT="1",
        EMBEDDER="local",
        MAX_CONCURRENT_CALLS=str(AT_WORK),
        MAX_QUEUED_CALLS=str(IN_LINE),
        VMK_FAMILIES="listings",
    ) as running:
        yield running


@pytest.fixture
def statements(service: Service, narrow: Service) -> Iterator[Statements]:
    """The table is locked once the service has started, which reads it too."""
    with locked_table(service) as waiting:
        yield waiting


async def call_at_once(service: Service, message: object) -> list[httpx.Response]:
    """Make all calls at the same time, each over a connection of its own, and a ping amid them."""
    headers = {**HEADERS, "Authorization": f"Bearer {service.token}"}
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(
        timeout=ANSWERED_WITHIN_S, headers=headers, limits=limits, trust_env=False
    ) as client:
        calls = [asyncio.create_task(client.post(service.url, json=message)) for _ in range(CALLS)]
        await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        assert (await client.post(service.url, json=PING)).json() == PONG
        return await asyncio.gather(*calls)


def ping_by(service: Service, token: str) -> httpx.Response:
    """Ping by a token of one's own."""
    due = {**HEADERS, "Authorization": f"Bearer {token}"}
    return httpx.post(service.url, json=PING, headers=due, timeout=30, trust_env=False)


def fate_of(answer: httpx.Response) -> str:
    """Give the code of what came of a call; one that may be made again says so."""
    if answer.status_code == httpx.codes.SERVICE_UNAVAILABLE:
        assert int(answer.headers["retry-after"]) >= 1
        code: str = answer.json()["error"]
        return code
    assert answer.status_code == httpx.codes.OK
    result = answer.json()["result"]
    if not result["isError"]:
        return "answered"
    error = json.loads(result["content"][0]["text"])
    assert error["retryable"], error
    assert error["hint"], error
    named: str = error["code"]
    return named


def test_calls_that_no_connection_is_free_for_are_turned_away_in_time_and_leave_nothing_running(
    narrow: Service, statements: Statements
) -> None:
    fates = Counter(map(fate_of, asyncio.run(call_at_once(narrow, SLOW))))
    assert fates.total() == CALLS
    # Some ran and were stopped, some waited for a connection in vain, some found the line full.
    assert set(fates) == {"too_slow", "store_unavailable", "overloaded"}
    statements.await_number(0, 1)


def test_as_many_calls_are_all_answered_where_there_is_room_in_line(narrow: Service) -> None:
    for _ in range(2):
        fates = Counter(map(fate_of, asyncio.run(call_at_once(narrow, QUICK))))
        assert set(fates) <= {"answered", "overloaded"}
        assert fates["answered"] >= AT_WORK + IN_LINE


def test_a_token_over_its_rate_is_told_when_to_come_again_and_others_are_served(tmp_path: Path) -> None:
    file = tmp_path / "tokens.toml"
    entries = [
        f'[[token]]\nname = "{name}"\ntools = ["diagnostics"]\n'
        f'sha256 = "{hashlib.sha256(name.encode()).hexdigest()}"\n{rate}\n'
        for name, rate in (("limited", "rate_per_minute = 3"), ("free", ""))
    ]
    file.write_text("\n".join(entries), encoding="utf-8")
    with diagnostics_service(MCP_TOKENS_FILE=str(file)) as service:
        began = time.monotonic()
        answers = [ping_by(service, "limited") for _ in range(5)]
        # A minute's worth is there at once; on a slow machine another call may have come due meanwhile.
        due = 3 + int((time.monotonic() - began) / 20)
        served = [answer.status_code for answer in answers].count(200)
        assert 3 <= served <= due
        refused = answers[-1]
        assert (refused.status_code, refused.json()["error"]) == (429, "rate_limited")
        assert 1 <= int(refused.headers["retry-after"]) <= 20
        assert ping_by(service, "free").status_code == 200
