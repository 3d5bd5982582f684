"""Each filter over the sample, against plain Python over the same records."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal

import pytest

from tests.fake_services import make_rules, make_service
from tests.integration.listings.conftest import RATES
from tests.listing_rows import Row, measure_metres
from vmk_mcp.listings.arguments import MetadataSearch, Pagination, SimilarSearch
from vmk_mcp.listings.filters import Filters, Near
from vmk_mcp.listings.model import Listing, ListingRecord
from vmk_mcp.listings.normalize import fold_name
from vmk_mcp.listings.service import ListingService
from vmk_mcp.listings.store import PostgresListingStore

Condition = Callable[[ListingRecord], bool]
KYIV = (50.4501, 30.5234)


async def walk(service: ListingService, **asked: object) -> list[Listing]:
    """Give all pages of a search by filters, as a client walks them."""
    found: list[Listing] = []
    offset = 0
    while True:
        search = MetadataSearch(**asked, pagination=Pagination(limit=100, offset=offset))  # type: ignore[arg-type]  # a test's own arguments
        page = await service.search_by_metadata(search, contacts=False)
        found += page.listings
        if not page.has_more:
            assert len(found) == page.total
            return found
        assert isinstance(page.next_offset, int)
        offset = page.next_offset


def known(value: object) -> bool:
    return value is not None


PANEL_OR_WOOD = {"panel", "wood"}
CASES: dict[str, tuple[Filters, Condition]] = {
    "nothing": (Filters(), lambda r: True),
    "deal_type": (
        Filters(deal_type=["rent_long", "RENT_SHORT"]), lambda r: r.deal_type in {"rent_long", "rent_short"}
    ),
    "city": (Filters(city=["одеса"]), lambda r: fold_name(r.city or "") == fold_name("Одеса")),
    "city with a Latin i": (Filters(city=["Киiв"]), lambda r: fold_name(r.city or "") == fold_name("Київ")),
    "cities": (Filters(city=["ЛЬВІВ", "Дніпро"]), lambda r: r.city in {"Львів", "Дніпро"}),
    "district": (
        Filters(district=["Солом`янський"]),
        lambda r: fold_name(r.district or "") == fold_name("Солом'янський"),
    ),
    "metro_station": (Filters(metro_station=["вокзальна"]), lambda r: r.metro_station == "Вокзальна"),
    "building_type": (Filters(building_type=["panel", "wood"]), lambda r: r.building_type in PANEL_OR_WOOD),
    "renovation_status": (Filters(renovation_status=["none"]), lambda r: r.renovation_status == "none"),
    "property_type by id": (Filters(property_type=[1, 4]), lambda r: r.property_type_id in {1, 4}),
    "property_type by slug": (Filters(property_type=["house"]), lambda r: r.property_type_id == 4),
    "property_type by name": (Filters(property_type=["квартира"]), lambda r: r.property_type_id == 1),
    "currency": (Filters(currency="eur"), lambda r: r.currency == "EUR"),
    "price in one currency": (
        Filters(currency="UAH", min_price=10_000, max_price=50_000),
        lambda r: r.currency == "UAH" and r.price is not None and 10_000 <= r.price <= 50_000,
    ),
    "rooms_count": (Filters(rooms_count=[2, 4]), lambda r: r.rooms_count in {2, 4}),
    "rooms": (Filters(min_rooms=2, max_rooms=3), lambda r: r.rooms_count in {2, 3}),
    "total_area": (
        Filters(min_total_area=40.0, max_total_area=60.0),
        lambda r: r.total_area is not None and 40 <= r.total_area <= 60,
    ),
    "floor": (Filters(floor=[1, 5]), lambda r: r.floor in {1, 5}),
    "floors": (Filters(min_floor=3, max_floor=7), lambda r: r.floor is not None and 3 <= r.floor <= 7),
    "not_first_floor": (Filters(not_first_floor=True), lambda r: (r.floor or 0) > 1),
    "not_last_floor": (
        Filters(not_last_floor=True),
        lambda r: known(r.floor) and known(r.floors_count) and (r.floor or 0) < (r.floors_count or 0),
    ),
    "has_balcony": (Filters(has_balcony=True), lambda r: (r.balcony_count or 0) > 0),
    "no balcony": (Filters(has_balcony=False), lambda r: (r.balcony_count or 0) == 0),
    "min_building_year": (Filters(min_building_year=2015), lambda r: (r.building_year or 0) >= 2015),
    "metro distance": (
        Filters(max_metro_distance_meters=800),
        lambda r: r.metro_distance_meters is not None and r.metro_distance_meters <= 800,
    ),
    "published_since": (
        Filters(published_since=date(2026, 9, 1)),
        lambda r: r.publish_date is not None and r.publish_date >= date(2026, 9, 1),
    ),
    "near": (
        Filters(near=Near(latitude=KYIV[0], longitude=KYIV[1], radius_m=6_000.0)),
        lambda r: r.latitude is not None
        and r.longitude is not None
        and measure_metres(KYIV, (r.latitude, r.longitude)) <= 6_000,
    ),
    "several": (
        Filters(city=["Київ"], deal_type=["sale"], min_rooms=1, not_first_floor=True),
        lambda r: fold_name(r.city or "") == fold_name("Київ")
        and r.deal_type == "sale"
        and (r.rooms_count or 0) >= 1
        and (r.floor or 0) > 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
async def test_a_filter_lets_through_what_plain_python_does(
    sample_service: ListingService, sample: list[Row], name: str
) -> None:
    filters, condition = CASES[name]
    expected = {
        row.record.id for row in sample if row.record.listing_status == "active" and condition(row.record)
    }
    assert expected, "the sample must hold such listings, or this proves nothing"
    found = await walk(sample_service, filters=filters)
    assert len(found) == len(expected)
    assert {listing.id for listing in found} == expected
    search = SimilarSearch(query="квартира", filters=filters, min_similarity=0.0, interpret=False)
    result = await sample_service.search_similar_listings(search, contacts=False)
    assert result.total == sum(row.embedding is not None for row in sample if row.record.id in expected)


@pytest.mark.parametrize(
    ("statuses", "kept"),
    [
        (None, {"active"}),
        (["sold", "archived"], {"sold", "archived"}),
        (["any"], {"active", "sold", "rented", "removed", "archived"}),
    ],
)
async def test_statuses_are_active_unless_others_are_asked_for(
    sample_service: ListingService, sample: list[Row], statuses: list[str] | None, kept: set[str]
) -> None:
    found = await walk(sample_service, filters=Filters(listing_status=statuses))
    assert {n.id for n in found} == {row.record.id for row in sample if row.record.listing_status in kept}


def in_dollars(record: ListingRecord) -> Decimal | None:
    if record.price is None or record.currency is None:
        return None
    return record.price / {"USD": Decimal(1), **RATES.per_usd}[record.currency]


async def test_a_price_without_currency_reaches_all_currencies_by_the_rates(
    sample_service: ListingService, sample: list[Row]
) -> None:
    filters = Filters(min_price=20_000, max_price=90_000)
    search = MetadataSearch(filters=filters, pagination=Pagination(limit=100), sort_by="price_asc")
    found = await sample_service.search_by_metadata(search, contacts=False)
    expected = {
        row.record.id
        for row in sample
        if row.record.listing_status == "active"
        and (dollars := in_dollars(row.record)) is not None
        and 20_000 <= dollars <= 90_000
    }
    assert {n.id for n in await walk(sample_service, filters=filters)} == expected
    assert {n.currency for n in found.listings} == {"USD", "UAH", "EUR"}
    values = [
        float(n.price or 0) / {"USD": 1, "UAH": 42, "EUR": 0.9}[str(n.currency)] for n in found.listings
    ]
    assert values == sorted(values)
    assert found.price_basis.currency == "USD"  # type: ignore[union-attr]  # set where a price was asked for
    assert found.price_basis.rates == {"UAH": 42.0, "EUR": 0.9}  # type: ignore[union-attr]  # as above


async def test_without_rates_other_currencies_are_left_out_and_counted(
    sample_store: PostgresListingStore, sample: list[Row]
) -> None:
    service = make_service(sample_store, rules=make_rules(rates=None))
    filters = Filters(min_price=1, city=["Київ"])
    found = await service.search_by_metadata(MetadataSearch(filters=filters), contacts=False)
    others = [
        row.record
        for row in sample
        if row.record.listing_status == "active"
        and fold_name(row.record.city or "") == fold_name("Київ")
        and row.record.price is not None
        and row.record.currency in {"UAH", "EUR"}
    ]
    assert {n.currency for n in found.listings} == {"USD"}
    assert found.price_basis.left_out == len(others) > 0  # type: ignore[union-attr]  # set where a price was asked for


async def test_a_circle_over_the_date_line_and_the_pole_is_no_error(sample_service: ListingService) -> None:
    for latitude, longitude in ((90.0, 0.0), (-90.0, 180.0), (0.0, -180.0)):
        filters = Filters(near=Near(latitude=latitude, longitude=longitude, radius_m=200_000.0))
        assert await walk(sample_service, filters=filters) == []
