"""PostGIS keeps to the contract of stores, over the rows that the store in memory has too."""

import asyncio
from typing import Any, Final

import asyncpg
import pytest

from tests.integration.servers import Dsn, copy_database, run_script
from tests.integration.spatial.conftest import OpenDatabase
from tests.spatial_rows import ROWS, Record
from tests.spatial_store_contract import CHECKS, Check
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.scripts import Blueprint
from vmk_mcp.spatial.store import PostgisStore
from vmk_mcp.spatial.tables import AREA, LINE, TABLES

_COLUMNS: Final = {
    "code": "bianhao", "squadron": "zhongdui", "area_ha": "mianji_gongqing", "type": "leixing",
    "elevation_m": "haiba_m", "width_m": "kuandu_m",
}  # fmt: skip
_CAPACITY: Final = {"water_source": "rongliang_m3", "water_tank": "rongji_m3"}


def shape_of(row: Record) -> str:
    """Give the record's box as extended well-known text."""
    west, south, east, north = row.west, row.south, row.east, row.north
    types = TABLES[row.kind].types
    if types == LINE:
        return f"SRID=4326;LINESTRING Z ({west} {south} 5, {east} {north} 500)"
    if types == AREA:
        ring = f"{west} {south}, {east} {south}, {east} {north}, {west} {north}, {west} {south}"
        return f"SRID=4326;MULTIPOLYGON((({ring})))"
    return f"SRID=4326;POINT({west} {south})"


async def insert(connection: "asyncpg.Connection[Any]", row: Record) -> None:
    """Write one record into its table."""
    own = {_COLUMNS.get(name) or _CAPACITY[row.kind]: value for name, value in row.own.items()}
    record = {"id": row.id, "mingcheng": row.name, "xiangzhen": row.town, "cun": row.village, **own}
    places = ", ".join(f"${place}" for place in range(1, len(record) + 1))
    await connection.execute(
        f"INSERT INTO {TABLES[row.kind].name} ({', '.join(record)}, geom) "
        f"VALUES ({places}, ST_GeomFromEWKT(${len(record) + 1}))",
        *record.values(),
        shape_of(row),
    )


@pytest.fixture(scope="session")
def boxes(postgis: EmbeddedServer, county_template: Blueprint) -> Dsn:
    """The DSN, by role, of a county that holds the rows of the contract and no others."""

    async def make() -> None:
        await copy_database(postgis, county_template, "county_boxes")
        emptied = ", ".join(table.name for table in TABLES.values())
        await run_script(postgis, "county_boxes", f"TRUNCATE {emptied}")
        connection = await asyncpg.connect(postgis.dsn(Role.OWNER, "county_boxes"))
        try:
            for row in ROWS:
                await insert(connection, row)
        finally:
            await connection.close()

    asyncio.run(make())
    return lambda role: postgis.dsn(role, "county_boxes")


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_postgis_keeps_the_contract(check: Check, boxes: Dsn, open_database: OpenDatabase) -> None:
    await check(PostgisStore(await open_database(boxes(Role.READER))))
