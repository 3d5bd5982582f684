"""Listings as structs: what the tables hold, what goes into a search and what comes out."""

from datetime import date
from decimal import Decimal
from typing import Final

from msgspec import Struct

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
