"""The spatial service over a database of these tests, and what plain SQL over whole tables says beside it."""

from collections.abc import Sequence
from random import Random
from typing import Any, Final

import asyncpg

from tests.fakes import FakeClock
from vmk_mcp.database.pool import Database
from vmk_mcp.spatial.scope import Scope
from vmk_mcp.spatial.service import SpatialService
from vmk_mcp.spatial.standing import LiveAudit
from vmk_mcp.spatial.store import PostgisStore

EVERYWHERE: Final = Scope(all_towns=True)

# Independent of the files of the package on purpose: every row is measured, and no index can serve.
_ALL: Final = """
    SELECT 'fire_grid' AS kind, id, xiangzhen, geom, NULL::float8 AS amount, zhongdui FROM st_2_fanghuowangge
    UNION ALL
    SELECT 'water_source', id, xiangzhen, geom, rongliang_m3, NULL FROM st_2_mpslfh_t_slfh_syd
    UNION ALL
    SELECT 'water_tank', id, xiangzhen, geom, rongji_m3, NULL FROM st_2_xianyouxushuichiguan
    UNION ALL
    SELECT 'check_station', id, xiangzhen, geom, NULL, NULL FROM st_2_fanghuojianchazhan
    UNION ALL
    SELECT 'lookout', id, xiangzhen, geom, NULL, NULL FROM st_2_fanghuoliaowangshao
    UNION ALL
    SELECT 'fire_passage', id, xiangzhen, geom, kuandu_m, NULL FROM st_2_xianyoufanghuotongdao
    UNION ALL
    SELECT 'burial_ground', id, xiangzhen, geom, NULL, NULL FROM st_2_mudifenqu_mian
    UNION ALL
    SELECT 'forest_works', id, xiangzhen, geom, NULL, NULL FROM st_2_linqugongkuangqiye
"""

_SOUND: Final = "geom IS NOT NULL AND NOT ST_IsEmpty(geom) AND ST_IsValid(geom)"
_POINT: Final = "ST_SetSRID(ST_MakePoint($1, $2), 4326)"

_MEASURE: Final = f"""
    WITH measured AS (
        SELECT
            kind, id, zhongdui, amount,
            ST_Distance(ST_Force2D(geom)::geography, {_POINT}::geography) AS metres,
            ST_Covers(geom, {_POINT}) AS covers
        FROM ({_ALL}) AS whole
        WHERE kind = ANY($3::text[]) AND {_SOUND}
    )
    SELECT * FROM measured ORDER BY metres, kind, id
"""

_COVER: Final = f"""
    SELECT kind, id, zhongdui FROM ({_ALL}) AS whole
    WHERE kind = ANY($3::text[]) AND {_SOUND} AND ST_Covers(geom, {_POINT})
    ORDER BY ST_Area(ST_Force2D(geom)::geography), id
"""


def make_service(database: Database) -> SpatialService:
    """Give the service over `database`."""
    store = PostgisStore(database)
    return SpatialService(store, LiveAudit(store, clock=FakeClock()))


def random_points(count: int) -> list[tuple[float, float]]:
    """Give points in and around the county."""
    chance = Random(20)  # noqa: S311 - made-up points, no secret
    return [(chance.uniform(118.2, 119.2), chance.uniform(25.0, 25.9)) for _ in range(count)]


async def measure(
    connection: "asyncpg.Connection[Any]", point: tuple[float, float], kinds: Sequence[str]
) -> "list[asyncpg.Record]":
    """Measure every record of `kinds`, nearest first."""
    return await connection.fetch(_MEASURE, *point, list(kinds))


async def cover(
    connection: "asyncpg.Connection[Any]", point: tuple[float, float], kinds: Sequence[str]
) -> "list[asyncpg.Record]":
    """Give every record of `kinds` that covers the point, smallest first."""
    return await connection.fetch(_COVER, *point, list(kinds))
