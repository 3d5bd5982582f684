"""Searches by way of pgbouncer in transaction mode, two server connections for all."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import asyncpg
import pytest
from msgspec.structs import replace

from tests.fakes import RecordingObserver
from tests.integration.database.test_pool import (
    ONE,
    SLEEP,
    SLEEPERS,
    WRITES,
    Text,
    Value,
    ask,
    query,
    wait_for,
)
from tests.integration.pgbouncer import PgBouncer
from tests.integration.servers import open_folder
from tests.listing_rows import Row
from tests.listing_store_contract import similar
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.pool import Database, PoolLimits, reading_session
from vmk_mcp.database.scripts import Blueprint
from vmk_mcp.errors import NotOffered, StoreUnavailable, TooSlow, VmkError
from vmk_mcp.listings.store import WARM_TEXT_SEARCH, PostgresListingStore
from vmk_mcp.observe import QueryFailed, StoreChanged, Warned

SERVER_CONNECTIONS = 2
USUAL = PoolLimits(size=4)


@pytest.fixture(scope="module")
def pgbouncer(cluster: EmbeddedServer) -> Iterator[PgBouncer]:
    with open_folder() as folder, PgBouncer(folder, cluster.address, size=SERVER_CONNECTIONS) as running:
        yield running


@pytest.fixture
def direct_dsn(cluster: EmbeddedServer, sample_template: Blueprint) -> str:
    return cluster.dsn(Role.READER, sample_template.database)


@asynccontextmanager
async def opened(
    dsn: str, observer: RecordingObserver | None = None, limits: PoolLimits = USUAL, *, pooled: bool = True
) -> AsyncIterator[Database]:
    database = Database(
        "listings", dsn, limits=limits, session=reading_session(limits), warm_up=(WARM_TEXT_SEARCH,),
        observer=observer or RecordingObserver(), pooled=pooled,
    )  # fmt: skip
    await database.open()
    try:
        yield database
    finally:
        await database.close()


async def ask_pooler(dsn: str, sql: str) -> object:
    connection = await asyncpg.connect(dsn, statement_cache_size=0)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


async def test_start_up_parameters_are_what_it_refuses(pgbouncer: PgBouncer, direct_dsn: str) -> None:
    async with opened(pgbouncer.dsn(direct_dsn), pooled=False) as database:
        with pytest.raises(StoreUnavailable):
            await database.warm()
    assert "unsupported startup parameter" in pgbouncer.log()


async def test_all_settings_are_in_force_in_each_call_and_none_outlives_it(
    pgbouncer: PgBouncer, cluster: EmbeddedServer, sample_template: Blueprint
) -> None:
    observer, limits = RecordingObserver(), PoolLimits(size=4, query_timeout_s=7.0)
    # The owner has no settings of its own, so that all that is seen is the call's.
    dsn = pgbouncer.dsn(cluster.dsn(Role.OWNER, sample_template.database))
    held = query("SELECT CURRENT_SETTING($1::text) AS value FROM PG_SLEEP(0.01);", "text text")
    async with opened(dsn, observer, limits) as database:
        await database.warm()
        for name, wanted in {**reading_session(limits), "transaction_read_only": "on"}.items():
            found = await asyncio.gather(*(database.fetch_one(held, Text(name)) for _ in range(3)))
            shown = {"7000": "7s", "10000": "10s"}.get(wanted, wanted)
            assert found == [Value(shown)] * 3, name
        assert not observer.of(Warned)
    assert await ask_pooler(dsn, "SELECT current_setting('statement_timeout')") == "0"
    assert await ask_pooler(dsn, "SELECT current_setting('hnsw.ef_search', true)") in {"40", None}


async def test_no_prepared_statement_is_kept_at_the_server(pgbouncer: PgBouncer, direct_dsn: str) -> None:
    kept = query("SELECT COUNT(*)::text AS value FROM pg_prepared_statements, PG_SLEEP(0.02);")
    async with opened(pgbouncer.dsn(direct_dsn)) as database:
        await PostgresListingStore(database).list_columns()
        answers = await asyncio.gather(*(database.fetch_one(kept) for _ in range(8)))
        assert answers == [Value("0")] * 8


@pytest.mark.parametrize("name", ["find_similar_exact", "find_similar_approximate"])
async def test_both_ways_of_search_by_meaning_find_what_they_find_without_it(
    pgbouncer: PgBouncer, direct_dsn: str, sample: list[Row], name: str
) -> None:
    vector = sample[0].embedding
    assert vector is not None
    asked = replace(similar(embedding=vector, limit=20), most=200)
    async with opened(pgbouncer.dsn(direct_dsn)) as pooled, opened(direct_dsn, pooled=False) as direct:
        expected = await getattr(PostgresListingStore(direct), name)(asked)
        answers = [getattr(PostgresListingStore(pooled), name)(asked) for _ in range(8)]
        assert len(expected[1]) == 20
        for answer in await asyncio.gather(*answers):
            assert answer == expected


async def test_200_calls_at_once_share_two_server_connections(pgbouncer: PgBouncer, direct_dsn: str) -> None:
    observer = RecordingObserver()
    failing = query("SELECT nothing::text AS value;")
    who = query("SELECT PG_BACKEND_PID()::text AS value;")
    async with opened(pgbouncer.dsn(direct_dsn), observer, PoolLimits(size=10)) as database:
        calls = [database.fetch_one(failing if n % 10 == 0 else who) for n in range(200)]
        answers = await asyncio.gather(*calls, return_exceptions=True)
        assert sum(isinstance(answer, NotOffered) for answer in answers) == 20
        pids = {answer.value for answer in answers if isinstance(answer, Value)}
        assert 1 <= len(pids) <= SERVER_CONNECTIONS
        assert sum(isinstance(answer, Value) for answer in answers) == 180
        assert database.open_connections == database.idle_connections == 10
    assert {event.code for event in observer.of(QueryFailed)} == {"not_offered"}


async def test_a_statement_past_its_limit_is_too_slow_and_does_no_harm_to_the_next(
    pgbouncer: PgBouncer, direct_dsn: str
) -> None:
    who = query("SELECT PG_BACKEND_PID()::text AS value;")
    async with opened(pgbouncer.dsn(direct_dsn), limits=PoolLimits(size=1, query_timeout_s=0.2)) as database:
        before = await database.fetch_one(who)
        with pytest.raises(TooSlow):
            await database.fetch_all(SLEEP)
        assert await database.fetch_one(who) == before
        assert database.open_connections == 1


async def test_a_cancelled_call_stops_its_statement_and_gives_its_server_connection_back(
    pgbouncer: PgBouncer, cluster: EmbeddedServer, direct_dsn: str
) -> None:
    superuser = cluster.dsn(Role.SUPERUSER, "postgres")
    async with opened(pgbouncer.dsn(direct_dsn), limits=PoolLimits(size=SERVER_CONNECTIONS)) as database:
        calls = [asyncio.create_task(database.fetch_all(SLEEP)) for _ in range(SERVER_CONNECTIONS)]
        await wait_for(superuser, SLEEPERS, SERVER_CONNECTIONS)
        for call in calls:
            call.cancel()
        ended = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(end) for end in ended] == [asyncio.CancelledError] * SERVER_CONNECTIONS
        await wait_for(superuser, SLEEPERS, 0)
        answers = await asyncio.gather(*(database.fetch_one(ONE) for _ in range(6)))
        assert answers == [Value("one")] * 6


@pytest.mark.parametrize("statement", WRITES)
async def test_nothing_can_be_written_even_by_a_login_that_may(
    pgbouncer: PgBouncer, cluster: EmbeddedServer, sample_template: Blueprint, statement: str
) -> None:
    dsn = pgbouncer.dsn(cluster.dsn(Role.OWNER, sample_template.database))
    lift = query("SELECT SET_CONFIG('transaction_read_only', 'off', FALSE) AS value;")
    async with opened(dsn, limits=PoolLimits(size=1)) as database:
        for attempt in (lift, query(statement)):
            with pytest.raises(VmkError):
                await database.fetch_all(attempt)
        assert await database.fetch_one(ONE) == Value("one")


async def test_a_pooler_that_was_away_is_met_again_by_the_next_call(
    cluster: EmbeddedServer, direct_dsn: str
) -> None:
    observer = RecordingObserver()
    with open_folder() as folder:
        pgbouncer = PgBouncer(folder, cluster.address, size=SERVER_CONNECTIONS)
        with pgbouncer:
            database = Database(
                "listings", pgbouncer.dsn(direct_dsn), limits=USUAL, session=reading_session(USUAL),
                warm_up=(), observer=observer, pooled=True,
            )  # fmt: skip
            await database.open()
            await database.warm()
        with pytest.raises(StoreUnavailable):
            await database.fetch_one(ONE)
        with pgbouncer:
            answers = await asyncio.gather(*(database.fetch_one(ONE) for _ in range(6)))
            assert answers == [Value("one")] * 6
        with pgbouncer:
            # Restarted in between, unseen.
            assert await database.fetch_one(ONE) == Value("one")
            await database.close()
    assert [event.reachable for event in observer.of(StoreChanged)] == [True, False, True]


async def test_server_connections_that_are_killed_cost_no_call(
    pgbouncer: PgBouncer, cluster: EmbeddedServer, direct_dsn: str, sample_template: Blueprint
) -> None:
    kill = f"""
    SELECT count(pg_terminate_backend(pid, 2000)) FROM pg_stat_activity
    WHERE datname = '{sample_template.database}' AND usename = 'vmk_reader'
    """
    async with opened(pgbouncer.dsn(direct_dsn)) as database:
        await database.warm()
        killed = await ask(cluster.dsn(Role.SUPERUSER, "postgres"), kill)
        assert isinstance(killed, int)
        assert killed >= 1
        answers = await asyncio.gather(*(database.fetch_one(ONE) for _ in range(6)))
        assert answers == [Value("one")] * 6
