"""Which way a search by vector takes: every passing row measured, or the index asked for candidates."""

from collections.abc import Awaitable, Callable
from typing import Any, Final, Generic, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from vmk_mcp.listings.filters import INT4_MAX, Criteria
from vmk_mcp.listings.model import Listing
from vmk_mcp.listings.results import SearchPath

CANDIDATES: Final = 200
"""Rows that approximate search takes for every page: 10 gave recall .59, 200 sorted again gave .99."""

CANDIDATES_RERANKED: Final = 500
"""Cosine candidates that are ordered again by another metric."""

_PROBED: Final = 48
"""Nearest rows that are looked at, in a fifth of the time of a search, to tell how many of them pass."""

# What the index costs as a share of the bound, that is in rows which the exact way measures in the same time:
# to begin with, and for each row that it brings, whether that passes or not. Measured on 100,000 rows of 768
# dimensions with vectors inline, where the bound is 20,000: 2 to 3 microseconds a row, 10 milliseconds to
# begin, 10 to 20 microseconds for each row brought.
_BEGINNING: Final = 0.16
_STEP: Final = 1 / 4000

# Where so few pass, as a share of the bound, a look at the nearest rows costs more than it can save; where so
# many of all pass, the index needs no such look.
_SURELY_FEW: Final = 0.15
_NEARLY_ALL: Final = 0.75

_WALKED: Final = 1 / 3
"""Rows that the index brings at most, as a share of those that pass: further on, each takes 7 microseconds.
So many cost about what measuring all would: a wrong turn takes twice the time, and not ten times."""

_PATIENCE: Final = 3
"""How many times the rows that were thought to be needed the index brings before it is left."""


class Examined(Protocol):
    """Head of a page that was found by vector."""

    @property
    def examined(self) -> int:
        """How many rows were measured, or how many candidates the index brought."""


HeadT = TypeVar("HeadT", bound=Examined)


class Routes(Struct, Generic[HeadT], frozen=True):
    """Both ways of one search, and what can be known before of the rows that pass its filters.

    Attributes:
        exact: measures every row that passes, up to `most` of them.
        approximate: takes `most` candidates out of at most `walked` rows that the index brings.
        estimate: gives the planner's guess of how many rows pass.
        probe: counts those that pass among the `most` nearest rows.
    """

    exact: Callable[[Any], Awaitable[tuple[HeadT, list[Listing]]]]
    approximate: Callable[[Any], Awaitable[tuple[HeadT, list[Listing]]]]
    estimate: Callable[[Criteria], Awaitable[int]]
    probe: Callable[[Any], Awaitable[int]]


class Extent(Struct, frozen=True):
    """How large the table is, and what is known of it.

    Attributes:
        total: its rows, as far as known.
        at_most: rows that can pass, by the counts of the values that the filters name.
        bound: the measure of the costs; see `LiveSchema.exact_bound`.
    """

    total: int
    at_most: int
    bound: int


async def find_by_vector(
    query: Criteria, routes: Routes[HeadT], extent: Extent, *, most: int
) -> tuple[HeadT, list[Listing], SearchPath]:
    """Take the way that costs less, and the other when it fails.

    Chosen by an estimate, which may be wrong, the exact way stops at twice the bound or the estimate. The
    index may bring too few: filters that have to do with the vector can leave nothing near it. Then every
    passing row is measured.

    Args:
        query: a struct with the fields `most` and `walked`, which are set here.
        routes: both ways.
        extent: of the table.
        most: candidates that the index is asked for.
    """
    passing = min(extent.total, extent.at_most)
    if passing > extent.bound * _SURELY_FEW:
        passing = min(passing, await routes.estimate(query))
    rate = await _find_rate(query, routes, extent, passing)
    steps = most / rate
    if passing <= extent.bound * (_BEGINNING + _STEP * steps):
        enough = 2 * max(extent.bound, passing)
        head, listings = await routes.exact(replace(query, most=enough + 1))
        if head.examined <= enough:
            return head, listings, "exact"
    walked = max(2 * most, int(min(passing * _WALKED, _PATIENCE * steps)))
    head, listings = await routes.approximate(replace(query, most=most, walked=walked))
    if head.examined >= most:
        return head, listings, "approximate"
    head, listings = await routes.exact(replace(query, most=INT4_MAX))
    return head, listings, "exact"


async def _find_rate(query: Criteria, routes: Routes[HeadT], extent: Extent, passing: int) -> float:
    """Tell which share of the rows passes near the vector, above 0; a guess where it does not matter."""
    share = max(passing, 1) / max(extent.total, 1)
    if passing <= extent.bound * _SURELY_FEW or share >= _NEARLY_ALL:
        return share
    hits = await routes.probe(replace(query, most=_PROBED))
    return (hits + 0.5) / (_PROBED + 1)
