"""Listings as structs: what the tables hold, what goes into a search and what comes out."""

from datetime import date
from decimal import Decimal
from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType

ENUMERATIONS: Final[dict[str, tuple[str, ...]]] = {
    "deal_type": ("sale", "rent_long", "rent_short"),
    "currency": ("USD", "EUR", "UAH"),
    "listing_status": ("active", "sold", "rented", "removed", "archived"),
    "building_type": ("brick", "panel", "monolith", "gas_block", "wood"),
    "renovation_status": ("cosmetic", "euro", "euro_repair", "designer", "none", "construction"),
    "bathroom_type": ("combined", "separate", "multiple"),
    "parking_type": ("ground", "underground", "none", "garage"),
    "heating_type": ("central", "autonomous", "floor", "none"),
    "layout_type": ("studio", "separate", "adjacent", "standard"),
    "window_view": ("yard", "courtyard", "street", "park", "water", "forest"),
    "metro_distance_type": ("walk", "walking", "transport"),
}
"""Values that the collector writes; a live table may hold others, which are returned as they are."""


class ListingRecord(Struct, frozen=True, kw_only=True):
    """One row of `property_listings` as it is written: every column but `embedding` and `search_vector`."""

    id: int
    title: str
    description: str | None = None
    generated_description: str | None = None
    price: Decimal | None = None
    currency: str | None = None
    deal_type: str | None = None
    property_type_id: int | None = None
    city: str | None = None
    district: str | None = None
    address_raw: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    rooms_count: int | None = None
    total_area: float | None = None
    living_area: float | None = None
    kitchen_area: float | None = None
    floor: int | None = None
    floors_count: int | None = None
    building_type: str | None = None
    building_year: int | None = None
    renovation_status: str | None = None
    balcony_count: int | None = None
    bathroom_type: str | None = None
    parking_type: str | None = None
    heating_type: str | None = None
    layout_type: str | None = None
    window_view: str | None = None
    metro_station: str | None = None
    metro_distance_type: str | None = None
    metro_distance_meters: int | None = None
    url_source: str | None = None
    publish_date: date | None = None
    images_count: int | None = None
    contact_phone: str | None = None
    contact_name: str | None = None
    listing_status: str = "active"
    archived_at: date | None = None
    raw_data_id: int | None = None
    created_at: date | None = None
    updated_at: date | None = None


class Listing(Struct, frozen=True):
    """One listing in a list of results; the order of the fields is that of the SQL files' columns."""

    id: int
    title: str | None
    description: str | None
    generated_description: str | None
    price: float | None
    currency: str | None
    price_per_m2: float | None
    deal_type: str | None
    property_type: str | None
    city: str | None
    district: str | None
    rooms_count: int | None
    total_area: float | None
    living_area: float | None
    kitchen_area: float | None
    floor: int | None
    floors_count: int | None
    building_type: str | None
    building_year: int | None
    renovation_status: str | None
    balcony_count: int | None
    bathroom_type: str | None
    parking_type: str | None
    heating_type: str | None
    layout_type: str | None
    window_view: str | None
    metro_station: str | None
    metro_distance_type: str | None
    metro_distance_meters: int | None
    url_source: str | None
    publish_date: date | None
    images_count: int | None
    contact_phone: str | None
    listing_status: str | None
    archived_at: date | None
    created_at: date | None
    updated_at: date | None
    similarity_score: float | None
    rank_score: float | None
    distance: float | None


class ListingCard(Struct, frozen=True):
    """One listing by its id: every column that a client may see."""

    id: int
    title: str | None
    description: str | None
    generated_description: str | None
    price: float | None
    currency: str | None
    price_per_m2: float | None
    deal_type: str | None
    property_type: str | None
    city: str | None
    district: str | None
    address_raw: str | None
    rooms_count: int | None
    total_area: float | None
    living_area: float | None
    kitchen_area: float | None
    floor: int | None
    floors_count: int | None
    building_type: str | None
    building_year: int | None
    renovation_status: str | None
    balcony_count: int | None
    bathroom_type: str | None
    parking_type: str | None
    heating_type: str | None
    layout_type: str | None
    window_view: str | None
    metro_station: str | None
    metro_distance_type: str | None
    metro_distance_meters: int | None
    url_source: str | None
    publish_date: date | None
    images_count: int | None
    contact_phone: str | None
    contact_name: str | None
    listing_status: str | None
    archived_at: date | None
    created_at: date | None
    updated_at: date | None


class PriceBasis(Struct, frozen=True, omit_defaults=True):
    """How a price bound was read.

    Attributes:
        currency: the currency that the bounds were given in.
        currencies: the currencies whose listings could pass.
        rates: units of each other currency for one of `currency`, as applied.
        rates_date: the day of the rates.
        left_out: listings that pass all other filters but are priced in a currency without a rate.
    """

    currency: str
    currencies: list[str]
    rates: dict[str, float] = {}
    rates_date: date | UnsetType = UNSET
    left_out: int = 0


class SearchResult(Struct, frozen=True):
    """One page of listings.

    Attributes:
        total: listings that match; at least so many where `total_relation` is `gte`.
        search_path: `exact` (every passing row was looked at) or `approximate` (HNSW).
        match: what found the rows: `meaning`, `words`, `substring` or `filters`.
        text_search: name of the full-text configuration that was used.
        hints: what the caller may want to change, in sentences.
    """

    total: int
    total_relation: Literal["eq", "gte"]
    limit: int
    offset: int
    has_more: bool
    search_path: Literal["exact", "approximate"]
    match: Literal["meaning", "words", "substring", "filters"]
    listings: list[Listing]
    next_offset: int | UnsetType = UNSET
    price_basis: PriceBasis | UnsetType = UNSET
    text_search: str | UnsetType = UNSET
    hints: list[str] | UnsetType = UNSET


class SchemaColumn(Struct, frozen=True, omit_defaults=True):
    """One column of the live table."""

    name: str
    type: str
    description: str | UnsetType = UNSET


class SchemaTable(Struct, frozen=True):
    """One live table; `missing` names declared columns that it lacks."""

    name: str
    description: str
    row_count: int
    columns: list[SchemaColumn]
    indexes: list[str]
    missing: list[str]


class AvailableFilter(Struct, frozen=True):
    """One filter: its name, the operator it means, and whether the live table can serve it."""

    name: str
    operator: str
    offered: bool


class SchemaDescription(Struct, frozen=True):
    """What is searched, as the live server has it."""

    tables: list[SchemaTable]
    enums: dict[str, list[str]]
    property_types: list[str]
    available_filters: list[AvailableFilter]
    embedding_model: str
    language: str
    sample_queries: list[str]
