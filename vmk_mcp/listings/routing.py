"""Which way a search by vector takes: every passing row measured, or the index asked for candidates."""

from collections.abc import Awaitable, Callable
from typing import Any, Final, Generic, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from vmk_mcp.listings.filters import Criteria
from vmk_mcp.listings.model import Listing
from vmk_mcp.listings.results import SearchPath

CANDIDATES: Final = 200
"""Rows that approximate search takes for every page: 10 gave recall .59, 200 sorted again gave .99."""

CANDIDATES_RERANKED: Final = 500
"""Cosine candidates that are ordered again by another metric."""


class Examined(Protocol):
    """Head of a page that was found by vector."""

    @property
    def examined(self) -> int:
        """How many rows were measured, or how many candidates the index brought."""


HeadT = TypeVar("HeadT", bound=Examined)


class Routes(Struct, Generic[HeadT], frozen=True):
    """Both ways of one search, and the planner's guess of how many rows pass its filters."""

    exact: Callable[[Any], Awaitable[tuple[HeadT, list[Listing]]]]
    approximate: Callable[[Any], Awaitable[tuple[HeadT, list[Listing]]]]
    estimate: Callable[[Criteria], Awaitable[int]]


async def find_by_vector(
    query: Criteria, routes: Routes[HeadT], *, most: int, bound: int, total: int
) -> tuple[HeadT, list[Listing], SearchPath]:
    """Take the exact way where few rows pass, the index where many do, and the other when one fails.

    Args:
        query: a struct with a field `most`, which is set here.
        routes: both ways.
        most: candidates that the index is asked for.
        bound: up to how many rows the exact way is the better one; it stops at twice that many.
        total: rows of the table, as far as known.
    """
    exact = replace(query, most=2 * bound + 1)
    looks_small = total <= bound or await routes.estimate(query) <= bound
    if looks_small:
        head, listings = await routes.exact(exact)
        if head.examined <= 2 * bound:
            return head, listings, "exact"
    head, listings = await routes.approximate(replace(query, most=most))
    if head.examined < most and not looks_small:
        complete, rows = await routes.exact(exact)
        if complete.examined <= 2 * bound:
            return complete, rows, "exact"
    return head, listings, "approximate"
