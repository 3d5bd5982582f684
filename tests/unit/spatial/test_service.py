"""The answers' envelope: pages, totals, warnings, notes, points, and what is refused."""

from math import inf, nan
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from tests.fake_spatial_store import FakeSpatialStore
from tests.fakes import FakeClock
from tests.spatial_rows import BANGTOU, ROWS, YOUYANG, point
from vmk_mcp.database.failures import translate
from vmk_mcp.errors import InvalidArguments, NotOffered, StoreUnavailable
from vmk_mcp.spatial.arguments import (
    GridQuestion,
    PlaceSearch,
    PostSearch,
    RiskSearch,
    RouteSearch,
    SquadronQuestion,
    WaterSearch,
)
from vmk_mcp.spatial.queries import Unusable
from vmk_mcp.spatial.scope import Scope
from vmk_mcp.spatial.service import SpatialService
from vmk_mcp.spatial.standing import LiveAudit
from vmk_mcp.tool import Readiness

EVERYWHERE = Scope(all_towns=True)
IN_BANGTOU = Scope(all_towns=False, towns=frozenset({BANGTOU}))
INSIDE: dict[str, Any] = {"longitude": 118.712, "latitude": 25.405}


@pytest.fixture
def store() -> FakeSpatialStore:
    return FakeSpatialStore(ROWS)


@pytest.fixture
def service(store: FakeSpatialStore) -> SpatialService:
    return SpatialService(store, LiveAudit(store, clock=FakeClock()))


async def test_a_page_says_where_the_next_begins(service: SpatialService) -> None:
    answer = await service.find_water_sources(WaterSearch(**INSIDE, limit=3), EVERYWHERE)
    assert (answer.status, answer.result_count, answer.total_count) == ("ok", 3, 4)
    assert (answer.has_more, answer.next_offset) == (True, 3)


async def test_the_last_page_says_nothing_of_a_next(service: SpatialService) -> None:
    answer = await service.find_water_sources(WaterSearch(**INSIDE, limit=3, offset=3), EVERYWHERE)
    assert (answer.result_count, answer.total_count) == (1, 4)
    assert (answer.has_more, answer.next_offset) == (False, UNSET)


async def test_past_the_end_there_are_no_rows_and_the_true_total(service: SpatialService) -> None:
    answer = await service.find_water_sources(WaterSearch(**INSIDE, offset=10_000), EVERYWHERE)
    assert (answer.status, answer.data, answer.result_count, answer.total_count) == ("ok", [], 0, 4)
    assert (answer.has_more, answer.next_offset) == (False, UNSET)


async def test_beyond_the_largest_offset_no_next_page_is_offered() -> None:
    rows = [point("lookout", n, f"哨{n}", BANGTOU, (118.7, 25.4)) for n in range(10_030)]
    store = FakeSpatialStore(rows)
    service = SpatialService(store, LiveAudit(store, clock=FakeClock()))
    search = PostSearch(**INSIDE, limit=20, offset=9_980)
    answer = await service.find_command_posts(search, EVERYWHERE)
    assert (answer.has_more, answer.next_offset) == (True, 10_000)
    answer = await service.find_command_posts(replace(search, offset=9_990), EVERYWHERE)
    assert (answer.has_more, answer.next_offset, answer.total_count) == (True, UNSET, 10_030)


async def test_nothing_found_is_ok(service: SpatialService) -> None:
    answer = await service.find_risk_areas(RiskSearch(longitude=0, latitude=0), EVERYWHERE)
    assert (answer.status, answer.data, answer.total_count) == ("ok", [], 0)


async def test_every_tool_around_a_point_says_that_it_tells_nearness_only(service: SpatialService) -> None:
    answers = [
        await service.get_grid_context(GridQuestion(**INSIDE), EVERYWHERE),
        await service.find_responsible_squadron(SquadronQuestion(**INSIDE), EVERYWHERE),
        await service.find_water_sources(WaterSearch(**INSIDE), EVERYWHERE),
        await service.find_command_posts(PostSearch(**INSIDE), EVERYWHERE),
        await service.find_access_routes(RouteSearch(**INSIDE), EVERYWHERE),
        await service.find_risk_areas(RiskSearch(**INSIDE), EVERYWHERE),
    ]
    for answer in answers:
        assert "nothing is known of roads, terrain, fire, weather or traffic" in answer.notes[0]
        assert answer.data


async def test_a_representative_point_is_said_to_be_no_drill_point(service: SpatialService) -> None:
    found = await service.search_places(PlaceSearch(name="坝下网格"), EVERYWHERE)
    assert found.data[0].location_kind == "representative_point"
    assert "no confirmed drill point" in found.notes[0]
    grids = await service.get_grid_context(GridQuestion(**INSIDE), EVERYWHERE)
    assert any("no confirmed drill point" in note for note in grids.notes)


async def test_the_nearest_grids_squadron_is_marked_and_noted(service: SpatialService) -> None:
    answer = await service.find_responsible_squadron(
        SquadronQuestion(longitude=118.76, latitude=25.41), EVERYWHERE
    )
    assert [row.relation for row in answer.data] == ["nearest"]
    assert any("not established" in note for note in answer.notes)


async def test_a_covering_grid_without_a_squadron_is_told(service: SpatialService) -> None:
    answer = await service.find_responsible_squadron(
        SquadronQuestion(longitude=118.805, latitude=25.505), EVERYWHERE
    )
    assert answer.data == []
    assert any("no squadron is on record" in note for note in answer.notes)


async def test_a_point_is_echoed_in_wgs_84(service: SpatialService) -> None:
    answer = await service.get_grid_context(GridQuestion(**INSIDE, crs="gcj02"), EVERYWHERE)
    assert answer.point.given_crs == "gcj02"
    assert answer.point.longitude == pytest.approx(118.7073, abs=1e-3)
    answer = await service.get_grid_context(GridQuestion(**INSIDE, crs="cgcs2000"), EVERYWHERE)
    assert (answer.point.longitude, answer.point.latitude) == (118.712, 25.405)


async def test_a_chinese_system_outside_china_is_warned_of(service: SpatialService) -> None:
    answer = await service.get_grid_context(GridQuestion(longitude=30, latitude=50, crs="bd09"), EVERYWHERE)
    assert answer.warnings == ["bd09 is a system of maps of China alone; the point was taken as WGS 84."]


@pytest.mark.parametrize("value", [nan, inf, -inf, 180.0001, -180.0001, 1e308])
async def test_a_longitude_that_is_none_is_refused(service: SpatialService, value: float) -> None:
    with pytest.raises(InvalidArguments, match="Longitude must be a number from -180 to 180") as caught:
        await service.get_grid_context(GridQuestion(longitude=value, latitude=25), EVERYWHERE)
    assert caught.value.field == "longitude"
    assert "swapped" not in caught.value.hint


@pytest.mark.parametrize("value", [nan, inf, -inf, 90.0001, -90.0001])
async def test_a_latitude_that_is_none_is_refused(service: SpatialService, value: float) -> None:
    with pytest.raises(InvalidArguments, match="Latitude must be a number from -90 to 90") as caught:
        await service.find_water_sources(WaterSearch(longitude=118, latitude=value), EVERYWHERE)
    assert caught.value.field == "latitude"


async def test_a_swapped_pair_is_told_with_the_county_where_the_caller_sees_it(
    service: SpatialService,
) -> None:
    await service.list_towns(EVERYWHERE)
    swapped = WaterSearch(longitude=25.405, latitude=118.712)
    with pytest.raises(InvalidArguments) as caught:
        await service.find_water_sources(swapped, EVERYWHERE)
    assert caught.value.hint == (
        "The pair looks swapped: try longitude 118.712, latitude 25.405, which lies in the county."
    )
    with pytest.raises(InvalidArguments) as caught:
        await service.find_water_sources(swapped, Scope(all_towns=False))
    assert caught.value.hint == "The pair looks swapped: try longitude 118.712, latitude 25.405."


@pytest.mark.parametrize(
    ("longitude", "latitude", "words"),
    [
        (180.0000001, 25.4, "180.0000001 is not"),
        (25.4051234, 118.7123456, "try longitude 118.7123456, latitude 25.4051234"),
    ],
)
async def test_a_refused_number_is_told_to_its_last_digit(
    service: SpatialService, longitude: float, latitude: float, words: str
) -> None:
    with pytest.raises(InvalidArguments) as caught:
        await service.find_water_sources(WaterSearch(longitude=longitude, latitude=latitude), EVERYWHERE)
    assert words in f"{caught.value.message} {caught.value.hint}"


async def test_a_swapped_pair_that_is_a_place_on_earth_is_warned_of() -> None:
    rows = [
        point("lookout", 1, "哨", BANGTOU, (30.5, 50.4)),
        point("lookout", 2, "哨", YOUYANG, (40.5, 60.4)),
    ]
    store = FakeSpatialStore(rows)
    service = SpatialService(store, LiveAudit(store, clock=FakeClock()))
    swapped = PostSearch(longitude=60.4, latitude=40.5)
    assert "look swapped" in (await service.find_command_posts(swapped, EVERYWHERE)).warnings[0]
    assert (await service.find_command_posts(swapped, IN_BANGTOU)).warnings == []


async def test_a_fault_of_the_tables_closes_every_tool_with_its_reason(
    service: SpatialService, store: FakeSpatialStore
) -> None:
    store.tables = [replace(one, srids=[4490]) for one in store.tables if one.kind == "water_tank"]
    with pytest.raises(NotOffered, match="water_tank: SRID 4490 instead of 4326"):
        await service.get_grid_context(GridQuestion(**INSIDE), EVERYWHERE)
    with pytest.raises(NotOffered, match="water_tank: SRID 4490"):
        await service.search_places(PlaceSearch(name="坝下"), EVERYWHERE)
    assert (await service.readiness()).status == "unavailable"


async def test_a_store_that_is_down_is_told_by_calls_and_readiness(
    service: SpatialService, store: FakeSpatialStore
) -> None:
    store.failure = translate(ConnectionRefusedError())
    with pytest.raises(StoreUnavailable):
        await service.find_water_sources(WaterSearch(**INSIDE), EVERYWHERE)
    assert await service.readiness() == Readiness("unavailable", (store.failure.message,))
    store.failure = None
    assert (await service.readiness()).status == "ok"


async def test_unusable_records_are_warned_of_where_the_caller_would_see_them(
    service: SpatialService, store: FakeSpatialStore
) -> None:
    store.unusable = [
        Unusable("water_tank", YOUYANG, "empty", 2, [8, 9]),
        Unusable("burial_ground", BANGTOU, "Self-intersection", 1, [7]),
    ]
    water = await service.find_water_sources(WaterSearch(**INSIDE), EVERYWHERE)
    assert water.warnings == [
        "2 records have an empty or invalid geometry and cannot be found; results may be incomplete."
    ]
    sources = await service.find_water_sources(WaterSearch(**INSIDE, kind="water_source"), EVERYWHERE)
    assert sources.warnings == []
    assert (await service.find_water_sources(WaterSearch(**INSIDE), IN_BANGTOU)).warnings == []
    places = await service.search_places(PlaceSearch(name="坝下"), IN_BANGTOU)
    assert places.warnings[0].startswith("1 record has")


async def test_a_token_without_towns_is_told_why_it_sees_nothing(service: SpatialService) -> None:
    answer = await service.find_water_sources(WaterSearch(**INSIDE), Scope(all_towns=False))
    assert (answer.data, answer.total_count) == ([], 0)
    assert "This token may see no town" in answer.warnings[0]


async def test_who_sees_some_towns_is_told_that_only_they_are_searched(service: SpatialService) -> None:
    told = "Only records of this token's towns are searched; nothing is said of any other town."
    for scope, is_told in ((EVERYWHERE, False), (IN_BANGTOU, True), (Scope(all_towns=False), False)):
        water = await service.find_water_sources(WaterSearch(**INSIDE), scope)
        places = await service.search_places(PlaceSearch(name="坝下"), scope)
        assert (told in water.notes, told in places.notes) == (is_told, is_told)


async def test_geometry_comes_only_when_asked_for(service: SpatialService) -> None:
    plain = await service.find_access_routes(RouteSearch(**INSIDE), EVERYWHERE)
    assert plain.data[0].geometry is UNSET
    drawn = await service.find_access_routes(RouteSearch(**INSIDE, geometry="geojson"), EVERYWHERE)
    assert drawn.data[0].geometry == {
        "type": "LineString", "coordinates": [[118.701, 25.401], [118.709, 25.409]],
    }  # fmt: skip
    assert drawn.data[0].geometry_detail == "exact"
    assert "4,096 bytes" in drawn.notes[-1]
    assert not any("4,096" in note for note in plain.notes)


async def test_a_town_may_be_given_without_its_suffix(service: SpatialService) -> None:
    answer = await service.search_places(PlaceSearch(name="坝下", town="榜头"), EVERYWHERE)
    assert answer.total_count == 7
    answer = await service.search_places(PlaceSearch(name="坝下", town="游洋"), EVERYWHERE)
    assert answer.total_count == 0


@pytest.mark.parametrize("given", [{"name": " "}, {"name": "坝下", "town": "\u3000"}])
async def test_a_blank_name_or_town_is_refused(service: SpatialService, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidArguments, match="must hold at least one character"):
        await service.search_places(PlaceSearch(**given), EVERYWHERE)
