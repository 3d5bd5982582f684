"""What every `SpatialStore` does, the fake and PostGIS alike, over the rows of `tests.spatial_rows`."""

import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

from tests.spatial_rows import BANGTOU, YOUYANG
from vmk_mcp.spatial.ports import SpatialStore
from vmk_mcp.spatial.queries import (
    PlaceQuery,
    PointQuery,
    PostQuery,
    RiskQuery,
    RouteQuery,
    ShapeQuery,
    WaterQuery,
)
from vmk_mcp.spatial.words import make_pairs

Check = Callable[[SpatialStore], Awaitable[None]]

INSIDE: Final[dict[str, Any]] = {"longitude": 118.712, "latitude": 25.405}
ON_THE_EDGE: Final[dict[str, Any]] = {"longitude": 118.72, "latitude": 25.415}
OUTSIDE: Final[dict[str, Any]] = {"longitude": 118.76, "latitude": 25.41}
EVERYWHERE: Final[dict[str, Any]] = {"all_towns": True, "towns": []}
IN_BANGTOU: Final[dict[str, Any]] = {"all_towns": False, "towns": [BANGTOU]}
NOWHERE: Final[dict[str, Any]] = {"all_towns": False, "towns": []}
PAGE: Final[dict[str, Any]] = {"limit": 20, "offset": 0}


def water(**given: Any) -> WaterQuery:
    asked = {**EVERYWHERE, **INSIDE, **PAGE, "radius_m": None, "kind": None, "min_capacity_m3": None}
    return WaterQuery(**(asked | given))


def named(name: str, **given: Any) -> PlaceQuery:
    asked = {**EVERYWHERE, **PAGE, "wanted": name.lower(), "pairs": make_pairs(name)}
    return PlaceQuery(**(asked | {"spellings": None, "kind": None} | given))


def keys(rows: Any) -> list[tuple[str, int]]:
    """Give table and id of each row."""
    return [(row.kind, row.id) for row in rows]


async def gives_water_of_both_tables_nearest_first(store: SpatialStore) -> None:
    total, rows = await store.find_water_sources(water())
    assert keys(rows) == [("water_tank", 1), ("water_source", 1), ("water_source", 2), ("water_tank", 2)]
    assert total.total == 4
    distances = [row.distance_m for row in rows]
    assert distances == sorted(distances)
    assert 600 < distances[0] < 625


async def leaves_out_what_holds_too_little_or_may(store: SpatialStore) -> None:
    _, rows = await store.find_water_sources(water(min_capacity_m3=10.0))
    assert keys(rows) == [("water_tank", 1), ("water_source", 1), ("water_tank", 2)]
    _, rows = await store.find_water_sources(water(min_capacity_m3=10.5, kind="water_tank"))
    assert keys(rows) == [("water_tank", 1)]


async def keeps_to_the_radius(store: SpatialStore) -> None:
    total, rows = await store.find_water_sources(water(radius_m=650.0))
    assert (total.total, keys(rows)) == (1, [("water_tank", 1)])


async def counts_all_pages_and_past_the_last(store: SpatialStore) -> None:
    total, rows = await store.find_water_sources(water(limit=1, offset=3))
    assert (total.total, keys(rows)) == (4, [("water_tank", 2)])
    total, rows = await store.find_water_sources(water(offset=4))
    assert (total.total, rows) == (4, [])
    total, rows = await store.find_water_sources(water(offset=10_000))
    assert (total.total, rows) == (4, [])


async def sees_the_callers_towns_alone(store: SpatialStore) -> None:
    total, rows = await store.find_water_sources(water(**IN_BANGTOU))
    assert (total.total, {row.town for row in rows}) == (2, {BANGTOU})
    total, rows = await store.find_water_sources(water(**NOWHERE))
    assert (total.total, rows) == (0, [])


async def gives_covering_grids_smallest_first(store: SpatialStore) -> None:
    _, rows = await store.get_grid_context(PointQuery(**EVERYWHERE, **INSIDE, **PAGE))
    assert [(row.id, row.code, row.location_kind) for row in rows] == [
        (2, "BT-02", "representative_point"), (1, "BT-01", "representative_point"),
    ]  # fmt: skip


async def counts_the_boundary_as_inside(store: SpatialStore) -> None:
    _, rows = await store.get_grid_context(PointQuery(**EVERYWHERE, **ON_THE_EDGE, **PAGE))
    assert [row.id for row in rows] == [1, 3]
    _, rows = await store.get_grid_context(PointQuery(**IN_BANGTOU, **ON_THE_EDGE, **PAGE))
    assert [row.id for row in rows] == [1]


async def names_the_squadrons_of_covering_grids(store: SpatialStore) -> None:
    total, rows = await store.find_responsible_squadron(PointQuery(**EVERYWHERE, **INSIDE, **PAGE))
    assert (total.total, total.covering) == (2, 2)
    assert [(row.squadron, row.relation) for row in rows] == [
        ("县专业中队", "covers"), ("榜头镇半专业中队", "covers"),
    ]  # fmt: skip


async def names_the_squadron_of_the_nearest_grid_where_none_covers(store: SpatialStore) -> None:
    total, rows = await store.find_responsible_squadron(PointQuery(**EVERYWHERE, **OUTSIDE, **PAGE))
    assert (total.total, total.covering) == (1, 0)
    assert [(row.id, row.squadron, row.relation) for row in rows] == [(3, "游洋镇半专业中队", "nearest")]
    assert 1990 < rows[0].distance_m < 2020
    _, rows = await store.find_responsible_squadron(PointQuery(**IN_BANGTOU, **OUTSIDE, **PAGE))
    assert [(row.town, row.relation) for row in rows] == [(BANGTOU, "nearest")]


async def names_no_squadron_where_the_covering_grid_has_none(store: SpatialStore) -> None:
    there: dict[str, Any] = {"longitude": 118.805, "latitude": 25.505}
    total, rows = await store.find_responsible_squadron(PointQuery(**EVERYWHERE, **there, **PAGE))
    assert (total.total, total.covering, rows) == (0, 1, [])


async def gives_posts_of_either_kind(store: SpatialStore) -> None:
    asked = {**EVERYWHERE, **INSIDE, **PAGE, "radius_m": None}
    _, rows = await store.find_command_posts(PostQuery(**asked, kind=None))
    assert [(row.kind, row.elevation_m) for row in rows] == [("check_station", None), ("lookout", 612.0)]
    total, rows = await store.find_command_posts(PostQuery(**asked, kind="lookout"))
    assert (total.total, keys(rows)) == (1, [("lookout", 1)])


async def gives_passages_with_length_and_nearest_point(store: SpatialStore) -> None:
    asked = {**EVERYWHERE, **INSIDE, **PAGE, "radius_m": None}
    _, rows = await store.find_access_routes(RouteQuery(**asked, min_width_m=None))
    assert [(row.id, row.location_kind, row.longitude) for row in rows] == [
        (1, "line_start", 118.701), (2, "line_start", 118.721),
    ]  # fmt: skip
    assert 1190 < rows[0].length_m < 1210
    assert abs(rows[0].nearest_longitude - 118.7085) < 0.0005
    _, rows = await store.find_access_routes(RouteQuery(**asked, min_width_m=3.5))
    assert keys(rows) == [("fire_passage", 1)]


async def tells_risk_areas_that_cover_from_those_near(store: SpatialStore) -> None:
    there: dict[str, Any] = {"longitude": 118.7225, "latitude": 25.4025}
    total, rows = await store.find_risk_areas(RiskQuery(**EVERYWHERE, **there, **PAGE, radius_m=2000))
    assert total.total == 2
    assert [(row.kind, row.relation, row.type, row.area_ha) for row in rows] == [
        ("forest_works", "covers", "采石场", None), ("burial_ground", "near", None, 1.1),
    ]  # fmt: skip
    assert rows[0].distance_m == 0


async def finds_exact_names_before_prefixes_before_similar(store: SpatialStore) -> None:
    _, rows = await store.search_places(named("坝下村"))
    assert {(row.match, row.matched) for row in rows} == {("exact", "village")}
    _, rows = await store.search_places(named("坝下水库"))
    assert (rows[0].name, rows[0].match, rows[0].matched) == ("坝下水库", "exact", "name")
    assert [row.match for row in rows] == sorted(row.match for row in rows)
    _, rows = await store.search_places(named("龙山"))
    assert (rows[0].name, rows[0].match) == ("龙山溪", "prefix")
    _, rows = await store.search_places(named("采石场"))
    assert [(row.name, row.match, row.matched) for row in rows] == [("龙山采石场", "similar", "name")]


async def finds_by_town_and_narrows_by_town_and_kind(store: SpatialStore) -> None:
    total, rows = await store.search_places(named(YOUYANG, limit=3))
    assert (total.total, len(rows)) == (7, 3)
    assert {row.matched for row in rows} == {"town"}
    total, _ = await store.search_places(named("坝下", spellings=[YOUYANG]))
    assert total.total == 0
    total, rows = await store.search_places(named("坝下", kind="lookout"))
    assert (total.total, rows) == (0, [])


async def finds_no_name_of_another_town(store: SpatialStore) -> None:
    for name in ("龙山", YOUYANG, "龙山采石场", "山"):
        total, rows = await store.search_places(named(name, **IN_BANGTOU))
        assert (total.total, rows) == (0, [])


async def takes_signs_of_patterns_as_they_are(store: SpatialStore) -> None:
    for name in ("%", "_", "%%", "坝_", "\\", "坝%库", "'; --", "🔥🔥", "ﷺ"):
        total, _ = await store.search_places(named(name))
        assert total.total == 0


async def draws_only_what_may_be_seen(store: SpatialStore) -> None:
    asked: dict[str, Any] = {
        "kinds": ["fire_grid", "forest_works", "water_tank"],
        "ids": [1, 1, 1],
        "most": 4096,
    }
    rows = {row.kind: row for row in await store.read_shapes(ShapeQuery(**EVERYWHERE, **asked))}
    assert {kind: json.loads(row.shape)["type"] for kind, row in rows.items()} == {
        "fire_grid": "MultiPolygon", "forest_works": "MultiPolygon", "water_tank": "Point",
    }  # fmt: skip
    assert json.loads(rows["water_tank"].shape)["coordinates"] == [118.706, 25.406]
    seen = await store.read_shapes(ShapeQuery(**IN_BANGTOU, **asked))
    assert sorted(row.kind for row in seen) == ["fire_grid", "water_tank"]


CHECKS: Final[tuple[Check, ...]] = (
    gives_water_of_both_tables_nearest_first,
    leaves_out_what_holds_too_little_or_may,
    keeps_to_the_radius,
    counts_all_pages_and_past_the_last,
    sees_the_callers_towns_alone,
    gives_covering_grids_smallest_first,
    counts_the_boundary_as_inside,
    names_the_squadrons_of_covering_grids,
    names_the_squadron_of_the_nearest_grid_where_none_covers,
    names_no_squadron_where_the_covering_grid_has_none,
    gives_posts_of_either_kind,
    gives_passages_with_length_and_nearest_point,
    tells_risk_areas_that_cover_from_those_near,
    finds_exact_names_before_prefixes_before_similar,
    finds_by_town_and_narrows_by_town_and_kind,
    finds_no_name_of_another_town,
    takes_signs_of_patterns_as_they_are,
    draws_only_what_may_be_seen,
)
