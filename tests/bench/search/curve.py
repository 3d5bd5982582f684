"""What the usual calls cost as the rows grow."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from statistics import median
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tests.bench.search.desk import Desk, Spent
from vmk_mcp.listings.arguments import (
    HybridSearch,
    MetadataSearch,
    Pagination,
    SimilarSearch,
    SimilarToListing,
)
from vmk_mcp.listings.filters import Filters
from vmk_mcp.listings.queries import Vectors
from vmk_mcp.listings.results import SearchResult

_BRIEF: Final = Pagination(limit=20)
_ROUNDS: Final = 15


class Cost(Struct, frozen=True):
    """What one call costs in one database: medians of milliseconds; and what it answered."""

    cpu_ms: float
    wall_ms: float
    total: str = ""


Call = Callable[[Desk, int], Awaitable[object]]


def _by_meaning(queries: Vectors, filters: Filters) -> Call:
    search = SimilarSearch(
        query="q", filters=filters, pagination=_BRIEF, detail="brief", interpret=False, min_similarity=0.0
    )

    def call(desk: Desk, number: int) -> Awaitable[object]:
        desk.embedder.vector = queries[number % len(queries)]
        return desk.service.search_similar_listings(search, contacts=True)

    return call


def _fused(queries: Vectors) -> Call:
    search = HybridSearch(query="панорама дніпро", pagination=_BRIEF, detail="brief", interpret=False)

    def call(desk: Desk, number: int) -> Awaitable[object]:
        desk.embedder.vector = queries[number % len(queries)]
        return desk.service.hybrid_search(search, contacts=True)

    return call


def _by_metadata(search: MetadataSearch) -> Call:
    brief = replace(search, pagination=_BRIEF, detail="brief", interpret=False)
    return lambda desk, _: desk.service.search_by_metadata(brief, contacts=True)


def _like_listing(desk: Desk, number: int) -> Awaitable[object]:
    search = SimilarToListing(listing_id=7 + number, pagination=_BRIEF, detail="brief", min_similarity=0.0)
    return desk.service.get_similar_to_listing(search, contacts=True)


def _by_id(desk: Desk, number: int) -> Awaitable[object]:
    return desk.service.get_listing_by_id(1 + number, contacts=True)


def make_calls(queries: Vectors) -> Mapping[str, Call]:
    """Give the calls; the second argument of each is the number of the round."""
    flats = Filters(city=["Київ"], district=["Печерський"], deal_type=["rent_long"], rooms_count=[2])
    return {
        "by id": _by_id,
        "by meaning": _by_meaning(queries, Filters()),
        "by meaning, flats to rent in a district": _by_meaning(queries, flats),
        "like a listing": _like_listing,
        "fused": _fused(queries),
        "newest": _by_metadata(MetadataSearch()),
        "newest, flats to rent in a district": _by_metadata(MetadataSearch(filters=flats)),
        "newest, for sale": _by_metadata(MetadataSearch(filters=Filters(deal_type=["sale"]))),
        "cheapest, flats to rent in a district": _by_metadata(
            MetadataSearch(filters=flats, sort_by="price_asc")
        ),
        "by rare words": _by_metadata(MetadataSearch(query="панорама дніпро")),
        "by a part of a word": _by_metadata(MetadataSearch(query="анорамн")),
        "all, cheapest first": _by_metadata(MetadataSearch(sort_by="price_asc")),
        "all, counted": _by_metadata(MetadataSearch(exact_total=True)),
        "by common words": _by_metadata(MetadataSearch(query="квартира")),
    }


GROWING: Final = frozenset({"all, cheapest first", "all, counted", "by common words"})
"""Calls that look at every row that matches, and are not promised to stay flat."""


async def measure_curve(desk: Desk, queries: Vectors) -> dict[str, Cost]:
    """Time each call; rounds of all calls, so that a disturbance meets all of them."""
    calls = make_calls(queries)
    spent: dict[str, list[Spent]] = {name: [] for name in calls}
    totals: dict[str, str] = {}
    for number in range(_ROUNDS + 1):
        for name, call in calls.items():
            result, cost = await desk.time(partial(call, desk, number))
            if number:
                spent[name].append(cost)
            if isinstance(result, SearchResult):
                totals[name] = f"{result.total_relation} {result.total} {result.match} {result.search_path}"
    return {
        name: Cost(
            median(one.cpu_s for one in costs) * 1000,
            median(one.wall_s for one in costs) * 1000,
            totals.get(name, ""),
        )
        for name, costs in spent.items()
    }
