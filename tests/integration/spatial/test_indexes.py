"""The county's indexes answer what the tools ask, among 100,000 points."""

from typing import Final

import asyncpg
import pytest

from tests.integration.servers import Dsn
from vmk_mcp.database.credentials import Role

_POINT: Final = "ST_SetSRID(ST_MakePoint($1::float8, $2::float8), 4326)"
_SOUND: Final = "NOT ST_IsEmpty(t.geom) AND ST_IsValid(t.geom)"
_DISTANCE: Final = f"ST_Force2D(t.geom)::geography <-> {_POINT}::geography"


async def explain(dsn: str, sql: str, *values: object) -> str:
    connection = await asyncpg.connect(dsn)
    try:
        return "\n".join(row[0] for row in await connection.fetch(f"EXPLAIN {sql}", *values))
    finally:
        await connection.close()


async def test_the_nearest_points_come_from_the_index_and_soundness_is_not_computed_again(
    crowded_county: Dsn,
) -> None:
    plan = await explain(
        crowded_county(Role.READER),
        f"SELECT t.id FROM st_2_mpslfh_t_slfh_syd AS t WHERE {_SOUND} ORDER BY {_DISTANCE} LIMIT 6",
        118.7,
        25.4,
    )
    assert "Index Scan using ix_mpslfh_t_slfh_syd_geography" in plan
    assert "st_isvalid" not in plan


async def test_points_within_a_radius_come_from_the_index(crowded_county: Dsn) -> None:
    within = f"ST_DWithin(ST_Force2D(t.geom)::geography, {_POINT}::geography, 1000)"
    plan = await explain(
        crowded_county(Role.READER),
        f"SELECT t.id FROM st_2_mpslfh_t_slfh_syd AS t WHERE {_SOUND} AND {within}",
        118.7,
        25.4,
    )
    assert "ix_mpslfh_t_slfh_syd_geography" in plan


@pytest.mark.parametrize("table", ["fanghuowangge", "mudifenqu_mian", "linqugongkuangqiye"])
async def test_the_area_that_covers_a_point_comes_from_the_index(county: Dsn, table: str) -> None:
    plan = await explain(
        county(Role.READER),
        f"SELECT t.id FROM st_2_{table} AS t WHERE {_SOUND} AND ST_Covers(t.geom, {_POINT})",
        118.7,
        25.4,
    )
    assert f"ix_{table}_geom" in plan
