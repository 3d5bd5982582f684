"""One page of a list: which part was asked for, what was found, and how far the list can be walked."""

from msgspec import UNSET, Struct, UnsetType

from vmk_mcp.errors import InvalidArguments
from vmk_mcp.listings.arguments import DEFAULT_LIMIT, Pagination
from vmk_mcp.listings.model import Listing
from vmk_mcp.listings.queries import Measured
from vmk_mcp.listings.results import Match, SearchPath


class Slice(Struct, frozen=True):
    """The part of the list that was asked for."""

    limit: int
    offset: int


class Found(Struct, frozen=True):
    """What a search found.

    Attributes:
        total: rows of the list; at least so many where it is not complete.
        is_complete: `total` counts all that match.
        deepest: how many rows of the list are ranked, or None for all of them.
        text_search: the full-text configuration that was used.
        degraded: why the answer is less than it could be.
        hints: what the caller may want to change.
    """

    total: int
    listings: list[Listing]
    match: Match
    path: SearchPath = "exact"
    is_complete: bool = True
    deepest: int | None = None
    text_search: str | UnsetType = UNSET
    degraded: str | UnsetType = UNSET
    hints: list[str] = []


def take_slice(pagination: Pagination, most: int) -> Slice:
    """Read which part is wanted; raises `InvalidArguments` when it has more than `most` rows."""
    limit = min(DEFAULT_LIMIT, most) if pagination.limit is UNSET else pagination.limit
    if limit > most:
        raise InvalidArguments(
            f"The value of pagination.limit is {limit}, the most is {most} (MAX_LIMIT).",
            hint=f"Ask for {most} or fewer and walk on by offset.",
            field="pagination.limit",
        )
    return Slice(limit, pagination.offset)


def check_depth(page: Slice, most: int) -> None:
    """Raise `InvalidArguments` when a page reaches beyond the `most` candidates of an approximate search."""
    if page.offset + page.limit > most:
        raise InvalidArguments(
            f"The page reaches row {page.offset + page.limit}; so many listings pass that only the {most} "
            "nearest are ranked.",
            hint="Narrow the search with filters, or use search_by_metadata to walk through all of them.",
            field="pagination.offset",
        )


def find_next(found: Found, page: Slice) -> tuple[int | UnsetType, list[str]]:
    """Give the offset of the next page of the same size, if there is one, and what to say of the rest."""
    end = page.offset + len(found.listings)
    if not found.listings or end >= found.total:
        return UNSET, []
    if found.deepest is not None and end + page.limit > found.deepest:
        return UNSET, [
            f"only the {found.deepest} nearest are ranked; pagination.limit {found.deepest - end} at offset "
            f"{end} shows the last of them"
        ]
    return end, []


def threshold_hints(measured: Measured, path: SearchPath, max_distance: float) -> list[str]:
    """Say how many rows a similarity threshold took away, where that is known."""
    dropped = measured.examined - measured.total
    if path != "exact" or not dropped:
        return []
    least = f"{1 - max_distance / 2:.4g}"
    return [f"{dropped} more listings pass the filters but lie below min_similarity {least}"]
