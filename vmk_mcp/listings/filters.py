"""What a caller may filter by, and the same after names and money have been resolved."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Final

from msgspec import Meta, Struct

INT4_MAX: Final = 2_147_483_647
ANY_STATUS: Final = "any"

Count = Annotated[int, Meta(ge=0, le=INT4_MAX)]
Year = Annotated[int, Meta(ge=1000, le=9999)]
Amount = Annotated[float, Meta(ge=0, le=1e15)]
Name = Annotated[str, Meta(max_length=200)]
Names = Annotated[list[Name], Meta(max_length=100)] | None
Counts = Annotated[list[Count], Meta(max_length=100)] | None
Kinds = Annotated[list[Count | Name], Meta(max_length=100)] | None


class Near(Struct, frozen=True, forbid_unknown_fields=True):
    """A circle on the sphere."""

    latitude: Annotated[float, Meta(ge=-90, le=90, description="Degrees, WGS 84.", examples=[50.45])]
    longitude: Annotated[float, Meta(ge=-180, le=180, description="Degrees, WGS 84.", examples=[30.52])]
    radius_m: Annotated[float, Meta(gt=0, le=200_000, description="Metres.", examples=[1500])]


class Filters(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Conditions joined by AND; every one is optional. A list means any of its values.

    A lone value in the place of a list is mended by the protocol, which sees text such as "[1, 2]" as well.
    """

    deal_type: Annotated[
        Names,
        Meta(description="sale, rent_long (by the month), rent_short (by the day).", examples=[["sale"]]),
    ] = None
    city: Annotated[Names, Meta(description="Ukrainian name.", examples=[["Київ"]])] = None
    district: Annotated[Names, Meta(description="Ukrainian name.", examples=[["Печерський"]])] = None
    metro_station: Annotated[Names, Meta(description="Ukrainian name.", examples=[["Арсенальна"]])] = None
    building_type: Annotated[Names, Meta(description="brick, panel, monolith, gas_block, wood.")] = None
    renovation_status: Annotated[
        Names,
        Meta(description="cosmetic, euro, euro_repair, designer, none, construction (bare walls)."),
    ] = None
    property_type: Annotated[
        Kinds, Meta(description="Slug, id or Ukrainian name; describe_schema lists them.")
    ] = None
    currency: Annotated[
        Name | None,
        Meta(
            description="USD, EUR or UAH: only listings priced in it, and the currency of min_price and "
            "max_price. Without it these are in USD, unless price_basis in the answer names another, and "
            "reach listings in other currencies too."
        ),
    ] = None
    min_price: Annotated[
        Amount | None, Meta(description="Whole price, or rent a month or day; not per m².")
    ] = None
    max_price: Annotated[Amount | None, Meta(description="As min_price.", examples=[150000])] = None
    rooms_count: Annotated[Counts, Meta(description="Exact numbers of rooms.", examples=[[2, 3]])] = None
    min_rooms: Count | None = None
    max_rooms: Count | None = None
    min_total_area: Annotated[Amount | None, Meta(description="Square metres.")] = None
    max_total_area: Annotated[Amount | None, Meta(description="Square metres.")] = None
    floor: Annotated[Counts, Meta(description="Exact floors; 1 is the ground floor.")] = None
    min_floor: Count | None = None
    max_floor: Count | None = None
    not_first_floor: Annotated[bool | None, Meta(description="true: above the ground floor.")] = None
    not_last_floor: Annotated[bool | None, Meta(description="true: below the top floor.")] = None
    has_balcony: Annotated[bool | None, Meta(description="false: none is known.")] = None
    min_building_year: Annotated[Year | None, Meta(description="Built in it or later.", examples=[2010])] = (
        None
    )
    max_metro_distance_meters: Count | None = None
    published_since: Annotated[
        date | None, Meta(description="On that day or later.", examples=["2024-05-31"])
    ] = None
    listing_status: Annotated[
        Names, Meta(description="active (default), sold, rented, removed, archived; any: all of them.")
    ] = None
    near: Annotated[Near | None, Meta(description="Within a circle.")] = None


RANGES: Final = (
    ("min_price", "max_price"),
    ("min_rooms", "max_rooms"),
    ("min_total_area", "max_total_area"),
    ("min_floor", "max_floor"),
)
"""Pairs of bounds of which the first may not exceed the second."""

ENUMERATED: Final = ("deal_type", "building_type", "renovation_status", "listing_status")
"""Filters whose values are words of an enumeration."""

NAMED: Final = ("city", "district", "metro_station")
"""Filters whose values are proper names."""


class Criteria(Struct, frozen=True, kw_only=True):
    """Filters as SQL takes them: stored spellings, and money in each currency that a price bound reaches.

    The parameters $1 to $29 of every search file under `sql/`, in this order.
    """

    deal_types: list[str] | None = None
    cities: list[str] | None = None
    districts: list[str] | None = None
    metro_stations: list[str] | None = None
    building_types: list[str] | None = None
    renovation_statuses: list[str] | None = None
    property_type_ids: list[int] | None = None
    currency: str | None = None
    price_currencies: list[str] | None = None
    price_minima: list[Decimal] | None = None
    price_maxima: list[Decimal] | None = None
    rooms_counts: list[int] | None = None
    min_rooms: int | None = None
    max_rooms: int | None = None
    min_total_area: float | None = None
    max_total_area: float | None = None
    floors: list[int] | None = None
    min_floor: int | None = None
    max_floor: int | None = None
    not_first_floor: bool | None = None
    not_last_floor: bool | None = None
    has_balcony: bool | None = None
    min_building_year: int | None = None
    max_metro_distance_meters: int | None = None
    published_since: date | None = None
    listing_statuses: list[str] | None = None
    near_latitude: float | None = None
    near_longitude: float | None = None
    near_radius_m: float | None = None
