"""Filters as callers write them become what SQL compares, or a fault that names the field."""

from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from vmk_mcp.errors import InvalidArguments
from vmk_mcp.listings.criteria import Resolved, resolve_filters
from vmk_mcp.listings.filters import RANGES, Criteria, Filters, Near
from vmk_mcp.listings.money import ExchangeRates
from vmk_mcp.listings.values import PropertyType, StoredValue, ValueIndex

VALUES = ValueIndex(
    [
        StoredValue("city", "Київ", 50),
        StoredValue("city", "київ", 2),
        StoredValue("district", "Солом'янський", 9),
        StoredValue("district", "Солом’янський", 8),
        StoredValue("metro_station", "Арсенальна", 5),
        StoredValue("deal_type", "sale", 40),
        StoredValue("deal_type", "Sale", 2),
        StoredValue("deal_type", "exchange", 1),
        StoredValue("listing_status", "active", 60),
        StoredValue("listing_status", "Active", 3),
        StoredValue("currency", "usd", 9),
    ],
    [PropertyType(1, "apartment", "Квартира"), PropertyType(4, "house", "Будинок")],
)
RATES = ExchangeRates(date(2026, 1, 1), {"UAH": Decimal(42)})


def resolve(rates: ExchangeRates | None = None, /, **given: Any) -> Resolved:
    filters = Filters(**given)
    return resolve_filters(filters, VALUES, price_currency="USD", rates=rates)


def test_no_filters_mean_active_listings_in_every_stored_spelling() -> None:
    assert resolve() == Resolved(Criteria(listing_statuses=["active", "Active"]), None, [])


def test_any_status_lifts_the_default() -> None:
    assert resolve(listing_status=["any"]).criteria.listing_statuses is None
    assert resolve(listing_status=["sold", "ANY"]).criteria.listing_statuses is None
    assert resolve(listing_status=["Sold "]).criteria.listing_statuses == ["sold"]


def test_without_a_status_column_no_status_is_asked_for() -> None:
    filters = Filters()
    resolved = resolve_filters(filters, VALUES, price_currency="USD", rates=None, has_status=False)
    assert resolved.criteria == Criteria()


SAME = {
    "min_rooms": 1, "max_rooms": 4, "min_total_area": 30.0, "max_total_area": 90.0, "min_floor": 2,
    "max_floor": 9, "not_first_floor": True, "not_last_floor": False, "has_balcony": True,
    "min_building_year": 1990, "max_metro_distance_meters": 500, "published_since": date(2026, 1, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_plain_filters_are_taken_as_they_are(name: str) -> None:
    resolved = resolve(**{name: SAME[name]})
    assert getattr(resolved.criteria, name) == SAME[name]
    rest = msgspec.structs.replace(resolved.criteria, **{name: None}, listing_statuses=None)
    assert rest == Criteria()


def test_lists_and_a_circle_are_taken_over() -> None:
    criteria = resolve(rooms_count=[1, 2], floor=[3], near=Near(50.0, 30.0, 900.0)).criteria
    assert (criteria.rooms_counts, criteria.floors) == ([1, 2], [3])
    assert (criteria.near_latitude, criteria.near_longitude, criteria.near_radius_m) == (50.0, 30.0, 900.0)


LISTS = (
    "deal_type", "city", "district", "metro_station", "building_type", "renovation_status", "property_type",
    "rooms_count", "floor", "listing_status",
)  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
def test_an_empty_list_is_no_filter(name: str) -> None:
    assert resolve(**{name: []}) == resolve()


def test_names_become_all_their_stored_spellings() -> None:
    criteria = resolve(city=["КИIВ"], district=["солом`янський"], metro_station=["арсенальна"]).criteria
    assert criteria.cities == ["Київ", "київ"]
    assert criteria.districts == ["Солом'янський", "Солом’янський"]
    assert criteria.metro_stations == ["Арсенальна"]


def test_an_unknown_name_matches_nothing_and_earns_a_hint_with_the_nearest() -> None:
    resolved = resolve(city=["Кріїв", "Ніде\0"])
    assert resolved.criteria.cities == ["Кріїв", "Ніде"]
    assert resolved.hints == [
        "no listing has city 'Кріїв'; nearest known: Київ",
        "no listing has city 'Ніде\\x00'",
    ]


def test_only_the_first_unknown_names_are_compared_with_all_that_are_known() -> None:
    resolved = resolve(city=["Кріїв"] * 7, district=["Солоянський"])
    told = "no listing has city 'Кріїв'"
    assert resolved.hints == [
        *[f"{told}; nearest known: Київ"] * 5,
        *[told] * 2,
        "no listing has district 'Солоянський'; nearest known: Солом'янський",
    ]


def test_an_enumerated_word_becomes_all_its_stored_spellings() -> None:
    assert resolve(deal_type=["SALE"]).criteria.deal_types == ["sale", "Sale"]
    assert resolve(deal_type=["rent_long"]).criteria.deal_types == ["rent_long"]
    assert resolve(deal_type=["exchange"]).criteria.deal_types == ["exchange"]


@pytest.mark.parametrize(
    ("name", "given", "allowed"),
    [
        ("deal_type", ["rent"], "sale, rent_long, rent_short, exchange"),
        ("building_type", ["stone"], "brick, panel, monolith, gas_block, wood"),
        ("renovation_status", ["new"], "cosmetic, euro, euro_repair, designer, none, construction"),
        ("listing_status", ["gone"], "active, sold, rented, removed, archived, any"),
        ("currency", "GBP", "USD, EUR, UAH"),
        ("property_type", ["castle", 9], "apartment (1), house (4)"),
    ],
)
def test_a_word_of_no_enumeration_is_refused_with_those_that_are(
    name: str, given: object, allowed: str
) -> None:
    with pytest.raises(InvalidArguments) as refused:
        resolve(**{name: given})
    assert refused.value.field == f"filters.{name}"
    assert refused.value.hint == f"It is one of: {allowed}."
    assert repr(given[0] if isinstance(given, list) else given) in refused.value.message


def test_kinds_are_named_by_id_slug_or_name() -> None:
    assert resolve(property_type=[1, "house", "квартира", "4"]).criteria.property_type_ids == [1, 4, 1, 4]


@pytest.mark.parametrize(("low", "high"), RANGES)
def test_bounds_that_contradict_each_other_are_refused_by_both_names(low: str, high: str) -> None:
    with pytest.raises(InvalidArguments) as refused:
        resolve(**{low: 1_500_000, high: 2})
    assert refused.value.field == f"filters.{low}"
    assert f"The filter {low} (1500000) is above {high} (2)" in refused.value.message
    assert low in refused.value.hint
    assert high in refused.value.hint
    assert resolve(**{low: 2, high: 2}).hints == []


def test_a_price_in_a_named_currency_stays_in_it_and_in_its_stored_spelling() -> None:
    resolved = resolve(RATES, currency="USD", min_price=5)
    assert resolved.criteria.currency == "usd"
    assert resolved.criteria.price_currencies == ["usd"]
    assert resolved.criteria.price_minima == [Decimal(5)]


def test_a_price_without_currency_reaches_those_with_a_rate() -> None:
    resolved = resolve(RATES, max_price=100)
    assert resolved.criteria.currency is None
    assert resolved.criteria.price_currencies == ["USD", "UAH"]
    assert resolved.criteria.price_maxima == [Decimal(100), Decimal(4200)]
    assert resolved.basis is not None
    assert resolved.basis.rates_date == date(2026, 1, 1)


def test_a_currency_without_a_price_is_no_price_bound() -> None:
    resolved = resolve(RATES, currency="eur")
    assert (resolved.criteria.currency, resolved.criteria.price_currencies, resolved.basis) == (
        "EUR",
        None,
        None,
    )
