"""What the family's tools and resources answer with."""

from datetime import date
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from vmk_mcp.listings.interpretation.merging import QueryInterpretation
from vmk_mcp.listings.model import Listing, ListingCard, PriceBasis

SearchPath = Literal["exact", "approximate"]
Match = Literal["meaning", "words", "substring", "filters", "hybrid"]


class SearchResult(Struct, frozen=True):
    """One page of listings.

    Attributes:
        total: listings that match; at least so many where `total_relation` is `gte`.
        search_path: `exact` (every passing row was looked at) or `approximate` (HNSW).
        match: what found the rows: `meaning`, `words`, `substring`, `filters` or `hybrid`.
        text_search: name of the full-text configuration that was used.
        query_interpretation: what the query was taken to mean as filters.
        degraded: why the answer is less than it could be: `embedding_unavailable` (words alone were
            searched) or `incomplete_index_scan` (a pgvector before 0.8 may miss rows under filters).
        hints: what the caller may want to change, in sentences.
    """

    total: int
    total_relation: Literal["eq", "gte"]
    limit: int
    offset: int
    has_more: bool
    search_path: SearchPath
    match: Match
    listings: list[Listing]
    next_offset: int | UnsetType = UNSET
    price_basis: PriceBasis | UnsetType = UNSET
    text_search: str | UnsetType = UNSET
    query_interpretation: QueryInterpretation | UnsetType = UNSET
    degraded: str | UnsetType = UNSET
    hints: list[str] | UnsetType = UNSET


class Comparison(Struct, frozen=True):
    """Listings side by side, in the order in which they were asked for.

    Attributes:
        missing: ids that no listing has.
        differing: names of the fields in which the listings are not all alike.
    """

    listings: list[ListingCard]
    missing: list[int]
    differing: list[str]


class Figures(Struct, frozen=True):
    """Quartiles of `count` values."""

    count: int
    lower_quartile: float
    median: float
    upper_quartile: float


class MarketGroup(Struct, frozen=True, omit_defaults=True):
    """One group in one currency; figures are absent where no listing has what they rest on.

    Attributes:
        group: the group's value, null where it is not known or no grouping was asked for.
        price: in `currency`; a month's or a night's where the deal is a rent.
        price_per_m2: in `currency` for a square metre of the total area.
    """

    group: str | None
    currency: str | None
    listings: int
    price: Figures | UnsetType = UNSET
    price_per_m2: Figures | UnsetType = UNSET


class MarketSummary(Struct, frozen=True, omit_defaults=True):
    """Prices of the listings that pass the filters, largest group first.

    Attributes:
        groups_left_out: groups beyond those shown.
    """

    listings: int
    groups: list[MarketGroup]
    group_by: str | UnsetType = UNSET
    groups_left_out: int = 0
    price_basis: PriceBasis | UnsetType = UNSET
    hints: list[str] | UnsetType = UNSET


class PriceRange(Struct, frozen=True):
    """Prices of the active listings of one deal type in one currency; null where none has a price."""

    deal_type: str | None
    currency: str | None
    listings: int
    lowest: float | None
    median: float | None
    highest: float | None


class DatabaseOverview(Struct, frozen=True):
    """What the database holds.

    Attributes:
        by_status: listings by status.
        top_cities: the ten cities with the most listings, of any status.
        newest: publish_date of the newest active listing.
    """

    listings: int
    by_status: dict[str, int]
    price_ranges: list[PriceRange]
    top_cities: dict[str, int]
    newest: date | None
