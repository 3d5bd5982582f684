"""The municipal sample in a real database: whole, loaded once, and open to asking alone."""

import asyncio
from collections.abc import Sequence

import asyncpg
import pytest

from tests.integration.servers import Dsn, MakeDatabase
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.failures import ValuesRefused
from vmk_mcp.database.scripts import MUNICIPAL
from vmk_mcp.sample.municipal.loading import load_municipal
from vmk_mcp.sample.municipal.tables import make_tables


async def fetch(dsn: str, sql: str) -> Sequence[asyncpg.Record]:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetch(sql)
    finally:
        await connection.close()


@pytest.fixture
async def empty_city(cluster: EmbeddedServer, municipal: Dsn, make_database: MakeDatabase) -> Dsn:
    """A copy of the municipal database without a row."""
    name = await make_database(MUNICIPAL)
    owner = cluster.dsn(Role.OWNER, name)
    await fetch(owner, f"TRUNCATE {', '.join(make_tables())}")
    return lambda role: cluster.dsn(role, name)


async def test_every_made_up_row_is_in_its_table(municipal: Dsn) -> None:
    for table, rows in make_tables().items():
        (counted,) = await fetch(municipal(Role.ASK), f"SELECT count(*) AS n FROM {table}")
        assert (table, counted["n"]) == (table, len(rows))


async def test_permits_by_contractor_come_out_as_the_demonstration_shows_them(municipal: Dsn) -> None:
    rows = await fetch(
        municipal(Role.ASK),
        "SELECT c.name, count(*) AS n FROM permits p JOIN contractors c USING (contractor_id)"
        " GROUP BY c.name ORDER BY n DESC, c.name",
    )
    assert len(rows) == 50
    assert [row["name"] for row in rows[:3]] == ["Garcia Builders", "Kim Builders", "Miller Plumbing Co"]


async def test_a_second_load_changes_nothing(municipal: Dsn) -> None:
    said: list[str] = []
    await load_municipal(municipal(Role.OWNER), say=said.append)
    assert said == []


async def test_two_loads_at_once_leave_one_city(empty_city: Dsn) -> None:
    owner = empty_city(Role.OWNER)
    await asyncio.gather(*(load_municipal(owner, say=lambda _: None) for _ in range(2)))
    (counted,) = await fetch(owner, "SELECT count(*) AS n FROM permits")
    assert counted["n"] == 2_600


async def test_a_load_that_breaks_off_leaves_nothing_and_is_done_again(empty_city: Dsn) -> None:
    owner = empty_city(Role.OWNER)
    # A row that is in the way of the last table: all others are written before it fails.
    await fetch(owner, "ALTER TABLE hearings ADD CONSTRAINT in_the_way CHECK (hearing_id < 100)")
    with pytest.raises(ValuesRefused):
        await load_municipal(owner, say=lambda _: None)
    (counted,) = await fetch(owner, "SELECT count(*) AS n FROM permits")
    assert counted["n"] == 0
    await fetch(owner, "ALTER TABLE hearings DROP CONSTRAINT in_the_way")
    await load_municipal(owner, say=lambda _: None)
    (counted,) = await fetch(owner, "SELECT count(*) AS n FROM hearings")
    assert counted["n"] == 180


@pytest.mark.parametrize("role", [Role.READER, Role.WRITER])
async def test_other_roles_do_not_get_into_the_city(municipal: Dsn, role: Role) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await asyncpg.connect(municipal(role))


async def test_who_asks_cannot_write_there_even_without_the_read_only_setting(municipal: Dsn) -> None:
    connection = await asyncpg.connect(
        municipal(Role.ASK), server_settings={"default_transaction_read_only": "off"}
    )
    try:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute("DELETE FROM hearings")
    finally:
        await connection.close()
