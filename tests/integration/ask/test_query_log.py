"""The query log in the state database: nothing lost on a clean stop, nobody kept waiting for it."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import asyncpg
import msgspec
import pytest

from tests.fakes import RecordingObserver
from tests.integration.servers import Dsn
from vmk_mcp.ask.log import PostgresQueryLog, RejectionReport
from vmk_mcp.ask.ports import AskedQuery
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.pool import PoolLimits
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.observe import Warned

QUERY = AskedQuery(
    asked_at=datetime(2026, 11, 15, 12, tzinfo=UTC),
    token="agent",
    source="municipal",
    tool="ask",
    question="How many?",
    sql="SELECT 1",
    backend="offline",
    rejected=False,
    reason_code="",
    row_count=1,
    elapsed_ms=1.5,
)


def refused(code: str) -> AskedQuery:
    return msgspec.structs.replace(QUERY, rejected=True, reason_code=code, row_count=0)


@pytest.fixture
async def state(state_dsn: Dsn) -> AsyncIterator[StateDatabase]:
    """An empty state database of this test's own, written as vmk_writer."""
    database = StateDatabase(state_dsn(Role.WRITER), limits=PoolLimits(size=1))
    await database.open()
    yield database
    await database.close()


async def read_all(dsn: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(dsn)
    try:
        return list(await connection.fetch("SELECT * FROM query_log ORDER BY id"))
    finally:
        await connection.close()


async def test_all_that_was_taken_is_written_before_the_log_closes(
    state: StateDatabase, state_dsn: Dsn
) -> None:
    log = PostgresQueryLog(state, RecordingObserver())
    await log.open()
    for number in range(350):
        await log.record(msgspec.structs.replace(QUERY, question=f"Question {number}?"))
    await log.close()
    rows = await read_all(state_dsn(Role.OWNER))
    assert [row["question"] for row in rows] == [f"Question {number}?" for number in range(350)]
    assert (rows[0]["token"], rows[0]["sql"], rows[0]["elapsed_ms"]) == ("agent", "SELECT 1", 1.5)


async def test_the_report_counts_by_reason_and_from_a_moment_on(state: StateDatabase) -> None:
    log = PostgresQueryLog(state, RecordingObserver())
    await log.open()
    late = QUERY.asked_at + timedelta(days=1)
    for query in (QUERY, refused("not_select"), refused("not_select"), refused("timeout")):
        await log.record(query)
    await log.record(msgspec.structs.replace(QUERY, asked_at=late))
    await log.close()
    assert await log.report(None) == RejectionReport(5, 3, 2, 0.6, {"not_select": 2, "timeout": 1})
    assert await log.report(late) == RejectionReport(1, 0, 1, 0.0, {})


async def test_an_empty_log_reports_nothing_and_no_rate(state: StateDatabase) -> None:
    assert await PostgresQueryLog(state, RecordingObserver()).report(None) == RejectionReport(
        0, 0, 0, 0.0, {}
    )


async def test_texts_that_postgres_cannot_hold_are_kept_as_well_as_can_be(
    state: StateDatabase, state_dsn: Dsn
) -> None:
    log = PostgresQueryLog(state, RecordingObserver())
    await log.open()
    await log.record(msgspec.structs.replace(QUERY, question="a\0b\ud800c", sql="x" * 200_000))
    await log.close()
    (row,) = await read_all(state_dsn(Role.OWNER))
    assert row["question"] == "a\N{REPLACEMENT CHARACTER}b?c"
    assert len(row["sql"]) == 64 * 1024


async def test_while_the_database_is_away_calls_go_on_and_what_is_lost_is_counted() -> None:
    observer = RecordingObserver()
    away = StateDatabase("postgresql://a:b@127.0.0.1:1/c", limits=PoolLimits(size=1))
    await away.open()
    log = PostgresQueryLog(away, observer, stop_within_s=0.2)
    await log.open()
    async with asyncio.timeout(2.0):
        for _ in range(5):
            await log.record(QUERY)
        await log.close()
    await away.close()
    (warned,) = observer.of(Warned)
    assert warned.message.startswith("5 calls are not on record")


async def test_one_who_asks_cannot_read_the_log(state_dsn: Dsn) -> None:
    with pytest.raises(asyncpg.PostgresError):
        await read_all(state_dsn(Role.ASK))
