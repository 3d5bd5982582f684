"""Statements that nobody wrote in a file: read-only, of one role, ended in time, gone from the server."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import suppress

import asyncpg
import pytest

from tests.fakes import RecordingObserver
from tests.integration.servers import Dsn, run_script
from vmk_mcp.database.ask_connections import AskConnections, AskLogin
from vmk_mcp.database.asking import QUERY_CANCELED, AskedDatabase, StatementFailed
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.scripts import MUNICIPAL
from vmk_mcp.database.selecting import SelectionLimits
from vmk_mcp.errors import NotOffered, StoreUnavailable
from vmk_mcp.observe import StoreChanged

LIMITS = SelectionLimits()
ENDLESS = (
    "WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) AS marker_{} FROM r"
)
GONE_WITHIN_S = 2.0


class Watcher:
    """Looks at the server from outside."""

    def __init__(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        self._connection = connection

    async def count_running(self, marker: str) -> int:
        """Count the backends that run a statement with these words in it."""
        found: int = await self._connection.fetchval(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1"
            " AND pid <> pg_backend_pid()",
            f"%{marker}%",
        )
        return found

    async def wait_for(self, marker: str, count: int, within_s: float) -> None:
        """Wait until that many backends run it; raises `TimeoutError`."""
        async with asyncio.timeout(within_s):
            while await self.count_running(marker) != count:  # noqa: ASYNC110 -- the server tells nobody
                await asyncio.sleep(0.02)


@pytest.fixture
async def watcher(municipal: Dsn) -> AsyncIterator[Watcher]:
    """The superuser, who sees all statements."""
    connection = await asyncpg.connect(municipal(Role.SUPERUSER))
    yield Watcher(connection)
    await connection.close()


def open_database(dsn: str, role: str = "", size: int = 2) -> AskedDatabase:
    return AskedDatabase("city", AskLogin(dsn, role), size=size, observer=RecordingObserver())


@pytest.fixture
async def database(municipal: Dsn) -> AsyncIterator[AskedDatabase]:
    """The municipal database, asked as vmk_ask by at most two statements at once."""
    database = open_database(municipal(Role.ASK))
    yield database
    await database.close()


async def value(database: AskedDatabase, expression: str) -> object:
    return (await database.select(f"SELECT {expression}", LIMITS, within_s=5.0)).rows[0][0]


async def test_an_endless_statement_is_ended_at_its_limit_and_its_backend_is_free(
    database: AskedDatabase, watcher: Watcher
) -> None:
    with pytest.raises(StatementFailed) as caught:
        await database.select(ENDLESS.format("limit"), LIMITS, within_s=0.8)
    assert caught.value.sqlstate == QUERY_CANCELED
    await watcher.wait_for("marker_limit", 0, GONE_WITHIN_S)
    assert await value(database, "1") == 1


async def test_a_call_that_is_cancelled_takes_its_statement_along(
    database: AskedDatabase, watcher: Watcher
) -> None:
    call = asyncio.create_task(database.select(ENDLESS.format("cancel"), LIMITS, within_s=30.0))
    await watcher.wait_for("marker_cancel", 1, 5.0)
    call.cancel()
    await asyncio.wait([call])
    assert call.cancelled()
    await watcher.wait_for("marker_cancel", 0, GONE_WITHIN_S)


async def test_a_client_that_dies_without_a_word_takes_its_statement_along(
    municipal: Dsn, watcher: Watcher
) -> None:
    connections = AskConnections(AskLogin(municipal(Role.ASK)), size=1)
    with suppress(asyncpg.InterfaceError):
        async with connections.lend(30.0) as connection:
            call = asyncio.create_task(connection.fetch(ENDLESS.format("dead")))
            await watcher.wait_for("marker_dead", 1, 5.0)
            # The socket is closed, and no cancel request is sent.
            connection.terminate()
            await asyncio.wait([call])
    await watcher.wait_for("marker_dead", 0, GONE_WITHIN_S)
    await connections.close()


async def test_hung_statements_keep_no_place_longer_than_their_time(database: AskedDatabase) -> None:
    hung = [database.select(ENDLESS.format(n), LIMITS, within_s=0.6) for n in range(6)]
    outcomes = await asyncio.gather(*hung, return_exceptions=True)
    kinds = {type(outcome) for outcome in outcomes}
    assert kinds <= {StatementFailed, StoreUnavailable}
    assert await value(database, "1") == 1


async def test_where_all_places_are_taken_the_call_is_told_to_come_again(database: AskedDatabase) -> None:
    hung = [asyncio.create_task(database.select(ENDLESS.format(n), LIMITS, within_s=20.0)) for n in range(2)]
    await asyncio.sleep(0.2)
    with pytest.raises(StoreUnavailable, match="busy"):
        await database.select("SELECT 1", LIMITS, within_s=0.2)
    for call in hung:
        call.cancel()
    await asyncio.wait(hung)
    assert await value(database, "1") == 1


async def test_calls_that_are_cancelled_at_any_moment_leave_all_places_free(database: AskedDatabase) -> None:
    for turn in range(40):
        call = asyncio.create_task(database.select("SELECT pg_sleep(0.002)", LIMITS, within_s=5.0))
        await asyncio.sleep(turn / 10_000)
        call.cancel()
        await asyncio.wait([call])
    assert [await value(database, "1") for _ in range(4)] == [1, 1, 1, 1]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM public.hearings",
        "CREATE TABLE public.x (a int)",
        "CREATE TEMPORARY TABLE x (a int)",
        "SELECT * FROM public.permits FOR UPDATE",
        "SELECT lo_create(0)",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT set_config('role', 'postgres', FALSE)",
        "SELECT pg_catalog.setval('x', 1)",
        "COPY public.permits TO PROGRAM 'id'",
    ],
)
async def test_postgres_itself_stops_what_a_guard_would_have_let_through(
    database: AskedDatabase, statement: str
) -> None:
    with pytest.raises(StatementFailed):
        await database.select(statement, LIMITS, within_s=2.0)
    assert await value(database, "current_user::text") == "vmk_ask"


@pytest.mark.parametrize("statement", ["SELECT 1; SELECT 2", "COMMIT; DROP TABLE public.permits"])
async def test_what_is_no_single_statement_never_runs(database: AskedDatabase, statement: str) -> None:
    with pytest.raises(StatementFailed):
        await database.select(statement, LIMITS, within_s=2.0)
    assert await value(database, "count(*) FROM public.permits") == 2_600


@pytest.mark.parametrize("statement", ["COMMIT", "ROLLBACK", "SET TRANSACTION READ WRITE", "RESET ALL"])
async def test_what_one_statement_undoes_is_back_for_the_next(
    database: AskedDatabase, statement: str
) -> None:
    with suppress(StatementFailed, StoreUnavailable):
        await database.select(statement, LIMITS, within_s=2.0)
    assert await value(database, "current_setting('transaction_read_only')") == "on"
    assert await value(database, "current_setting('statement_timeout')") != "0"


async def test_each_transaction_has_its_limits_from_postgres_itself(database: AskedDatabase) -> None:
    assert await value(database, "current_setting('transaction_read_only')") == "on"
    assert await value(database, "current_setting('search_path')") == "pg_catalog, pg_temp"
    assert await value(database, "current_setting('statement_timeout')") != "0"
    assert await value(database, "current_setting('temp_file_limit')") == "256MB"


async def test_a_superuser_is_never_asked_as(municipal: Dsn) -> None:
    database = open_database(municipal(Role.SUPERUSER), "vmk_ask")
    with pytest.raises(NotOffered, match="is a superuser"):
        await database.select("SELECT 1", LIMITS, within_s=5.0)
    await database.close()


async def test_a_login_that_may_take_on_the_role_asks_as_it(cluster: EmbeddedServer, municipal: Dsn) -> None:
    await run_script(
        cluster,
        MUNICIPAL.database,
        "CREATE ROLE reading LOGIN PASSWORD 'r'; GRANT CONNECT ON DATABASE vmk_municipal TO reading;"
        "CREATE TABLE public.closed_to_asking (a int); GRANT SELECT ON public.closed_to_asking TO reading;",
    )
    dsn = f"postgresql://reading:r@127.0.0.1:{cluster.address.port}/{MUNICIPAL.database}"
    try:
        refused = open_database(dsn, "vmk_ask")
        with pytest.raises(NotOffered, match="may not take on the role vmk_ask"):
            await refused.select("SELECT 1", LIMITS, within_s=5.0)
        await refused.close()
        await run_script(cluster, MUNICIPAL.database, "GRANT vmk_ask TO reading")
        database = open_database(dsn, "vmk_ask")
        assert await value(database, "current_user::text") == "vmk_ask"
        with pytest.raises(StatementFailed):
            await database.select("SELECT * FROM public.closed_to_asking", LIMITS, within_s=5.0)
        await database.close()
    finally:
        await run_script(
            cluster,
            MUNICIPAL.database,
            "DROP TABLE public.closed_to_asking; DROP OWNED BY reading; DROP ROLE reading;",
        )


async def test_a_database_that_is_away_is_told_to_be_and_noted_once() -> None:
    observer = RecordingObserver()
    database = AskedDatabase("city", AskLogin("postgresql://a:b@127.0.0.1:1/c"), size=1, observer=observer)
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            await database.select("SELECT 1", LIMITS, within_s=2.0)
    assert observer.of(StoreChanged) == [StoreChanged("city", reachable=False)]


async def test_a_database_that_does_not_answer_is_away_and_blames_no_statement() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        database = open_database(f"postgresql://u@127.0.0.1:{silent.getsockname()[1]}/x")
        with pytest.raises(StoreUnavailable, match="does not answer"):
            await database.select("SELECT 1", LIMITS, within_s=0.2)
        await database.close()


@pytest.mark.parametrize("wrong", [("vmk_ask:", "vmk_ask:not"), ("/vmk_municipal", "/no_such_database")])
async def test_a_database_that_lets_nobody_in_is_away_and_blames_no_statement(
    municipal: Dsn, wrong: tuple[str, str]
) -> None:
    observer, dsn = RecordingObserver(), municipal(Role.ASK)
    assert wrong[0] in dsn
    database = AskedDatabase("city", AskLogin(dsn.replace(*wrong)), size=1, observer=observer)
    with pytest.raises(StoreUnavailable, match="does not let us in"):
        await database.select("SELECT 1", LIMITS, within_s=5.0)
    assert observer.of(StoreChanged) == [StoreChanged("city", reachable=False)]


async def test_a_connection_that_died_while_idle_is_replaced_unnoticed(
    database: AskedDatabase, cluster: EmbeddedServer
) -> None:
    assert await value(database, "1") == 1
    await run_script(
        cluster,
        "postgres",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'vmk_ask'",
    )
    assert await value(database, "1") == 1


def test_a_login_never_prints_its_password() -> None:
    assert "secret" not in repr(AskLogin("postgresql://a:secret@h/d"))
