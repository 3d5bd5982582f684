"""Walking through the pages of a list: whether they are one list, to its end."""

from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import Struct, UnsetType
from msgspec.structs import replace

from tests.bench.search.desk import Desk
from vmk_mcp.listings.arguments import HybridSearch, MetadataSearch, Pagination, SimilarSearch
from vmk_mcp.listings.filters import Filters
from vmk_mcp.listings.queries import Vector
from vmk_mcp.listings.results import SearchResult

PAGE: Final = 8
APPROXIMATE_PAGES: Final = 25
FULL_PAGES: Final = 100

_LARGE: Final = 100


class Walk(Struct, frozen=True):
    """What the pages of one list held.

    Attributes:
        wanted: pages that were to be walked.
        pages: pages that were walked before the list said that it ended.
        path: the path and what was matched, as each page said.
        doubles: listings that came twice.
        gaps: listings that the same list in large pages holds and the walk did not, or in another place.
        empty: pages without a listing, before the end.
    """

    name: str
    wanted: int
    pages: int
    path: set[str]
    doubles: int
    gaps: int
    empty: int


async def walk_all(desk: Desk, vector: Vector) -> list[Walk]:
    """Walk by meaning along both paths, fused, by words, and by filters in two orders."""
    desk.embedder.vector = vector
    service = desk.service

    def by_meaning(filters: Filters) -> "_Ask":
        return lambda page: service.search_similar_listings(
            SimilarSearch(
                query="q",
                filters=filters,
                pagination=page,
                min_similarity=0.0,
                detail="brief",
                interpret=False,
            ),
            contacts=True,
        )

    def by_metadata(search: MetadataSearch) -> "_Ask":
        return lambda page: service.search_by_metadata(
            replace(search, pagination=page, detail="brief", interpret=False), contacts=True
        )

    async def fused(page: Pagination) -> SearchResult:
        search = HybridSearch(query="простора квартира", pagination=page, detail="brief", interpret=False)
        return await service.hybrid_search(search, contacts=True)

    sale = Filters(deal_type=["sale"], rooms_count=[2])
    return [
        await _walk("by meaning, many pass", by_meaning(Filters()), APPROXIMATE_PAGES),
        await _walk("by meaning, few pass", by_meaning(Filters(city=["Полтава"])), FULL_PAGES),
        await _walk("fused", fused, APPROXIMATE_PAGES),
        await _walk("by words", by_metadata(MetadataSearch(query="простора квартира")), FULL_PAGES),
        await _walk("by a part of a word", by_metadata(MetadataSearch(query="вартир")), FULL_PAGES),
        await _walk("by filters, newest first", by_metadata(MetadataSearch(filters=sale)), FULL_PAGES),
        await _walk(
            "by filters, cheapest first",
            by_metadata(MetadataSearch(filters=sale, sort_by="price_asc")),
            FULL_PAGES,
        ),
    ]


_Ask = Callable[[Pagination], Awaitable[SearchResult]]


async def _walk(name: str, ask: _Ask, pages: int) -> Walk:
    walked, paths, empty, offset, taken = list[int](), set[str](), 0, 0, 0
    while taken < pages:
        result = await ask(Pagination(limit=PAGE, offset=offset))
        taken += 1
        paths.add(f"{result.match}, {result.search_path}")
        walked += [listing.id for listing in result.listings]
        empty += not result.listings
        if isinstance(result.next_offset, UnsetType):
            break
        offset = result.next_offset
    whole = list[int]()
    while len(whole) < len(walked):
        result = await ask(Pagination(limit=_LARGE, offset=len(whole)))
        whole += [listing.id for listing in result.listings]
        if not result.listings:
            break
    gaps = sum(ours != theirs for ours, theirs in zip(walked, whole, strict=False))
    return Walk(name, pages, taken, paths, len(walked) - len(set(walked)), gaps, empty)
