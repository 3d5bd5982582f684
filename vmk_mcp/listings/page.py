"""One page of a list: which part was asked for, what was found, and how far the list can be walked."""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from vmk_mcp.errors import InvalidArguments
from vmk_mcp.listings.arguments import DEFAULT_LIMIT, Pagination
from vmk_mcp.listings.model import Listing
from vmk_mcp.listings.queries import Measured, SimilarQuery

SearchPath = Literal["exact", "approximate"]


class Slice(Struct, frozen=True):
    """The part of the list that was asked for."""

    limit: int
    offset: int


class Found(Struct, frozen=True):
    """What a search found; `deepest` is how many rows of the list are ranked, or None for all of them."""

    total: int
    listings: list[Listing]
    match: Literal["meaning", "words", "substring", "filters"]
    path: SearchPath = "exact"
    deepest: int | None = None


def take_slice(pagination: Pagination, most: int) -> Slice:
    """Read which part is wanted; raises `InvalidArguments` when it has more than `most` rows."""
    limit = min(DEFAULT_LIMIT, most) if pagination.limit is UNSET else pagination.limit
    if limit > most:
        raise InvalidArguments(
            f"pagination.limit is {limit}, the most is {most} (MAX_LIMIT)",
            hint=f"ask for {most} or fewer and walk on by offset",
            field="pagination.limit",
        )
    return Slice(limit, pagination.offset)


def check_depth(query: SimilarQuery) -> None:
    """Raise `InvalidArguments` when a page reaches beyond the candidates of an approximate search."""
    if query.offset + query.limit > query.most:
        raise InvalidArguments(
            f"pagination reaches row {query.offset + query.limit}; so many listings pass that only the "
            f"{query.most} nearest are ranked",
            hint="narrow the search with filters, or use search_by_metadata to walk through all of them",
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


def threshold_hints(measured: Measured, path: SearchPath, min_similarity: float) -> list[str]:
    """Say how many rows a similarity threshold took away, where that is known."""
    dropped = measured.examined - measured.total
    if path != "exact" or not dropped:
        return []
    return [f"{dropped} more listings pass the filters but lie below min_similarity {min_similarity:g}"]
