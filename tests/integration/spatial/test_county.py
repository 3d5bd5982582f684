"""The made-up county as it lies in PostGIS: whole, gapless, with the faults of live tables, loaded once."""

import asyncio
from typing import Final

import asyncpg
import pytest
from msgspec import structs

from tests.integration.servers import Dsn
from vmk_mcp.database.credentials import Role
from vmk_mcp.sample.county.loading import load_county
from vmk_mcp.sample.county.making import CLOSED_TOWN, make_county

TABLES: Final = {
    "fire_grids": "st_2_fanghuowangge",
    "water_sources": "st_2_mpslfh_t_slfh_syd",
    "water_tanks": "st_2_xianyouxushuichiguan",
    "check_stations": "st_2_fanghuojianchazhan",
    "lookouts": "st_2_fanghuoliaowangshao",
    "passages": "st_2_xianyoufanghuotongdao",
    "burial_grounds": "st_2_mudifenqu_mian",
    "works": "st_2_linqugongkuangqiye",
}
FAULTS: Final = {
    "fire_grids": (4, 0, 0),
    "water_sources": (0, 2, 0),
    "water_tanks": (0, 0, 1),
    "check_stations": (0, 0, 0),
    "lookouts": (0, 0, 0),
    "passages": (1, 1, 0),
    "burial_grounds": (27, 1, 0),
    "works": (4, 0, 0),
}
"""How many of each table are invalid, empty, and without geometry; live tables had as many invalid areas."""


async def fetch(dsn: str, sql: str) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(dsn, server_settings={"search_path": "public"})
    try:
        return await connection.fetch(sql)
    finally:
        await connection.close()


@pytest.mark.parametrize("name", TABLES)
async def test_a_table_holds_its_records_with_the_columns_of_their_struct(county: Dsn, name: str) -> None:
    records = getattr(make_county(), name)
    columns = await fetch(
        county(Role.READER),
        f"SELECT attname FROM pg_attribute WHERE attrelid = '{TABLES[name]}'::regclass AND attnum > 0",
    )
    assert {row[0] for row in columns} == {field.name for field in structs.fields(records[0])}
    (counted,) = await fetch(county(Role.READER), f"SELECT count(*), max(id) FROM {TABLES[name]}")
    assert tuple(counted) == (len(records), len(records))


@pytest.mark.parametrize("name", TABLES)
async def test_a_table_has_the_faults_of_live_ones_and_no_others(county: Dsn, name: str) -> None:
    (counted,) = await fetch(
        county(Role.READER),
        f"""
        SELECT
            count(*) FILTER (WHERE NOT ST_IsValid(geom)),
            count(*) FILTER (WHERE ST_IsEmpty(geom)),
            count(*) FILTER (WHERE geom IS NULL)
        FROM {TABLES[name]}
        """,
    )
    assert tuple(counted) == FAULTS[name]


async def test_grids_cover_the_county_as_one_area_without_a_gap(county: Dsn) -> None:
    (whole,) = await fetch(
        county(Role.READER),
        """
        WITH whole AS (
            SELECT ST_Union(geom) AS geom FROM st_2_fanghuowangge WHERE ST_IsValid(geom)
        )
        SELECT
            GeometryType(w.geom) AS kind,
            (
                -- Where two edges cross, their union rounds the crossing, by less than a square centimetre.
                SELECT coalesce(max(ST_Area(ST_MakePolygon(ST_InteriorRingN(w.geom, n))::geography)), 0)
                FROM generate_series(1, ST_NumInteriorRings(w.geom)) AS n
            ) AS widest_gap_m2
        FROM whole AS w
        """,
    )
    assert whole["kind"] == "POLYGON"
    assert whole["widest_gap_m2"] < 0.0001


async def test_some_grids_overlap_and_some_have_parts_that_lie_apart(county: Dsn) -> None:
    (counted,) = await fetch(
        county(Role.READER),
        """
        SELECT
            (SELECT count(*) FROM st_2_fanghuowangge WHERE ST_NumGeometries(geom) > 1) AS parted,
            (
                SELECT count(*) FROM st_2_fanghuowangge AS a
                INNER JOIN st_2_fanghuowangge AS b ON a.id < b.id AND ST_Overlaps(a.geom, b.geom)
                WHERE ST_IsValid(a.geom) AND ST_IsValid(b.geom)
            ) AS overlapping
        """,
    )
    assert counted["parted"] > 20
    assert counted["overlapping"] > 100


async def test_passages_mix_dimensions_and_lines_of_one_and_more_parts(county: Dsn) -> None:
    rows = await fetch(
        county(Role.READER),
        """
        SELECT GeometryType(geom) AS kind, ST_NDims(geom) AS dimensions, count(*) AS n
        FROM st_2_xianyoufanghuotongdao GROUP BY 1, 2
        """,
    )
    kinds = {(row["kind"], row["dimensions"]) for row in rows}
    assert kinds == {(k, n) for k in ("LINESTRING", "MULTILINESTRING") for n in (2, 3)}
    assert all(row["n"] > 5 for row in rows)


async def test_all_sound_geometry_is_wgs_84_and_lies_where_the_county_does(county: Dsn) -> None:
    for table in TABLES.values():
        (found,) = await fetch(
            county(Role.READER),
            f"""
            SELECT count(DISTINCT ST_SRID(geom)) AS srids, min(ST_SRID(geom)) AS srid,
                bool_and(geom @ ST_MakeEnvelope(118.3, 25.1, 119.0, 25.8, 4326)) AS is_inside
            FROM {table} WHERE NOT ST_IsEmpty(geom)
            """,
        )
        assert tuple(found) == (1, 4326, True)


async def test_the_closed_town_has_records_in_every_table(county: Dsn) -> None:
    for table in TABLES.values():
        (counted,) = await fetch(
            county(Role.READER), f"SELECT count(*) FROM {table} WHERE xiangzhen = '{CLOSED_TOWN}'"
        )
        assert counted[0] > 0


async def test_a_second_load_changes_nothing(own_county: Dsn) -> None:
    said: list[str] = []
    stamp = "SELECT loaded_at FROM vmk_mcp.county"
    before = await fetch(own_county(Role.OWNER), stamp)
    await load_county(own_county(Role.OWNER), said.append)
    assert await fetch(own_county(Role.OWNER), stamp) == before
    assert said == []


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM st_2_mpslfh_t_slfh_syd WHERE id > 500",
        "DELETE FROM vmk_mcp.county",
        "UPDATE vmk_mcp.county SET edition = 'earlier'",
    ],
)
async def test_a_county_that_is_not_whole_or_of_another_edition_is_loaded_anew(
    own_county: Dsn, damage: str
) -> None:
    await fetch(own_county(Role.OWNER), damage)
    said: list[str] = []
    await load_county(own_county(Role.OWNER), said.append)
    (counted,) = await fetch(own_county(Role.READER), "SELECT count(*) FROM st_2_mpslfh_t_slfh_syd")
    assert counted[0] == len(make_county().water_sources)
    assert ["anew" in line for line in said] == [True]


async def test_two_loads_at_once_leave_one_county(own_county: Dsn) -> None:
    await fetch(own_county(Role.OWNER), "DELETE FROM vmk_mcp.county")
    said: list[str] = []
    await asyncio.gather(*(load_county(own_county(Role.OWNER), said.append) for _ in range(2)))
    assert len(said) == 1
