"""What the tools and prompts show to clients, and that people's columns are read nowhere."""

from pathlib import Path
from typing import Any, Final

import msgspec.inspect as mi
import pytest

import vmk_mcp
from tests.fake_spatial_store import FakeSpatialStore
from tests.fakes import FakeClock
from tests.spatial_rows import BANGTOU, ROWS, YOUYANG
from vmk_mcp.protocol.kinds import locate
from vmk_mcp.spatial.service import SpatialService
from vmk_mcp.spatial.standing import LiveAudit
from vmk_mcp.spatial.tools import offer_spatial
from vmk_mcp.tool import AnyTool, CallContext, Caller

_STORE: Final = FakeSpatialStore(ROWS)
OFFER: Final = offer_spatial(SpatialService(_STORE, LiveAudit(_STORE, clock=FakeClock())))
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
    (towns, systems) = OFFER.completers
    assert await towns.complete("", context("all")) == [BANGTOU, YOUYANG]
    assert await towns.complete("榜", context("all")) == [BANGTOU]
    assert await towns.complete("游", context(frozenset({BANGTOU}))) == []
    assert await towns.complete("", context(frozenset())) == []
    assert await systems.complete("G", context("all")) == ["gcj02"]


def test_the_drill_briefing_asks_for_each_tool_and_for_no_person() -> None:
    (prompt,) = OFFER.prompts
    text = prompt.render({"longitude": "118.7", "latitude": "25.4"})
    assert isinstance(text, str)
    assert [name for name in TOOLS if name not in text] == ["search_places"]
    assert "(crs: wgs84)" in text
    assert "Name no person and no telephone number" in text
