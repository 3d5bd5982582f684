"""Price bounds carried over to other currencies, exactly."""

from datetime import date
from decimal import Decimal

from msgspec import UNSET

from vmk_mcp.listings.money import (
    MAX_PRICE,
    ExchangeRates,
    comparable_rates,
    convert_bounds,
    single_currency,
)

DAY = date(2026, 1, 1)
RATES = ExchangeRates(DAY, {"UAH": Decimal("42.5"), "EUR": Decimal("0.8")})


def test_rates_go_through_the_dollar() -> None:
    assert RATES.rate("USD", "UAH") == Decimal("42.5")
    assert RATES.rate("EUR", "USD") == Decimal("1.25")
    assert RATES.rate("EUR", "UAH") == Decimal("53.125")
    assert RATES.rate("UAH", "UAH") == 1
    assert RATES.rate("PLN", "USD") is None
    assert RATES.rate("USD", "PLN") is None


def test_bounds_are_converted_without_the_errors_of_floats() -> None:
    bounds = convert_bounds(0.1, 0.3, currency="USD", rates=ExchangeRates(DAY, {"UAH": Decimal(3)}))
    assert bounds.currencies == ["USD", "UAH"]
    assert bounds.minima == [Decimal("0.1"), Decimal("0.3")]
    assert bounds.maxima == [Decimal("0.3"), Decimal("0.9")]


def test_a_bound_that_is_not_given_is_no_bound_in_any_currency() -> None:
    below = convert_bounds(None, 100, currency="USD", rates=RATES)
    above = convert_bounds(100, None, currency="USD", rates=RATES)
    assert below.minima == [Decimal(0)] * 3
    assert above.maxima == [MAX_PRICE] * 3


def test_what_was_applied_is_told_with_its_day() -> None:
    basis = convert_bounds(1, 2, currency="EUR", rates=RATES).basis
    assert (basis.currency, basis.currencies) == ("EUR", ["EUR", "UAH", "USD"])
    assert basis.rates == {"UAH": 53.125, "USD": 1.25}
    assert basis.rates_date == DAY


def test_without_rates_only_the_currency_itself_is_reached() -> None:
    bounds = convert_bounds(1, 2, currency="USD", rates=None)
    assert bounds.currencies == ["USD"]
    assert (bounds.basis.rates, bounds.basis.rates_date) == ({}, UNSET)


def test_a_currency_without_a_rate_of_its_own_reaches_no_other() -> None:
    bounds = convert_bounds(1, 2, currency="PLN", rates=RATES)
    assert (bounds.currencies, bounds.basis.rates_date) == (["PLN"], UNSET)


def test_of_more_than_four_currencies_those_of_the_collector_are_kept() -> None:
    many = {name: Decimal(2) for name in ("AED", "CZK", "EUR", "GBP", "PLN", "UAH")}
    bounds = convert_bounds(1, 2, currency="USD", rates=ExchangeRates(DAY, many))
    assert bounds.currencies == ["USD", "EUR", "UAH", "AED"]
    assert len(bounds.minima) == len(bounds.maxima) == 4


def test_a_single_currency_is_bounded_in_its_own_money() -> None:
    bounds = single_currency(None, 0.7, currency="UAH")
    assert (bounds.currencies, bounds.minima, bounds.maxima) == (["UAH"], [Decimal(0)], [Decimal("0.7")])
    assert bounds.basis.currencies == ["UAH"]


def test_prices_can_be_compared_where_a_rate_is_known() -> None:
    assert comparable_rates("USD", RATES) == (
        ["USD", "EUR", "UAH"],
        [Decimal(1), Decimal("0.8"), Decimal("42.5")],
    )
    assert comparable_rates("UAH", None) == (["UAH"], [Decimal(1)])
    assert comparable_rates("PLN", RATES) == (["PLN"], [Decimal(1)])
