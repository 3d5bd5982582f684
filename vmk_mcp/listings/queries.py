"""What goes into the SQL files and the rows that are not shown to clients as they are."""

from datetime import date
from decimal import Decimal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from vmk_mcp.listings.filters import INT4_MAX, Criteria

Vector = NDArray[np.float32]
"""Shape (768,)."""

Vectors = NDArray[np.float32]
"""Shape (n, 768), one vector a row."""


class SimilarQuery(Criteria, frozen=True, kw_only=True):
    """A search by meaning.

    `most` bounds the rows examined (exact), the candidates (approximate) or the nearest rows looked at
    (probe); `walked` the rows that the index brings before the filters.
    """

    embedding: Vector
    max_distance: float
    metric: str
    limit: int
    offset: int
    contacts: bool
    full: bool
    excluded_id: int | None = None
    most: int = 0
    walked: int = INT4_MAX


class FilterQuery(Criteria, frozen=True, kw_only=True):
    """A sorted page of what passes; `rates` are units of `rate_currencies` for one common unit."""

    sort_by: str
    rate_currencies: list[str]
    rates: list[Decimal]
    limit: int
    offset: int
    contacts: bool
    full: bool


class NewestQuery(Criteria, frozen=True, kw_only=True):
    """The newest of what passes, read no further than the page."""

    limit: int
    offset: int
    contacts: bool
    full: bool


class WordQuery(FilterQuery, frozen=True, kw_only=True):
    """The same, of listings that hold all words of `query` (normalised) or of `raw_query` (as typed)."""

    configuration: str
    query: str
    raw_query: str


class SubstringQuery(FilterQuery, frozen=True, kw_only=True):
    """The same, of listings whose text fits the LIKE `pattern`."""

    pattern: str


class HybridQuery(Criteria, frozen=True, kw_only=True):
    """A search by meaning and by words; `depth` rows of each are fused. See `SimilarQuery`, `WordQuery`."""

    embedding: Vector
    max_distance: float
    configuration: str
    query: str
    raw_query: str
    depth: int
    limit: int
    offset: int
    contacts: bool
    full: bool
    most: int = 0
    walked: int = INT4_MAX


class MarketQuery(Criteria, frozen=True, kw_only=True):
    """Prices of what passes, by `group_by` (null: one group); `most` groups.

    `spellings` are those of names written in several ways, `spelled` the name that each one's group has.
    """

    group_by: str | None
    most: int
    spellings: list[str]
    spelled: list[str]


class UnpricedQuery(Criteria, frozen=True, kw_only=True):
    """Listings that pass, but are priced in none of `priced_currencies`."""

    priced_currencies: list[str]


class IdQuery(Struct, frozen=True):
    """One listing; `contacts` says whether people's contacts are read."""

    listing_id: int
    contacts: bool


class IdsQuery(Struct, frozen=True):
    """Several listings."""

    listing_ids: list[int]
    contacts: bool


class ListingKey(Struct, frozen=True):
    """Which listing."""

    listing_id: int


class PickQuery(Struct, frozen=True):
    """How many rows to pick."""

    limit: int


class Measured(Struct, frozen=True):
    """Head of a page by meaning: rows examined, and those of them within the distance."""

    examined: int
    total: int


class Matched(Struct, frozen=True):
    """Head of a page by words or filters."""

    total: int


class Seen(Struct, frozen=True):
    """Head of a page that is read no further: rows up to its end, and one more where there is one."""

    seen: int


class Fused(Struct, frozen=True):
    """Head of a fused page: rows examined by meaning, rows of each branch, and of both.

    `unheld` are words of the query that no listing holds, passing or not.
    """

    examined: int
    by_meaning: int
    by_words: int
    total: int
    unheld: list[str]


class MarketRow(Struct, frozen=True):
    """One group of listings in one currency; figures are null where nothing has what they rest on."""

    group_value: str | None
    currency: str | None
    listings: int
    priced: int
    price_lower_quartile: float | None
    price_median: float | None
    price_upper_quartile: float | None
    measured: int
    price_per_m2_lower_quartile: float | None
    price_per_m2_median: float | None
    price_per_m2_upper_quartile: float | None
    groups: int
    total: int


class OverviewRow(Struct, frozen=True):
    """Active listings of one deal type in one currency."""

    deal_type: str | None
    currency: str | None
    listings: int
    lowest_price: float | None
    median_price: float | None
    highest_price: float | None
    newest: date | None


class RowCounts(Struct, frozen=True):
    """Live row counts of the two tables."""

    property_listings: int
    property_types: int


class LiveIndex(Struct, frozen=True):
    """One index of a live table; one that is not valid was not made to its end, and no statement uses it."""

    table_name: str
    name: str
    definition: str
    is_valid: bool = True


class EmbeddedListing(Struct, frozen=True):
    """A listing's id and its stored vector."""

    id: int
    embedding: Vector


class StoredEmbedding(Struct, frozen=True):
    """A listing's id and its stored vector, if it has one."""

    id: int
    embedding: Vector | None
