"""A state database of the operator's: what makes it ready, what keeps it from that, and what serves then."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner

from tests.fakes import RecordingObserver
from tests.integration.servers import Dsn, drop_database, run_script
from vmk_mcp.ask.log import PostgresQueryLog
from vmk_mcp.ask.ports import AskedQuery
from vmk_mcp.bootstrap.databases import run_apart
from vmk_mcp.bootstrap.preparing import prepare_foreign_state
from vmk_mcp.cli.app import main
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.foreign_state import prepare_state
from vmk_mcp.database.pool import PoolLimits
from vmk_mcp.database.scripts import print_roles
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.errors import NotOffered, SettingsError, StartError
from vmk_mcp.knowledge.records import IndexPlan
from vmk_mcp.knowledge.store import PostgresKnowledgeStore
from vmk_mcp.observe import Warned

NAME: Final = "operators_state"
PLAN: Final = IndexPlan(
    provider="local",
    model="m",
    dimensions=3,
    chunker="fixed",
    chunk_size=100,
    chunk_overlap=10,
    store="pgvector",
)


@pytest.fixture
async def foreign(cluster: EmbeddedServer) -> AsyncIterator[Dsn]:
    """A database in which nothing of ours is, beside the logins that the operator has made."""
    await drop_database(cluster, NAME)
    await run_script(cluster, "postgres", f"CREATE DATABASE {NAME} TEMPLATE template0")
    yield lambda role: cluster.dsn(role, NAME)
    await drop_database(cluster, NAME)


async def prepare(dsn: str) -> str:
    said: list[str] = []
    await prepare_state(dsn, said.append)
    return said[0]


def opened_by(dsn: str) -> StateDatabase:
    return StateDatabase(dsn, limits=PoolLimits(size=2))


def asked() -> AskedQuery:
    return AskedQuery(
        datetime.now(UTC), "t", "s", "ask_database", "q", "", "offline", True, "unparseable", 0, 1
    )


async def use(dsn: str) -> None:
    """Write the query log and a generation of the index, as the service does."""
    database = opened_by(dsn)
    await database.open()
    try:
        log = PostgresQueryLog(database, RecordingObserver())
        await log.open()
        await log.record(asked())
        await log.close()
        assert (await log.report(None)).rejected_by_reason == {"unparseable": 1}
        await PostgresKnowledgeStore(database).start_generation("one", PLAN)
    finally:
        await database.close()


async def test_the_owner_is_told_step_by_step_what_a_superuser_runs_and_then_makes_all(
    cluster: EmbeddedServer, foreign: Dsn
) -> None:
    with pytest.raises(StartError) as no_rights:
        await prepare(foreign(Role.OWNER))
    assert "vmk-mcp roles --database state" in no_rights.value.hint
    await run_script(cluster, NAME, print_roles("state"))
    with pytest.raises(StartError) as no_extension:
        await prepare(foreign(Role.OWNER))
    assert "`CREATE EXTENSION vector;`" in no_extension.value.hint
    await run_script(cluster, NAME, "CREATE EXTENSION vector;")
    assert await prepare(foreign(Role.OWNER)) == "Made our tables in the state database."
    assert await prepare(foreign(Role.OWNER)) == "The state database is up to date."
    await use(foreign(Role.WRITER))


async def test_a_superuser_makes_all_at_once_and_the_service_writes_as_the_writer(foreign: Dsn) -> None:
    assert await prepare(foreign(Role.SUPERUSER)) == "Made our tables in the state database."
    await use(foreign(Role.WRITER))


async def test_after_an_update_the_owner_goes_on_where_the_writer_has_tables_of_its_own(
    cluster: EmbeddedServer, foreign: Dsn
) -> None:
    await run_script(cluster, NAME, print_roles("state") + "CREATE EXTENSION vector;")
    await prepare(foreign(Role.OWNER))
    await use(foreign(Role.WRITER))
    await run_script(
        cluster, NAME, "UPDATE vmk_mcp.applied_scripts SET checksum = '' WHERE name = 'roles_state'"
    )
    assert await prepare(foreign(Role.OWNER)) == "Brought the state database up to date."


async def test_what_everybody_may_do_in_a_foreign_database_is_left_as_it_is(foreign: Dsn) -> None:
    await prepare(foreign(Role.SUPERUSER))
    database = opened_by(foreign(Role.READER))
    await database.open()
    async with database.session():
        pass
    await database.close()


async def test_before_that_every_call_names_the_command_that_prepares_it(foreign: Dsn) -> None:
    database, observer = opened_by(foreign(Role.WRITER)), RecordingObserver()
    await database.open()
    try:
        with pytest.raises(NotOffered, match="`vmk-mcp init-db --state DSN`"):
            await PostgresKnowledgeStore(database).list_generations()
        log = PostgresQueryLog(database, observer)
        await log.check(datetime.now(UTC))
        assert "`vmk-mcp init-db --state DSN`" in log.trouble
        assert observer.of(Warned) == [Warned("query log", log.trouble)]
        await prepare(foreign(Role.SUPERUSER))
        await log.check(datetime.now(UTC))
        assert log.trouble == ""
    finally:
        await database.close()


def test_the_command_prepares_it_though_the_listings_are_the_operators(
    foreign: Dsn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", "postgresql://h/x")
    monkeypatch.setenv("STATE_DATABASE_URL", foreign(Role.WRITER))
    refused = CliRunner().invoke(main, ["init-db"])
    assert (refused.exit_code, "vmk-mcp roles --database state" in refused.stderr) == (1, True)
    done = CliRunner().invoke(main, ["init-db", "--state", foreign(Role.SUPERUSER)])
    assert (done.exit_code, "Made our tables" in done.stderr) == (0, True)
    run_apart(use(foreign(Role.WRITER)))


async def test_a_database_that_is_not_there_is_named_without_a_trace(cluster: EmbeddedServer) -> None:
    with pytest.raises(StartError, match="no database of that name"):
        await prepare(cluster.dsn(Role.OWNER, "nowhere"))


def test_a_dsn_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(SettingsError, match="--state"):
        prepare_foreign_state("nonsense", lambda _: None)
