"""The ways of searching that are compared, and the real service that they search by."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from tests.fakes import RecordingObserver
from tests.integration.servers import quiet
from vmk_mcp.bootstrap.databases import LazySources
from vmk_mcp.bootstrap.listings import make_listings
from vmk_mcp.bootstrap.surroundings import Surroundings
from vmk_mcp.listings.arguments import HybridSearch, MetadataSearch, Pagination, SimilarSearch
from vmk_mcp.listings.results import SearchResult
from vmk_mcp.observe import Observers
from vmk_mcp.settings import read_settings
from vmk_mcp.tool import AnyTool, CallContext, Caller
from vmk_mcp.web.metrics import MetricsObserver

DEPTH: Final = 10
"""Listings that are looked at of each answer."""

Tools = Mapping[str, AnyTool]


class Mode(Struct, frozen=True):
    """One way of searching.

    Attributes:
        kind: `semantic`, `words` or `hybrid`.
        interprets: whether filters are read out of the wording.
    """

    kind: str
    interprets: bool

    @property
    def name(self) -> str:
        """As tables show it."""
        return f"{self.kind}, interpreted" if self.interprets else self.kind


class _Way(Struct, frozen=True):
    tool: str
    arguments: Callable[..., Struct]


_WAYS: Final = {
    "semantic": _Way("search_similar_listings", SimilarSearch),
    "words": _Way("search_by_metadata", MetadataSearch),
    "hybrid": _Way("hybrid_search", HybridSearch),
}
KINDS: Final = tuple(_WAYS)
MODES: Final = tuple(Mode(kind, interprets) for interprets in (False, True) for kind in KINDS)

_CONTEXT: Final = CallContext(Caller("eval"))


async def search(tools: Tools, mode: Mode, text: str) -> SearchResult:
    """Ask for the first `DEPTH` listings as a client does, with no filters and every default."""
    way = _WAYS[mode.kind]
    arguments = way.arguments(
        query=text, pagination=Pagination(limit=DEPTH), detail="brief", interpret=mode.interprets
    )
    result: SearchResult = await tools[way.tool].call(arguments, _CONTEXT)
    return result


@asynccontextmanager
async def opened_tools(folder: Path) -> AsyncIterator[Tools]:
    """Start the embedded server in `folder`, load the sample and give the family's tools, by name."""
    settings = read_settings({"DATA_DIR": str(folder)})
    sources = LazySources(settings, quiet)
    try:
        observers = Observers(RecordingObserver())
        family = make_listings(Surroundings(settings, sources, observers, MetricsObserver()))
        if family.lifespan is None:
            raise AssertionError("the listings family opens nothing")
        async with family.lifespan():
            yield {tool.name: tool for tool in family.offer.tools}
    finally:
        sources.close()
