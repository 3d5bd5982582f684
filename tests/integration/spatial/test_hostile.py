"""Odd places, odd names and large shapes: answered honestly, or refused in words, never a failure of ours."""

import json
from itertools import pairwise
from typing import Any, Final

import pytest

from tests.integration.servers import Dsn, run_script
from tests.integration.spatial.conftest import OpenDatabase
from tests.integration.spatial.desk import EVERYWHERE, make_service
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.pool import Database
from vmk_mcp.spatial.answers import MAX_SHAPE_BYTES
from vmk_mcp.spatial.arguments import (
    GridQuestion,
    PlaceSearch,
    PostSearch,
    RiskSearch,
    RouteSearch,
    SquadronQuestion,
    WaterSearch,
)
from vmk_mcp.spatial.service import SpatialService

HERE: Final[dict[str, Any]] = {"longitude": 118.69, "latitude": 25.36}
ODD_PLACES: Final = [
    (180.0, 0.0), (-180.0, 0.0), (0.0, 90.0), (0.0, -90.0), (180.0, 90.0), (-180.0, -90.0),
    (-61.31, -25.36), (0.0, 0.0), (179.999999, 25.36), (118.69, 5e-324),
]  # fmt: skip
ODD_NAMES: Final = [
    "%", "_", "%%%", "\\", "\\%", "'", "'; DROP TABLE st_2_fanghuowangge; --", "$1", "{}", "🔥", "𠮷野",
    "a" * 100, "水" * 100, "\u202e村", "ﷺ" * 20, "\x01\x02", "ß", "İ",
]  # fmt: skip


@pytest.fixture
def service(county_database: Database) -> SpatialService:
    """The service over the whole county."""
    return make_service(county_database)


@pytest.mark.parametrize("place", ODD_PLACES)
async def test_any_place_on_earth_is_answered(service: SpatialService, place: tuple[float, float]) -> None:
    at: dict[str, Any] = {"longitude": place[0], "latitude": place[1]}
    assert (await service.get_grid_context(GridQuestion(**at), EVERYWHERE)).total_count == 0
    assert (await service.find_risk_areas(RiskSearch(**at), EVERYWHERE)).total_count == 0
    (squadron,) = (await service.find_responsible_squadron(SquadronQuestion(**at), EVERYWHERE)).data
    assert squadron.relation == "nearest"
    for answer in (
        await service.find_water_sources(WaterSearch(**at), EVERYWHERE),
        await service.find_command_posts(PostSearch(**at), EVERYWHERE),
        await service.find_access_routes(RouteSearch(**at), EVERYWHERE),
    ):
        distances = [row.distance_m for row in answer.data]
        assert len(distances) == 5
        assert distances == sorted(distances)
        assert distances[0] > 1000


@pytest.mark.parametrize("name", ODD_NAMES)
async def test_any_name_is_only_a_text(service: SpatialService, name: str) -> None:
    answer = await service.search_places(PlaceSearch(name=name, limit=20), EVERYWHERE)
    texts = ["\n".join(filter(None, (row.name, row.village, row.town))) for row in answer.data]
    assert all(set(name) & set(text) for text in texts)


async def test_the_largest_offset_is_answered_with_the_true_total(service: SpatialService) -> None:
    first = await service.find_water_sources(WaterSearch(**HERE), EVERYWHERE)
    last = await service.find_water_sources(WaterSearch(**HERE, offset=10_000, limit=20), EVERYWHERE)
    assert (last.data, last.total_count) == ([], first.total_count)


async def test_all_pages_hold_every_record_once(service: SpatialService) -> None:
    met: list[tuple[str, int]] = []
    offset: Any = 0
    while isinstance(offset, int):
        page = await service.find_command_posts(PostSearch(**HERE, limit=20, offset=offset), EVERYWHERE)
        met += [(row.kind, row.id) for row in page.data]
        offset = page.next_offset
    assert len(met) == len(set(met)) == page.total_count


async def test_a_record_at_the_radius_itself_is_within_it(service: SpatialService) -> None:
    (nearest,) = (await service.find_command_posts(PostSearch(**HERE, limit=1), EVERYWHERE)).data
    for radius, total in ((nearest.distance_m + 0.001, 1), (nearest.distance_m - 0.001, 0)):
        answer = await service.find_command_posts(PostSearch(**HERE, radius_m=radius), EVERYWHERE)
        assert answer.total_count == total


async def test_large_shapes_are_simplified_until_they_fit(
    postgis: EmbeddedServer, own_county: Dsn, open_database: OpenDatabase
) -> None:
    await run_script(
        postgis,
        "county_own",
        "UPDATE st_2_mudifenqu_mian SET geom = ST_Multi(ST_Buffer(ST_Point(118.69, 25.36, 4326), 0.01, "
        "2000)) WHERE id = 1; "
        "UPDATE st_2_mudifenqu_mian SET geom = (SELECT ST_Multi(ST_Union(ST_Buffer(ST_Point(118.69 + "
        "i % 40 * 0.0001, 25.36 + i / 40 * 0.0001, 4326), 0.00004, 2))) FROM generate_series(0, 1599) AS i) "
        "WHERE id = 2; "
        "UPDATE st_2_mudifenqu_mian SET geom = ST_Multi(ST_MakeEnvelope(118.68, 25.35, 118.7, 25.37, 4326)) "
        "WHERE id = 3",
    )
    service = make_service(await open_database(own_county(Role.READER)))
    search = RiskSearch(**HERE, limit=20, geometry="geojson")
    answer = await service.find_risk_areas(search, EVERYWHERE)
    details = {row.id: row.geometry_detail for row in answer.data if row.kind == "burial_ground"}
    assert (details[1], details[2], details[3]) == ("simplified", "bounding_box", "exact")
    for row in answer.data:
        assert isinstance(row.geometry, dict)
        assert len(json.dumps(row.geometry, separators=(",", ":"))) <= MAX_SHAPE_BYTES
        ring = row.geometry["coordinates"]
        while isinstance(ring[0][0], list):
            ring = ring[0]
        assert ring[0] == ring[-1]
        assert sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise(ring)) > 0, "clockwise"
        assert all(value == round(value, 7) for place in ring for value in place)


async def test_lines_of_several_parts_begin_at_their_first_point_even_after_an_empty_part(
    postgis: EmbeddedServer, own_county: Dsn, open_database: OpenDatabase
) -> None:
    await run_script(
        postgis,
        "county_own",
        "UPDATE st_2_xianyoufanghuotongdao SET geom = ST_GeomFromEWKT('SRID=4326;MULTILINESTRING Z "
        "(EMPTY, (118.69 25.36 0, 118.69 25.37 800), (118.7 25.36 9, 118.7 25.37 9))') WHERE id = 1",
    )
    service = make_service(await open_database(own_county(Role.READER)))
    (row,) = (await service.find_access_routes(RouteSearch(**HERE, limit=1), EVERYWHERE)).data
    assert (row.id, row.distance_m) == (1, 0)
    assert (row.longitude, row.latitude, row.location_kind) == (118.69, 25.36, "line_start")
    # Two degrees of a hundredth on the ground; with the climb the first alone would be some 300 m longer.
    assert row.length_m == pytest.approx(2 * 1107.8, abs=1)
