"""What the tools and prompts show to clients, and that people's columns are read nowhere."""

from pathlib import Path
from typing import Any, Final

import msgspec.inspect as mi
import pytest

import vmk_mcp
from tests.fake_spatial_store import FakeSpatialStore
from tests.fakes import FakeClock
from tests.spatial_rows import BANGTOU, ROWS, YOUYANG
from vmk_mcp.errors import InvalidArguments
from vmk_mcp.protocol.kinds import locate
from vmk_mcp.spatial.service import SpatialService
from vmk_mcp.spatial.standing import LiveAudit
from vmk_mcp.spatial.tools import offer_spatial
from vmk_mcp.tool import AnyTool, CallContext, Caller

_STORE: Final = FakeSpatialStore(ROWS)
OFFER: Final = offer_spatial(SpatialService(_STORE, LiveAudit(_STORE, clock=FakeClock())))
COMPLETERS: Final = {one.argument: one for one in OFFER.completers}
TOOLS: Final = {tool.name: tool for tool in OFFER.tools}
PEOPLE: Final = ("wanggeyuan", "lianxidianhua", "zerenren", "dianhua", "zhibanrenyuan")
ROOM: Final = Path(vmk_mcp.__path__[0]) / "spatial"


def context(towns: Any) -> CallContext:
    return CallContext(Caller(name="test", rights=frozenset({"spatial"}), towns=towns))


def test_there_are_seven_tools() -> None:
    assert list(TOOLS) == [
        "search_places", "get_grid_context", "find_responsible_squadron", "find_water_sources",
        "find_command_posts", "find_access_routes", "find_risk_areas",
    ]  # fmt: skip


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_no_tool_takes_a_scope(tool: AnyTool) -> None:
    words = {"towns", "all_towns", "scope", "town_allowlist"}
    assert not words & {*tool.arguments.__struct_fields__, *tool.aliases}


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_every_alias_stands_for_an_argument_that_the_tool_has(tool: AnyTool) -> None:
    kind = mi.type_info(tool.arguments)
    assert [one for one in tool.aliases.values() if locate(kind, one.split(".")) is None] == []


@pytest.mark.parametrize("word", PEOPLE)
def test_no_file_of_the_family_names_a_column_of_people(word: str) -> None:
    files = [path for path in ROOM.rglob("*") if path.suffix in {".py", ".sql"}]
    assert len(files) > 20
    assert [path.name for path in files if word in path.read_text(encoding="utf-8")] == []


def test_physical_names_stand_in_no_result() -> None:
    for tool in TOOLS.values():
        assert "st_2_" not in repr(mi.type_info(tool.result))


async def test_the_scope_of_a_call_is_that_of_its_token() -> None:
    tool = TOOLS["find_water_sources"]
    arguments = tool.arguments(longitude=118.712, latitude=25.405)
    assert (await tool.call(arguments, context("all"))).total_count == 4
    assert (await tool.call(arguments, context(frozenset({BANGTOU})))).total_count == 2
    assert (await tool.call(arguments, context(frozenset()))).total_count == 0


async def test_towns_are_completed_within_the_scope() -> None:
    towns, systems = COMPLETERS["town"], COMPLETERS["crs"]
    assert await towns.complete("", context("all")) == [BANGTOU, YOUYANG]
    assert await towns.complete("榜", context("all")) == [BANGTOU]
    assert await towns.complete("游", context(frozenset({BANGTOU}))) == []
    assert await towns.complete("", context(frozenset())) == []
    assert await systems.complete("G", context("all")) == ["gcj02"]


async def test_places_are_completed_by_their_names_within_the_scope() -> None:
    places = COMPLETERS["place"]
    assert await places.complete("坝下水", context("all")) == ["坝下水库"]
    assert await places.complete(" 龙山水", context("all")) == ["龙山水罐"]
    assert await places.complete("龙山", context(frozenset({BANGTOU}))) == []
    assert await places.complete("坝下水", context(frozenset())) == []
    assert await places.complete("游洋", context("all")) == []
    assert await places.complete("", context("all")) == []
    assert await places.complete("\0", context("all")) == []
    assert await places.complete("山", context("all")) == []


async def test_a_name_that_several_records_bear_is_completed_once() -> None:
    twice = FakeSpatialStore([*ROWS, *ROWS])
    offer = offer_spatial(SpatialService(twice, LiveAudit(twice, clock=FakeClock())))
    places = next(one for one in offer.completers if one.argument == "place")
    assert await places.complete("坝下水库", context("all")) == ["坝下水库"]


def test_the_drill_briefing_has_a_named_place_found_first() -> None:
    (prompt,) = OFFER.prompts
    text = prompt.render({"longitude": "118.7", "latitude": "25.4", "place": "坝下水库"})
    assert "search_places (name: 坝下水库)" in str(text)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"longitude": "east", "latitude": "25.4"}, "longitude"),
        ({"longitude": "118.7", "latitude": "nan"}, "latitude"),
        ({"longitude": "118.7", "latitude": "25.4", "crs": "mercator"}, "crs"),
        ({"longitude": "25.4", "latitude": "118.7"}, "latitude"),
    ],
)
def test_a_drill_at_no_point_is_refused(given: dict[str, str], field: str) -> None:
    (prompt,) = OFFER.prompts
    with pytest.raises(InvalidArguments) as refused:
        prompt.render(given)
    assert refused.value.field == field


def test_the_drill_briefing_asks_for_each_tool_and_for_no_person() -> None:
    (prompt,) = OFFER.prompts
    text = prompt.render({"longitude": "118.7", "latitude": "25.4"})
    assert isinstance(text, str)
    assert [name for name in TOOLS if name not in text] == ["search_places"]
    assert "(crs: wgs84)" in text
    assert "Name no person and no telephone number" in text
