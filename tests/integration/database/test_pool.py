"""The reading pool against a real server: failures, recovery, time limits, rights, nothing left."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest
from msgspec import Struct

from tests.fakes import RecordingObserver
from tests.integration.servers import Dsn, open_folder, quiet, started
from vmk_mcp.database.cluster import Cluster
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.pool import Database, PoolLimits, reading_session
from vmk_mcp.database.prepare import prepare_databases
from vmk_mcp.database.query import Query, parse_query
from vmk_mcp.errors import NotOffered, StoreUnavailable, TooSlow, VmkError
from vmk_mcp.observe import QueryFailed, Stages, StoreChanged, Warned, current_stages

NOWHERE = "postgresql://somebody:secret@127.0.0.1:1/nothing"


class Value(Struct, frozen=True):
    value: str | None


class Amount(Struct, frozen=True):
    amount: int


class Text(Struct, frozen=True):
    text: str


def query(body: str, *parameters: str) -> Query[Value]:
    header = [f"--   ${n} {name}" for n, name in enumerate(parameters, start=1)]
    lines = [
        "-- tests/run_body: one value.",
        "-- parameters",
        *header,
        "-- columns",
        "--   value   text",
        body,
    ]
    return parse_query("tests/run_body", "\n".join(lines), Value)


ONE = query("SELECT 'one'::text AS value;")
SLEEP = query("SELECT PG_SLEEP(30)::text AS value;")
SLEEPERS = """
SELECT count(*) FROM pg_stat_activity
WHERE query LIKE '%PG_SLEEP(30)%' AND state = 'active' AND pid <> pg_backend_pid()
"""
TERMINATE = """
SELECT count(pg_terminate_backend(pid, 2000)) FROM pg_stat_activity WHERE application_name = 'vmk-mcp'
"""


@asynccontextmanager
async def opened(
    dsn: str,
    observer: RecordingObserver | None = None,
    *,
    limits: PoolLimits = PoolLimits(size=3),  # noqa: B008  (a frozen struct)
    warm_up: tuple[Query[Value], ...] = (),
) -> AsyncIterator[Database]:
    database = Database(
        "listings", dsn, limits=limits, session=reading_session(limits), warm_up=warm_up,
        observer=observer or RecordingObserver(),
    )  # fmt: skip
    await database.open()
    try:
        yield database
    finally:
        await database.close()


async def ask(dsn: str, sql: str, column: int = 0) -> object:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(sql, column=column)
    finally:
        await connection.close()


async def wait_for(dsn: str, sql: str, wanted: object) -> None:
    """Ask until the server says what is wanted, for two seconds at most."""
    async with asyncio.timeout(2):
        while await ask(dsn, f"SELECT pg_sleep(0.05), ({sql})", column=1) != wanted:
            pass


async def test_a_server_that_is_not_there_is_told_once_and_again_for_each_call() -> None:
    observer = RecordingObserver()
    async with opened(NOWHERE, observer) as database:
        with pytest.raises(StoreUnavailable) as warming:
            await database.warm()
        with pytest.raises(StoreUnavailable) as calling:
            await database.fetch_all(ONE)
    assert [event.query for event in observer.of(QueryFailed)] == ["connect", "tests/run_body"]
    assert observer.of(StoreChanged) == [StoreChanged("listings", reachable=False)]
    assert "secret" not in f"{warming.value}{warming.value.hint}{calling.value}{observer.events}"


@pytest.mark.parametrize(
    ("body", "parameter", "arguments", "code"),
    [
        ("SELECT nothing::text AS value;", None, None, "not_offered"),
        ("SELECT t.a::text AS value FROM no_table AS t;", None, None, "not_offered"),
        ("SELECT NO_FUNCTION()::text AS value;", None, None, "not_offered"),
        ("SELECT r.rolpassword AS value FROM pg_authid AS r;", None, None, "not_offered"),
        ("SELECT TO_TSVECTOR('no_configuration'::regconfig, 'x')::text AS value;", None, None, "not_offered"),
        ("SELECT (1 / $1::int4)::text AS value;", "amount int4", Amount(0), "invalid_arguments"),
        ("SELECT $1::int4::text AS value;", "amount int4", Amount(2**40), "invalid_arguments"),
        ("SELECT $1::text AS value;", "text text", Text("a\0b"), "invalid_arguments"),
        ("SELECT $1::text AS value;", "text text", Text("\ud800"), "invalid_arguments"),
    ],
)
async def test_failures_come_out_named_and_without_the_drivers_words(
    listings_dsn: Dsn, body: str, parameter: str | None, arguments: Struct | None, code: str
) -> None:
    observer = RecordingObserver()
    async with opened(listings_dsn(Role.READER), observer) as database:
        with pytest.raises(VmkError) as raised:
            await database.fetch_all(query(body, *([parameter] if parameter else [])), arguments or Struct())
        assert raised.value.code == code
        assert not any(word in raised.value.message for word in ("no_table", "nothing", "no_function"))
        (failed,) = observer.of(QueryFailed)
        assert (failed.query, failed.code) == ("tests/run_body", code)
        assert not observer.of(StoreChanged)
        assert await database.fetch_one(ONE) == Value("one")


async def test_as_many_connections_as_asked_for_are_opened_at_start_and_the_rest_when_needed(
    listings_dsn: Dsn,
) -> None:
    limits = PoolLimits(size=4, opened_at_start=2)
    async with opened(listings_dsn(Role.READER), limits=limits) as database:
        await database.warm()
        assert database.open_connections == 2
        nap = query("SELECT PG_SLEEP(0.3)::text AS value;")
        await asyncio.gather(*(database.fetch_all(nap) for _ in range(6)))
        assert database.open_connections == 4


async def test_one_connection_serves_while_the_rest_are_opened(listings_dsn: Dsn) -> None:
    async with opened(listings_dsn(Role.READER), limits=PoolLimits(size=4, opened_at_start=3)) as database:
        await database.warm(1)
        assert database.open_connections == 1
        await asyncio.gather(database.warm_rest(), database.fetch_one(ONE))
        assert (database.open_connections, database.idle_connections) == (3, 3)


async def test_the_rest_of_a_database_that_is_away_is_refused_as_its_calls_are() -> None:
    async with opened("postgresql://u@127.0.0.1:1/x") as database:
        with pytest.raises(StoreUnavailable):
            await database.warm_rest()


async def test_a_host_that_takes_connections_and_never_answers_is_away_and_no_statement_was_slow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("vmk_mcp.database.hosts._CONNECT_TIMEOUT_S", 0.3)
    observer = RecordingObserver()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        async with opened(f"postgresql://u@127.0.0.1:{silent.getsockname()[1]}/x", observer) as database:
            with pytest.raises(StoreUnavailable):
                await database.fetch_one(ONE)
    assert observer.of(StoreChanged) == [StoreChanged("listings", reachable=False)]


async def test_the_pool_serves_on_after_all_its_backends_are_terminated(listings_dsn: Dsn) -> None:
    observer = RecordingObserver()
    async with opened(listings_dsn(Role.READER), observer) as database:
        await database.warm()
        assert await ask(listings_dsn(Role.SUPERUSER), TERMINATE) == 3
        answers = await asyncio.gather(*(database.fetch_one(ONE) for _ in range(6)))
        assert answers == [Value("one")] * 6
        assert database.open_connections <= 3
        assert not observer.of(QueryFailed)


async def test_the_pool_recovers_after_postgres_was_away() -> None:
    observer = RecordingObserver()
    with open_folder() as folder, started(folder) as server:
        await prepare_databases(server, quiet)
        cluster: Cluster = server._cluster
        async with opened(server.dsn(Role.READER, "vmk_data"), observer) as database:
            await database.warm()
            await asyncio.to_thread(cluster.stop)
            with pytest.raises(StoreUnavailable) as away:
                await database.fetch_one(ONE)
            assert away.value.retryable
            await asyncio.to_thread(cluster.start, server.address.port)
            assert await database.fetch_one(ONE) == Value("one")
    assert [event.reachable for event in observer.of(StoreChanged)] == [True, False, True]


async def test_a_statement_past_its_limit_is_too_slow_and_gone_from_the_server(listings_dsn: Dsn) -> None:
    async with opened(listings_dsn(Role.READER), limits=PoolLimits(size=1, query_timeout_s=0.2)) as database:
        with pytest.raises(TooSlow):
            await database.fetch_all(SLEEP)
        assert await ask(listings_dsn(Role.SUPERUSER), SLEEPERS) == 0
        assert await database.fetch_one(ONE) == Value("one")
        assert database.open_connections == 1


async def test_a_cancelled_call_stops_its_statement_in_the_server(listings_dsn: Dsn) -> None:
    superuser = listings_dsn(Role.SUPERUSER)
    async with opened(listings_dsn(Role.READER), limits=PoolLimits(size=1)) as database:
        call = asyncio.create_task(database.fetch_all(SLEEP))
        await wait_for(superuser, SLEEPERS, 1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await wait_for(superuser, SLEEPERS, 0)
        assert await database.fetch_one(ONE) == Value("one")
        assert (database.open_connections, database.idle_connections) == (1, 1)


WRITES = [
    "INSERT INTO property_types (id, slug, name) VALUES (9, 'x', 'x') RETURNING slug::text AS value;",
    "UPDATE property_types SET name = 'x' RETURNING name::text AS value;",
    "DELETE FROM property_types RETURNING name::text AS value;",
    "CREATE TABLE mine (value text);",
    "SELECT NEXTVAL('s')::text AS value;",
]


@pytest.mark.parametrize("statement", WRITES)
async def test_the_reading_pool_cannot_write_and_lifting_read_only_does_not_help(
    listings_dsn: Dsn, statement: str
) -> None:
    await ask(listings_dsn(Role.OWNER), "INSERT INTO property_types (id, slug, name) VALUES (1, 'a', 'a')")
    await ask(listings_dsn(Role.OWNER), "CREATE SEQUENCE s")
    lift = query("SELECT SET_CONFIG('default_transaction_read_only', 'off', FALSE) AS value;")
    async with opened(listings_dsn(Role.READER), limits=PoolLimits(size=1)) as database:
        with pytest.raises(VmkError):
            await database.fetch_all(query(statement))
        assert await database.fetch_one(lift) == Value("off")
        with pytest.raises(NotOffered):
            await database.fetch_all(query(statement))
    assert await ask(listings_dsn(Role.OWNER), "SELECT string_agg(name, ',') FROM property_types") == "a"


async def test_each_session_setting_is_held_by_the_server(listings_dsn: Dsn) -> None:
    observer = RecordingObserver()
    limits = PoolLimits(size=2, query_timeout_s=30.0)
    held = query("SELECT CURRENT_SETTING($1::text) AS value;", "text text")
    async with opened(listings_dsn(Role.READER), observer, limits=limits) as database:
        await database.warm()
        assert not observer.of(Warned)
        for name, wanted in reading_session(limits).items():
            found = await database.fetch_one(held, Text(name))
            assert found is not None
            assert found.value in {wanted, {"30000": "30s", "10000": "10s"}.get(wanted)}


async def test_a_setting_that_the_server_holds_otherwise_is_told(listings_dsn: Dsn) -> None:
    observer = RecordingObserver()
    # The server reads `off` as false and says so by its own word.
    database = Database(
        "listings", listings_dsn(Role.READER), limits=PoolLimits(size=1),
        session={"jit": "false", "statement_timeout": "60000", "search_path": "public"},
        warm_up=(), observer=observer,
    )  # fmt: skip
    await database.open()
    await database.warm()
    await database.close()
    (warned,) = observer.of(Warned)
    assert "jit is off here, false was asked for" in warned.message


async def test_every_connection_is_warmed_up(listings_dsn: Dsn) -> None:
    mark = query("SELECT SET_CONFIG('vmk.warmed', 'yes', FALSE) AS value;")
    held = query("SELECT CURRENT_SETTING('vmk.warmed', TRUE) AS value FROM PG_SLEEP(0.05);")
    async with opened(listings_dsn(Role.READER), warm_up=(mark,)) as database:
        await database.warm()
        assert (database.open_connections, database.idle_connections) == (3, 3)
        answers = await asyncio.gather(*(database.fetch_one(held) for _ in range(3)))
        assert answers == [Value("yes")] * 3


async def test_200_parallel_calls_are_answered_and_leave_the_pool_as_it_was(listings_dsn: Dsn) -> None:
    async with opened(listings_dsn(Role.READER)) as database:
        failing = query("SELECT nothing::text AS value;")
        calls = [database.fetch_one(failing if n % 10 == 0 else ONE) for n in range(200)]
        answers = await asyncio.gather(*calls, return_exceptions=True)
        assert sum(answer == Value("one") for answer in answers) == 180
        assert sum(isinstance(answer, NotOffered) for answer in answers) == 20
        assert (database.open_connections, database.idle_connections) == (3, 3)


async def test_a_warm_up_that_fails_gives_back_every_connection(listings_dsn: Dsn) -> None:
    broken = query("SELECT nothing::text AS value;")
    async with opened(listings_dsn(Role.READER), warm_up=(broken,)) as database:
        with pytest.raises(NotOffered):
            await database.warm()
        assert database.idle_connections == database.open_connections


async def test_time_and_rows_of_a_call_are_noted(listings_dsn: Dsn) -> None:
    stages = Stages()
    token = current_stages.set(stages)
    try:
        async with opened(listings_dsn(Role.READER)) as database:
            await database.fetch_all(query("SELECT n::text AS value FROM GENERATE_SERIES(1, 7) AS n;"))
    finally:
        current_stages.reset(token)
    assert stages.rows == 7
    assert stages.seconds["database"] > 0
