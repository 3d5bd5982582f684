"""What each tool answers for 200 random points is what plain SQL over the whole tables says, metres "
"included."""

from collections.abc import AsyncIterator
from typing import Any, Final

import asyncpg
import pytest

from tests.integration.servers import Dsn
from tests.integration.spatial.desk import EVERYWHERE, cover, make_service, measure, random_points
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.pool import Database
from vmk_mcp.spatial.arguments import (
    GridQuestion,
    PostSearch,
    RiskSearch,
    RouteSearch,
    SquadronQuestion,
    WaterSearch,
)
from vmk_mcp.spatial.service import SpatialService

POINTS: Final = random_points(200)
LIMIT: Final = 6


@pytest.fixture
async def plain(county: Dsn) -> AsyncIterator["asyncpg.Connection[Any]"]:
    """A connection of no pool of ours."""
    connection = await asyncpg.connect(county(Role.READER), server_settings={"search_path": "public"})
    yield connection
    await connection.close()


@pytest.fixture
def service(county_database: Database) -> SpatialService:
    """The service over the whole county."""
    return make_service(county_database)


def places(rows: Any) -> list[tuple[str, int, float]]:
    """Give table, id and metres, to the millimetre, of records of either kind."""
    return [
        (row["kind"], row["id"], round(row["metres"], 3))
        if isinstance(row, asyncpg.Record)
        else (row.kind, row.id, round(row.distance_m, 3))
        for row in rows
    ]


async def test_water_of_both_tables_comes_nearest_first(
    service: SpatialService, plain: "asyncpg.Connection[Any]"
) -> None:
    for place, (x, y) in enumerate(POINTS):
        offset, least = place % 3 * 7, (None, 50.0)[place % 2]
        search = WaterSearch(longitude=x, latitude=y, limit=LIMIT, offset=offset, min_capacity_m3=least)
        answer = await service.find_water_sources(search, EVERYWHERE)
        rows = await measure(plain, (x, y), ("water_source", "water_tank"))
        rows = [row for row in rows if least is None or (row["amount"] or -1) >= least]
        assert places(answer.data) == places(rows[offset : offset + LIMIT])
        assert answer.total_count == len(rows)


async def test_command_posts_within_a_radius_come_nearest_first(
    service: SpatialService, plain: "asyncpg.Connection[Any]"
) -> None:
    for place, (x, y) in enumerate(POINTS):
        radius = (None, 20_000.0)[place % 2]
        search = PostSearch(longitude=x, latitude=y, limit=LIMIT, radius_m=radius)
        answer = await service.find_command_posts(search, EVERYWHERE)
        rows = await measure(plain, (x, y), ("check_station", "lookout"))
        rows = [row for row in rows if radius is None or row["metres"] <= radius]
        assert places(answer.data) == places(rows[:LIMIT])
        assert answer.total_count == len(rows)


async def test_passages_come_nearest_first_with_the_point_that_is_nearest(
    service: SpatialService, plain: "asyncpg.Connection[Any]"
) -> None:
    for x, y in POINTS:
        search = RouteSearch(longitude=x, latitude=y, limit=LIMIT)
        answer = await service.find_access_routes(search, EVERYWHERE)
        rows = await measure(plain, (x, y), ("fire_passage",))
        assert places(answer.data) == places(rows[:LIMIT])
        assert answer.total_count == len(rows)
        reached = await plain.fetch(
            "SELECT ST_Distance(ST_MakePoint($1, $2)::geography, ST_MakePoint(u, v)::geography) "
            "FROM unnest($3::float8[], $4::float8[]) AS n (u, v)",
            x,
            y,
            [row.nearest_longitude for row in answer.data],
            [row.nearest_latitude for row in answer.data],
        )
        for (metres,), row in zip(reached, answer.data, strict=True):
            # PostGIS looks for the nearest point on a sphere: where a passage comes about as near from two
            # sides, that may be the farther one, by up to the half per cent in which the two differ.
            assert metres <= row.distance_m + 0.01
            assert metres == pytest.approx(row.distance_m, rel=6e-3, abs=0.01)


async def test_grids_that_cover_a_point_come_smallest_first(
    service: SpatialService, plain: "asyncpg.Connection[Any]"
) -> None:
    covered = 0
    for x, y in POINTS:
        answer = await service.get_grid_context(GridQuestion(longitude=x, latitude=y), EVERYWHERE)
        rows = await cover(plain, (x, y), ("fire_grid",))
        assert [row.id for row in answer.data] == [row["id"] for row in rows]
        assert answer.total_count == len(rows)
        covered += bool(rows)
    assert 0 < covered < len(POINTS)


async def test_the_squadron_is_that_of_the_covering_or_of_the_nearest_grid(
    service: SpatialService, plain: "asyncpg.Connection[Any]"
) -> None:
    for x, y in POINTS:
        question = SquadronQuestion(longitude=x, latitude=y)
        answer = await service.find_responsible_squadron(question, EVERYWHERE)
        covering = await cover(plain, (x, y), ("fire_grid",))
        expected = [("covers", name, 0.0) for name in {row["zhongdui"] for row in covering}]
        if not covering:
            (nearest, *_) = await measure(plain, (x, y), ("fire_grid",))
            expected = [("nearest", nearest["zhongdui"], round(nearest["metres"], 3))]
        found = [(row.relation, row.squadron, round(row.distance_m, 3)) for row in answer.data]
        assert sorted(found) == sorted(expected)
        assert answer.total_count == len(expected)


async def test_risk_areas_cover_the_point_or_lie_within_the_radius(
    service: SpatialService, plain: "asyncpg.Connection[Any]"
) -> None:
    met = 0
    for place, (x, y) in enumerate(POINTS):
        radius = (1000.0, 5000.0, 50_000.0)[place % 3]
        search = RiskSearch(longitude=x, latitude=y, limit=LIMIT, radius_m=radius)
        answer = await service.find_risk_areas(search, EVERYWHERE)
        rows = await measure(plain, (x, y), ("burial_ground", "forest_works"))
        rows = [row for row in rows if row["covers"] or row["metres"] <= radius]
        assert places(answer.data) == places(rows[:LIMIT])
        assert [row.relation for row in answer.data] == [
            "covers" if row["covers"] else "near" for row in rows[:LIMIT]
        ]
        assert answer.total_count == len(rows)
        met += bool(rows)
    assert met


async def test_a_point_on_a_boundary_counts_as_inside(
    service: SpatialService, plain: "asyncpg.Connection[Any]"
) -> None:
    corners = await plain.fetch(
        "SELECT g.id, ST_X(p.geom) AS x, ST_Y(p.geom) AS y FROM st_2_fanghuowangge AS g "
        "CROSS JOIN LATERAL ST_DumpPoints(g.geom) AS p WHERE ST_IsValid(g.geom) AND g.id % 40 = 0"
    )
    assert corners
    for corner in corners:
        question = GridQuestion(longitude=corner["x"], latitude=corner["y"], limit=20)
        answer = await service.get_grid_context(question, EVERYWHERE)
        assert corner["id"] in [row.id for row in answer.data]
    corners = await plain.fetch(
        "SELECT b.id, ST_X(p.geom) AS x, ST_Y(p.geom) AS y FROM st_2_mudifenqu_mian AS b "
        "CROSS JOIN LATERAL ST_DumpPoints(b.geom) AS p WHERE ST_IsValid(b.geom) AND b.id % 40 = 0"
    )
    assert corners
    for corner in corners:
        search = RiskSearch(longitude=corner["x"], latitude=corner["y"], limit=20, radius_m=1)
        found = await service.find_risk_areas(search, EVERYWHERE)
        met = {(row.kind, row.id): (row.relation, row.distance_m) for row in found.data}
        assert met["burial_ground", corner["id"]] == ("covers", 0)
