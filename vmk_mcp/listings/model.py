"""Listings as structs: what the tables hold, what goes into a search and what comes out."""

from datetime import date
from decimal import Decimal
from typing import Final

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


Text = str | None | UnsetType
Whole = int | None | UnsetType
Number = float | None | UnsetType
Day = date | None | UnsetType


class Listing(Struct, frozen=True):
    """One listing in a list of results; the order of the fields is that of the SQL files' columns.

    In full every field is there, null where nothing is known. In brief the fields up to `snippet` are there,
    those that are null left out.
    """

    id: int
    title: Text = UNSET
    price: Number = UNSET
    currency: Text = UNSET
    price_per_m2: Number = UNSET
    city: Text = UNSET
    district: Text = UNSET
    rooms_count: Whole = UNSET
    total_area: Number = UNSET
    floor: Whole = UNSET
    floors_count: Whole = UNSET
    metro_station: Text = UNSET
    publish_date: Day = UNSET
    url_source: Text = UNSET
    similarity_score: Number = UNSET
    rank_score: Number = UNSET
    fusion_score: Number = UNSET
    meaning_rank: Whole = UNSET
    words_rank: Whole = UNSET
    distance: Number = UNSET
    snippet: Text = UNSET
    description: Text = UNSET
    generated_description: Text = UNSET
    deal_type: Text = UNSET
    property_type: Text = UNSET
    living_area: Number = UNSET
    kitchen_area: Number = UNSET
    building_type: Text = UNSET
    building_year: Whole = UNSET
    renovation_status: Text = UNSET
    balcony_count: Whole = UNSET
    bathroom_type: Text = UNSET
    parking_type: Text = UNSET
    heating_type: Text = UNSET
    layout_type: Text = UNSET
    window_view: Text = UNSET
    metro_distance_type: Text = UNSET
    metro_distance_meters: Whole = UNSET
    images_count: Whole = UNSET
    contact_phone: Text = UNSET
    listing_status: Text = UNSET
    archived_at: Day = UNSET
    created_at: Day = UNSET
    updated_at: Day = UNSET


BRIEF_FIELDS: Final = Listing.__struct_fields__.index("snippet") + 1
"""How many fields a brief listing has at most."""


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
