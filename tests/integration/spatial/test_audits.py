"""The audit on real PostGIS: broken copies close the family and say why; what is only faulty is left out."""

from pathlib import Path
from typing import Any, Final

import pytest

from tests.integration.servers import Dsn, quiet, run_script
from tests.integration.spatial.conftest import OpenDatabase
from tests.integration.spatial.desk import EVERYWHERE, make_service
from tests.integration.spatial.test_county import FAULTS
from vmk_mcp.bootstrap.examining_beside import examine_spatial
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.errors import NotOffered
from vmk_mcp.settings import read_settings
from vmk_mcp.spatial.arguments import PostSearch, WaterSearch
from vmk_mcp.spatial.standing import audit
from vmk_mcp.spatial.store import PostgisStore

HERE: Final[dict[str, Any]] = {"longitude": 118.69, "latitude": 25.36}
DROP_INDEX: Final = "DROP INDEX ix_{0}_geography; "

BROKEN: Final = {
    "one SRID is another": (
        DROP_INDEX.format("xianyouxushuichiguan")
        + "ALTER TABLE st_2_xianyouxushuichiguan ALTER COLUMN geom TYPE geometry(point, 4490) "
        "USING ST_SetSRID(geom, 4490)",
        "st_2_xianyouxushuichiguan (water_tank): SRID 4490 instead of 4326 (WGS 84)",
    ),
    "one record alone has no SRID": (
        "UPDATE st_2_xianyoufanghuotongdao SET geom = ST_SetSRID(geom, 0) WHERE id = 5",
        "st_2_xianyoufanghuotongdao (fire_passage): SRID 0 instead of 4326 (WGS 84)",
    ),
    "a column is of another geometry": (
        DROP_INDEX.format("fanghuoliaowangshao")
        + "ALTER TABLE st_2_fanghuoliaowangshao ALTER COLUMN geom TYPE geometry(multipoint, 4326) "
        "USING ST_Multi(geom)",
        "st_2_fanghuoliaowangshao (lookout): geometry type MULTIPOINT instead of POINT",
    ),
    "a collection among the lines": (
        "UPDATE st_2_xianyoufanghuotongdao SET geom = ST_Collect(ARRAY[geom, ST_StartPoint(geom)]) "
        "WHERE id = (SELECT min(id) FROM st_2_xianyoufanghuotongdao WHERE GeometryType(geom) = 'LINESTRING')",
        "st_2_xianyoufanghuotongdao (fire_passage): geometry type GEOMETRYCOLLECTION instead of "
        "LINESTRING or MULTILINESTRING",
    ),
    "a column is of another type": (
        "ALTER TABLE st_2_fanghuojianchazhan DROP COLUMN geom; "
        "ALTER TABLE st_2_fanghuojianchazhan ADD COLUMN geom text; GRANT SELECT (geom) ON "
        "st_2_fanghuojianchazhan TO vmk_reader",
        "st_2_fanghuojianchazhan (check_station): geom is of type text, not geometry",
    ),
    "coordinates are out of range": (
        DROP_INDEX.format("mpslfh_t_slfh_syd")
        + "UPDATE st_2_mpslfh_t_slfh_syd SET geom = ST_Point(25.4, 118.7, 4326) WHERE id = 5",
        "st_2_mpslfh_t_slfh_syd (water_source): coordinates beyond longitude 180 or latitude 90",
    ),
    "coordinates are no numbers": (
        DROP_INDEX.format("mpslfh_t_slfh_syd")
        + "UPDATE st_2_mpslfh_t_slfh_syd SET geom = ST_Point('NaN', 25, 4326) WHERE id = 5",
        "st_2_mpslfh_t_slfh_syd (water_source): coordinates beyond longitude 180 or latitude 90",
    ),
    "a table is missing": (
        "DROP TABLE st_2_mudifenqu_mian",
        "st_2_mudifenqu_mian (burial_ground): no such table in the schema public",
    ),
    "a column is missing": (
        "ALTER TABLE st_2_fanghuowangge DROP COLUMN zhongdui",
        "st_2_fanghuowangge (fire_grid): no column zhongdui",
    ),
    "a column is closed": (
        "REVOKE SELECT (leixing) ON st_2_linqugongkuangqiye FROM vmk_reader",
        "st_2_linqugongkuangqiye (forest_works): this login may not read leixing",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
async def test_a_broken_copy_closes_the_family_and_names_the_table_and_why(
    postgis: EmbeddedServer, own_county: Dsn, open_database: OpenDatabase, case: str
) -> None:
    script, fault = BROKEN[case]
    await run_script(postgis, "county_own", script)
    service = make_service(await open_database(own_county(Role.READER)))
    ready = await service.readiness()
    assert (ready.status, ready.reasons) == ("unavailable", (f"{fault}; no tool answers",))
    with pytest.raises(NotOffered) as caught:
        await service.find_command_posts(PostSearch(**HERE), EVERYWHERE)
    table, _, told = fault.partition(" (")
    assert told.replace("): ", ": ") in caught.value.message
    assert table not in caught.value.message


async def test_faulty_records_only_warn_with_their_numbers(county: Dsn, open_database: OpenDatabase) -> None:
    database = await open_database(county(Role.READER))
    found = await audit(PostgisStore(database))
    assert found.faults == ()
    counted = sorted((one.invalid, one.empty) for one in found.tables)
    assert counted == sorted((invalid, empty + missing) for invalid, empty, missing in FAULTS.values())
    assert sum(one.records for one in found.unusable) == sum(map(sum, FAULTS.values()))
    assert {one.reason for one in found.unusable} > {"empty", "Self-intersection"}
    service = make_service(database)
    ready = await service.readiness()
    assert ready.status == "degraded"
    assert "27 invalid geometries are left out, results may be incomplete" in " ".join(ready.reasons)
    answer = await service.find_water_sources(WaterSearch(**HERE), EVERYWHERE)
    assert answer.warnings[0].startswith("3 records have an empty or invalid geometry")


async def test_passages_of_two_and_three_dimensions_are_told_apart_only_by_the_audit(
    county: Dsn, open_database: OpenDatabase
) -> None:
    found = await audit(PostgisStore(await open_database(county(Role.READER))))
    (passages,) = [one for one in found.tables if one.kind == "fire_passage"]
    assert 0 < passages.with_z < passages.records
    assert set(passages.types) <= {"LINESTRING", "MULTILINESTRING"}


async def test_empty_tables_are_answered_with_nothing(
    postgis: EmbeddedServer, own_county: Dsn, open_database: OpenDatabase
) -> None:
    await run_script(postgis, "county_own", "TRUNCATE st_2_mpslfh_t_slfh_syd, st_2_xianyouxushuichiguan")
    service = make_service(await open_database(own_county(Role.READER)))
    answer = await service.find_water_sources(WaterSearch(**HERE), EVERYWHERE)
    assert (answer.status, answer.data, answer.total_count, answer.warnings) == ("ok", [], 0, [])


async def test_a_record_that_becomes_invalid_is_left_out_at_once(
    postgis: EmbeddedServer, own_county: Dsn, open_database: OpenDatabase
) -> None:
    service = make_service(await open_database(own_county(Role.READER)))
    before = await service.find_water_sources(WaterSearch(**HERE), EVERYWHERE)
    nearest = before.data[0]
    table = {"water_source": "st_2_mpslfh_t_slfh_syd", "water_tank": "st_2_xianyouxushuichiguan"}
    emptied = f"UPDATE {table[nearest.kind]} SET geom = 'SRID=4326;POINT EMPTY' WHERE id = {nearest.id}"
    await run_script(postgis, "county_own", emptied)
    after = await service.find_water_sources(WaterSearch(**HERE), EVERYWHERE)
    assert after.total_count == before.total_count - 1
    assert after.data[0] == before.data[1]


async def test_a_foreign_database_without_our_indexes_and_with_narrower_types_is_served_the_same(
    postgis: EmbeddedServer, county: Dsn, own_county: Dsn, open_database: OpenDatabase
) -> None:
    await run_script(
        postgis,
        "county_own",
        "DO $$ DECLARE name text; BEGIN FOR name IN SELECT indexname FROM pg_indexes WHERE indexname ~ "
        "'^ix_' LOOP EXECUTE 'DROP INDEX ' || name; END LOOP; END $$;"
        "ALTER TABLE st_2_mpslfh_t_slfh_syd ALTER COLUMN id TYPE integer, "
        "ALTER COLUMN xiangzhen TYPE varchar(50), ALTER COLUMN rongliang_m3 TYPE numeric(12, 2), "
        "ALTER COLUMN geom TYPE geometry(pointz, 4326) USING ST_Force3D(geom)",
    )
    ours = make_service(await open_database(county(Role.READER)))
    theirs = make_service(await open_database(own_county(Role.READER)))
    for search in (WaterSearch(**HERE), WaterSearch(**HERE, radius_m=5_000, min_capacity_m3=20, offset=2)):
        found = await theirs.find_water_sources(search, EVERYWHERE)
        assert found == await ours.find_water_sources(search, EVERYWHERE)
        assert found.data


def test_the_doctor_sums_the_audit_up(county: Dsn, tmp_path: Path) -> None:
    settings = read_settings({"DATA_DIR": str(tmp_path), "SPATIAL_DATABASE_URL": county(Role.READER)})
    (found,) = examine_spatial(settings, quiet)
    assert found.verdict == "warning"
    assert found.message == "Of 3,996 records 41 are left out: their geometry is empty or invalid."
