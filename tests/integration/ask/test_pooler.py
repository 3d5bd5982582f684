"""Asking by way of pgbouncer in transaction mode: limits, role and rows are those of a direct connection."""

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.fakes import RecordingObserver
from tests.integration.pgbouncer import PgBouncer
from tests.integration.servers import Dsn, open_folder
from vmk_mcp.database.ask_connections import AskLogin
from vmk_mcp.database.asking import QUERY_CANCELED, AskedDatabase, StatementFailed
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.selecting import SelectionLimits

LIMITS = SelectionLimits()


@pytest.fixture(scope="module")
def pgbouncer(cluster: EmbeddedServer, municipal: Dsn) -> Iterator[PgBouncer]:
    with open_folder() as folder, PgBouncer(folder, cluster.address, size=2) as running:
        yield running


@pytest.fixture
async def database(pgbouncer: PgBouncer, municipal: Dsn) -> AsyncIterator[AskedDatabase]:
    """The municipal database behind the pooler."""
    dsn = pgbouncer.dsn(municipal(Role.ASK))
    database = AskedDatabase("city", AskLogin(dsn), size=4, observer=RecordingObserver())
    yield database
    await database.close()


async def value(database: AskedDatabase, expression: str) -> object:
    return (await database.select(f"SELECT {expression}", LIMITS, within_s=5.0)).rows[0][0]


async def test_each_transaction_has_its_limits_behind_a_pooler_too(database: AskedDatabase) -> None:
    assert await value(database, "current_setting('transaction_read_only')") == "on"
    assert await value(database, "current_setting('search_path')") == "pg_catalog, pg_temp"
    assert await value(database, "count(*) FROM public.permits") == 2_600
    assert await value(database, "DATE '2024-02-29'") == "2024-02-29"


async def test_a_statement_is_ended_at_its_limit_behind_a_pooler_too(database: AskedDatabase) -> None:
    with pytest.raises(StatementFailed) as caught:
        await database.select("SELECT pg_sleep(30)", LIMITS, within_s=0.6)
    assert caught.value.sqlstate == QUERY_CANCELED
    assert await value(database, "1") == 1
