"""Price bounds in several currencies: the bounds are converted, not the rows, so that indexes serve."""

from datetime import date
from decimal import Decimal
from typing import Final

from msgspec import UNSET, Struct

from vmk_mcp.listings.model import ENUMERATIONS, PriceBasis

MAX_PRICE: Final = Decimal(10) ** 18
RATES_GROW_OLD_AFTER_DAYS: Final = 30
_SLOTS: Final = 4
_NO_PRICE: Final = Decimal(0)


class ExchangeRates(Struct, frozen=True):
    """Units of each currency for one US dollar on one day; USD itself is understood."""

    date: date
    per_usd: dict[str, Decimal]

    def rate(self, source: str, target: str) -> Decimal | None:
        """Give units of `target` for one unit of `source`, or None when a rate is missing."""
        if source == target:
            return Decimal(1)
        known = {"USD": Decimal(1), **self.per_usd}
        if source not in known or target not in known:
            return None
        return known[target] / known[source]


class PriceBounds(Struct, frozen=True):
    """Bounds in the own money of each currency that they reach, and how they came to be."""

    currencies: list[str]
    minima: list[Decimal]
    maxima: list[Decimal]
    basis: PriceBasis


def convert_bounds(
    minimum: float | None, maximum: float | None, *, currency: str, rates: ExchangeRates | None
) -> PriceBounds:
    """Carry price bounds given in `currency` over to every currency with a known rate, four at most.

    Where more have rates, those that the collector writes come first.
    """
    bounds = _bounds_in(minimum, maximum, Decimal(1))
    currencies, minima, maxima = [currency], [bounds[0]], [bounds[1]]
    applied: dict[str, float] = {}
    others = sorted({"USD", *rates.per_usd} - {currency}, key=_by_use) if rates else []
    for other in others[: _SLOTS - 1]:
        rate = rates.rate(currency, other) if rates else None
        if rate is not None:
            lower, upper = _bounds_in(minimum, maximum, rate)
            currencies.append(other)
            minima.append(lower)
            maxima.append(upper)
            applied[other] = round(float(rate), 6)
    basis = PriceBasis(currency, currencies, applied, rates.date if rates and applied else UNSET)
    return PriceBounds(currencies, minima, maxima, basis)


def single_currency(minimum: float | None, maximum: float | None, *, currency: str) -> PriceBounds:
    """Give bounds that only listings priced in `currency` can pass."""
    lower, upper = _bounds_in(minimum, maximum, Decimal(1))
    return PriceBounds([currency], [lower], [upper], PriceBasis(currency, [currency]))


def comparable_rates(currency: str, rates: ExchangeRates | None) -> tuple[list[str], list[Decimal]]:
    """Give the currencies that prices can be compared in, and units of each for one of `currency`."""
    names = [currency, *sorted({"USD", *rates.per_usd} - {currency})] if rates else [currency]
    known = [(name, rates.rate(currency, name) if rates else Decimal(1)) for name in names]
    pairs = [(name, rate) for name, rate in known if rate is not None]
    return [name for name, _ in pairs], [rate for _, rate in pairs]


def _by_use(currency: str) -> tuple[bool, str]:
    return currency not in ENUMERATIONS["currency"], currency


def _bounds_in(minimum: float | None, maximum: float | None, rate: Decimal) -> tuple[Decimal, Decimal]:
    lower = _NO_PRICE if minimum is None else Decimal(str(minimum)) * rate
    upper = MAX_PRICE if maximum is None else Decimal(str(maximum)) * rate
    return lower, upper
