"""A dozen listings that differ in every way a filter asks for, and the filters in plain Python."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from math import asin, cos, radians, sin, sqrt
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tests.fakes import embed_words
from vmk_mcp.listings.filters import Criteria
from vmk_mcp.listings.model import ListingRecord
from vmk_mcp.listings.writing import PropertyTypeRecord

KINDS: Final = (
    PropertyTypeRecord(1, "apartment", "Квартира"),
    PropertyTypeRecord(2, "house", "Будинок"),
)


class Row(Struct, frozen=True):
    """A listing and its vector, or None where it has not been embedded."""

    record: ListingRecord
    embedding: NDArray[np.float32] | None


def make_row(id: int, title: str, *, is_embedded: bool = True, **columns: Any) -> Row:
    """Give a listing whose vector is that of its title's words."""
    usual: dict[str, Any] = {"publish_date": date(2026, 1, id), "currency": "USD", "deal_type": "sale"}
    vector = embed_words("document", title, "fake-model", 768) if is_embedded else None
    return Row(ListingRecord(id=id, title=title, **(usual | columns)), vector)


ROWS: Final = (
    make_row(
        1, "Двокімнатна квартира біля метро", city="Київ", district="Печерський", metro_station="Арсенальна",
        metro_distance_meters=300, metro_distance_type="walk", price=Decimal(120_000), total_area=60.0,
        living_area=35.0, kitchen_area=11.0, rooms_count=2, floor=5, floors_count=9, balcony_count=1,
        building_type="brick", building_year=1960, renovation_status="euro", property_type_id=1,
        latitude=50.4433, longitude=30.5457, contact_phone="+380000000001", contact_name="Олена",
        description="Затишна квартира з видом на парк.", address_raw="вул. Мазепи, 3", images_count=7,
        url_source="https://example.org/1", bathroom_type="combined", window_view="park", raw_data_id=77,
        created_at=date(2026, 1, 1), updated_at=date(2026, 1, 2),
    ),
    make_row(
        2, "Однокімнатна квартира", city="Київ", district="Солом'янський", price=Decimal(65_000),
        total_area=38.5, rooms_count=1, floor=1, floors_count=5, balcony_count=0, building_type="panel",
        building_year=1975, renovation_status="cosmetic", property_type_id=1,
    ),
    make_row(
        3, "Трикімнатна квартира у новобудові", city="Львів", district="Солом’янський",
        price=Decimal(4_200_000), currency="UAH", total_area=95.0, rooms_count=3, floor=9, floors_count=9,
        balcony_count=2, building_type="monolith", building_year=2022, property_type_id=1,
        latitude=49.8397, longitude=24.0297,
    ),
    make_row(
        4, "Оренда студії в центрі", city="Львів", deal_type="rent_long", price=Decimal(500), currency="EUR",
        total_area=28.0, rooms_count=1, floor=3, floors_count=4, renovation_status="designer",
        property_type_id=1,
    ),
    make_row(
        5, "Будинок із садом", city="київ", price=Decimal(250_000), total_area=180.0, rooms_count=5,
        floors_count=2, property_type_id=2, building_type="gas_block", description="Сад 100% плодоносить.",
    ),
    make_row(6, "Квартира без ціни", city="Одеса", rooms_count=2, total_area=50.0, floor=2),
    make_row(
        7, "Квартира продана", city="Київ", price=Decimal(90_000), listing_status="sold", rooms_count=2,
        archived_at=date(2026, 2, 1), total_area=54.0,
    ),
    make_row(8, "Архів", city="Київ", listing_status="archived", currency="EUR", price=Decimal(8)),
    make_row(9, "Ділянка під забудову", city="Одеса", price=Decimal(30_000), currency=None, total_area=0.0),
    make_row(10, "Квартира без вектора", city="Одеса", price=Decimal(45_000), is_embedded=False),
    make_row(
        11, "Квартира біля моря", city="Одеса", price=Decimal(45_000), rooms_count=1, floor=4, floors_count=4,
        publish_date=date(2026, 1, 10), metro_distance_meters=900, metro_station="Арсенальна",
    ),
    make_row(12, "Гараж", city=None, price=Decimal(900), currency="UAH", publish_date=None, deal_type=None),
)  # fmt: skip


FILTERS: Final[dict[str, Criteria]] = {
    "none": Criteria(),
    "deal types": Criteria(deal_types=["rent_long", "rent_short"]),
    "cities in two spellings": Criteria(cities=["Київ", "київ"]),
    "districts": Criteria(districts=["Солом'янський", "Солом’янський"]),
    "metro stations": Criteria(metro_stations=["Арсенальна"]),
    "building types": Criteria(building_types=["brick", "monolith"]),
    "renovations": Criteria(renovation_statuses=["euro"]),
    "kinds": Criteria(property_type_ids=[2]),
    "currency": Criteria(currency="EUR"),
    "price in two currencies": Criteria(
        price_currencies=["USD", "UAH"],
        price_minima=[Decimal(60_000), Decimal(2_500_000)],
        price_maxima=[Decimal(120_000), Decimal(5_000_000)],
    ),
    "rooms": Criteria(rooms_counts=[1, 5]),
    "room bounds": Criteria(min_rooms=2, max_rooms=3),
    "area bounds": Criteria(min_total_area=38.5, max_total_area=60.0),
    "floors": Criteria(floors=[1, 9]),
    "floor bounds": Criteria(min_floor=2, max_floor=5),
    "not the first floor": Criteria(not_first_floor=True),
    "not the last floor": Criteria(not_last_floor=True),
    "false lifts a floor wish": Criteria(not_first_floor=False, not_last_floor=False),
    "a balcony": Criteria(has_balcony=True),
    "no balcony": Criteria(has_balcony=False),
    "year": Criteria(min_building_year=1975),
    "metro within": Criteria(max_metro_distance_meters=300),
    "published": Criteria(published_since=date(2026, 1, 9)),
    "statuses": Criteria(listing_statuses=["sold", "archived"]),
    "near": Criteria(near_latitude=50.45, near_longitude=30.52, near_radius_m=5_000.0),
    "nothing at all": Criteria(cities=[]),
    "an unknown name": Criteria(cities=["Ніде"]),
    "several": Criteria(cities=["Київ"], min_rooms=2, listing_statuses=["active"], has_balcony=True),
}
"""Each filter by itself, and what it may hold."""


def passes(criteria: Criteria, record: ListingRecord) -> bool:
    """Say whether a listing passes, by the same words as the SQL files, in plain Python."""
    return (
        _is_among(criteria, record)
        and _is_priced(criteria, record)
        and _is_sized(criteria, record)
        and _is_built(criteria, record)
        and _is_near(criteria, record)
    )


def _in(allowed: Sequence[object] | None, value: object) -> bool:
    return allowed is None or value in allowed


def _between(low: Any, value: Any, high: Any) -> bool:
    if value is None:
        return low is None and high is None
    return (low is None or value >= low) and (high is None or value <= high)


def _is_among(criteria: Criteria, record: ListingRecord) -> bool:
    return (
        _in(criteria.deal_types, record.deal_type)
        and _in(criteria.cities, record.city)
        and _in(criteria.districts, record.district)
        and _in(criteria.metro_stations, record.metro_station)
        and _in(criteria.building_types, record.building_type)
        and _in(criteria.renovation_statuses, record.renovation_status)
        and _in(criteria.property_type_ids, record.property_type_id)
        and _in(criteria.listing_statuses, record.listing_status)
        and (criteria.currency is None or record.currency == criteria.currency)
    )


def _is_priced(criteria: Criteria, record: ListingRecord) -> bool:
    if criteria.price_currencies is None:
        return True
    assert criteria.price_minima is not None
    assert criteria.price_maxima is not None
    bounds = zip(criteria.price_currencies, criteria.price_minima, criteria.price_maxima, strict=True)
    return record.price is not None and any(
        record.currency == currency and low <= record.price <= high for currency, low, high in bounds
    )


def _is_sized(criteria: Criteria, record: ListingRecord) -> bool:
    return (
        _in(criteria.rooms_counts, record.rooms_count)
        and _between(criteria.min_rooms, record.rooms_count, criteria.max_rooms)
        and _between(criteria.min_total_area, record.total_area, criteria.max_total_area)
        and _in(criteria.floors, record.floor)
        and _between(criteria.min_floor, record.floor, criteria.max_floor)
    )


def _is_built(criteria: Criteria, record: ListingRecord) -> bool:
    floor, top = record.floor, record.floors_count
    has_balcony = (record.balcony_count or 0) > 0
    return (
        (not criteria.not_first_floor or (floor is not None and floor > 1))
        and (not criteria.not_last_floor or (floor is not None and top is not None and floor < top))
        and (criteria.has_balcony is None or has_balcony == criteria.has_balcony)
        and _between(criteria.min_building_year, record.building_year, None)
        and _between(None, record.metro_distance_meters, criteria.max_metro_distance_meters)
        and _between(criteria.published_since, record.publish_date, None)
    )


def _is_near(criteria: Criteria, record: ListingRecord) -> bool:
    if criteria.near_latitude is None:
        return True
    if record.latitude is None or record.longitude is None:
        return False
    assert criteria.near_longitude is not None
    assert criteria.near_radius_m is not None
    place = (criteria.near_latitude, criteria.near_longitude)
    return measure_metres(place, (record.latitude, record.longitude)) <= criteria.near_radius_m


def measure_metres(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Give the great-circle distance of two places in degrees (haversine, R = 6,371 km)."""
    (lat_a, lon_a), (lat_b, lon_b) = one, other
    half = sin(radians(lat_b - lat_a) / 2) ** 2
    half += cos(radians(lat_a)) * cos(radians(lat_b)) * sin(radians(lon_b - lon_a) / 2) ** 2
    return 2 * 6_371_000 * asin(sqrt(min(1.0, half)))
