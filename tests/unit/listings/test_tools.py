"""What a client may call the arguments of the family's tools."""

from typing import Final

import msgspec
import msgspec.inspect as mi
import pytest

from tests.fake_listing_store import FakeListingStore
from tests.fake_services import make_service
from tests.fakes import FakeClock
from vmk_mcp.listings.tools import offer_listings
from vmk_mcp.listings.values import LiveValues
from vmk_mcp.protocol.arguments import ArgumentsReader
from vmk_mcp.protocol.kinds import locate
from vmk_mcp.tool import AnyTool

_STORE: Final = FakeListingStore([])
TOOLS: Final = {
    tool.name: tool
    for tool in offer_listings(make_service(_STORE), LiveValues(_STORE, clock=FakeClock())).tools
}


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_every_alias_stands_for_an_argument_that_the_tool_has(tool: AnyTool) -> None:
    kind = mi.type_info(tool.arguments)
    assert [one for one in tool.aliases.values() if locate(kind, one.split(".")) is None] == []


def test_an_argument_that_a_tool_lacks_is_dropped_under_the_name_that_the_caller_wrote() -> None:
    reader = ArgumentsReader(TOOLS["summarize_market"])
    _, dropped = reader.read(msgspec.Raw(b'{"limit":5,"filters":{"min_area":40}}'), drop_unknown=True)
    assert dropped == ("limit",)


def test_a_page_may_be_asked_for_beside_the_other_arguments() -> None:
    reader = ArgumentsReader(TOOLS["get_similar_to_listing"])
    read, _ = reader.read(msgspec.Raw(b'{"listing_id":7,"limit":5,"offset":10}'), drop_unknown=True)
    assert msgspec.to_builtins(read)["pagination"] == {"limit": 5, "offset": 10}
