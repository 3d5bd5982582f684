"""What goes into the SQL files and the rows that are not shown to clients as they are."""

from decimal import Decimal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from vmk_mcp.listings.filters import Criteria

Vector = NDArray[np.float32]
"""Shape (768,)."""

Vectors = NDArray[np.float32]
"""Shape (n, 768), one vector a row."""


class SimilarQuery(Criteria, frozen=True, kw_only=True):
    """A search by meaning; `most` bounds the rows examined (exact) or the candidates (approximate)."""

    embedding: Vector
    max_distance: float
    metric: str
    limit: int
    offset: int
    contacts: bool
    most: int


class FilterQuery(Criteria, frozen=True, kw_only=True):
    """A sorted page of what passes; `rates` are units of `rate_currencies` for one common unit."""

    sort_by: str
    rate_currencies: list[str]
    rates: list[Decimal]
    limit: int
    offset: int
    contacts: bool


class WordQuery(FilterQuery, frozen=True, kw_only=True):
    """The same, of listings that hold all words of `query` (normalised) or of `raw_query` (as typed)."""

    configuration: str
    query: str
    raw_query: str


class SubstringQuery(FilterQuery, frozen=True, kw_only=True):
    """The same, of listings whose text fits the LIKE `pattern`."""

    pattern: str


class UnpricedQuery(Criteria, frozen=True, kw_only=True):
    """Listings that pass, but are priced in none of `priced_currencies`."""

    priced_currencies: list[str]


class IdQuery(Struct, frozen=True):
    """One listing; `contacts` says whether people's contacts are read."""

    listing_id: int
    contacts: bool


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


class RowCounts(Struct, frozen=True):
    """Live row counts of the two tables."""

    property_listings: int
    property_types: int


class LiveIndex(Struct, frozen=True):
    """One index of a live table."""

    table_name: str
    name: str
    definition: str


class EmbeddedListing(Struct, frozen=True):
    """A listing's id and its stored vector."""

    id: int
    embedding: Vector
