"""What the reading roles may do in the spatial database, tried: no column of people, and no write."""

from typing import Final

import asyncpg
import pytest

from tests.integration.servers import Dsn, drop_database, run_script
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.scripts import print_roles

_PEOPLE: Final = [
    ("st_2_fanghuowangge", "wanggeyuan"),
    ("st_2_fanghuowangge", "lianxidianhua"),
    ("st_2_mpslfh_t_slfh_syd", "zerenren"),
    ("st_2_mpslfh_t_slfh_syd", "dianhua"),
    ("st_2_fanghuojianchazhan", "zhibanrenyuan"),
    ("st_2_fanghuojianchazhan", "dianhua"),
]
_WRITES: Final = [
    "INSERT INTO st_2_fanghuowangge (id) VALUES (0)",
    "UPDATE st_2_fanghuowangge SET mingcheng = 'x'",
    "DELETE FROM st_2_linqugongkuangqiye",
    "TRUNCATE st_2_linqugongkuangqiye",
    "UPDATE spatial_ref_sys SET srtext = ''",
    "CREATE TABLE mine (n int)",
    "CREATE TEMP TABLE mine (n int)",
    "SELECT lo_create(0)",
    "SELECT AddGeometryColumn('public', 'st_2_linqugongkuangqiye', 'more', 4326, 'POINT', 2)",
    "SELECT * FROM vmk_mcp.county",
    "CREATE EXTENSION postgis_topology",
    "SET ROLE vmk_owner",
]


async def run(dsn: str, *statements: str) -> object:
    connection = await asyncpg.connect(dsn)
    try:
        for statement in statements[:-1]:
            await connection.execute(statement)
        return await connection.fetchval(statements[-1])
    finally:
        await connection.close()


@pytest.mark.parametrize("role", [Role.READER, Role.ASK])
@pytest.mark.parametrize(("table", "column"), _PEOPLE)
async def test_a_column_of_people_is_filled_and_read_by_its_owner_alone(
    county: Dsn, role: Role, table: str, column: str
) -> None:
    assert await run(county(Role.OWNER), f"SELECT count({column}) FROM {table}")
    for sql in (
        f"SELECT {column} FROM {table}",
        f"SELECT count(*) FROM {table} WHERE {column} = 'x'",
        f"SELECT id FROM {table} ORDER BY {column}",
        f"SELECT * FROM {table}",
        f"SELECT row_to_json(t) FROM {table} AS t",
    ):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await run(county(role), sql)
    # Frequent values of a column stand in the statistics too.
    shown = f"SELECT count(*) FROM pg_stats WHERE tablename = '{table}' AND attname = '{column}'"
    assert await run(county(Role.OWNER), shown) == 1
    assert await run(county(role), shown) == 0


@pytest.mark.parametrize("role", [Role.READER, Role.ASK])
async def test_a_reading_role_measures_and_writes_nothing(county: Dsn, role: Role) -> None:
    metres = await run(
        county(role),
        "SELECT ST_Distance(geom::geography, ST_SetSRID(ST_MakePoint(118.7, 25.4), 4326)::geography)"
        " FROM st_2_fanghuojianchazhan ORDER BY id",
    )
    assert isinstance(metres, float)
    for statement in _WRITES:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await run(county(role), "SET default_transaction_read_only = off", statement)


async def test_the_writer_does_not_enter(county: Dsn) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await run(county(Role.WRITER), "SELECT 1")


async def test_a_foreign_database_with_fewer_tables_and_further_columns_gets_its_grants(
    postgis: EmbeddedServer,
) -> None:
    await run_script(postgis, "postgres", "CREATE DATABASE foreign_places")
    try:
        await run_script(
            postgis,
            "foreign_places",
            """
            CREATE EXTENSION postgis;
            CREATE TABLE st_2_fanghuowangge (
                id bigint, mingcheng text, geom geometry, wanggeyuan text, shenfenzheng text
            );
            CREATE TABLE payroll (name text);
            """,
        )
        for _ in range(2):
            await run_script(postgis, "foreign_places", print_roles("spatial"))
        for role in (Role.READER, Role.ASK):
            dsn = postgis.dsn(role, "foreign_places")
            await run(dsn, "SELECT id, mingcheng, geom FROM st_2_fanghuowangge")
            for closed in (
                "SELECT wanggeyuan FROM st_2_fanghuowangge",
                "SELECT shenfenzheng FROM st_2_fanghuowangge",
                "TABLE payroll",
            ):
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await run(dsn, closed)
    finally:
        await drop_database(postgis, "foreign_places")
