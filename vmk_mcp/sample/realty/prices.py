"""What made-up premises cost: dollars by town, area and state, then another currency and a round figure."""

from decimal import Decimal
from random import Random
from typing import Final

from vmk_mcp.sample.realty.chance import draw_weighted
from vmk_mcp.sample.realty.places import Place
from vmk_mcp.sample.realty.premises import Premises

RATES_PER_USD: Final = {"USD": Decimal(1), "EUR": Decimal("0.86"), "UAH": Decimal("43.5")}
"""Units of a currency for one dollar on the sample's reference date; rounded, for the sample only."""

_PER_M2: Final = {
    "apartment": 1.0, "new_building": 1.0, "room": 0.85, "house": 0.62, "townhouse": 0.75, "dacha": 0.3,
    "commercial": 1.1, "office": 1.05, "warehouse": 0.35, "land": 0.0, "garage": 0.32, "parking": 0.7,
}  # fmt: skip
"""Against the level of a flat."""

_STATE: Final = {
    "none": 0.86, "construction": 0.84, "cosmetic": 1.0, "euro": 1.16, "euro_repair": 1.16, "designer": 1.38,
}  # fmt: skip
_VIEW: Final = {"park": 1.03, "forest": 1.03, "water": 1.1}

_PLOT_AGAINST_M2: Final = {"land": 2.4}
_HOUSE_PLOT_AGAINST_M2: Final = 1.2

_MONTHLY_SHARE: Final = {"house": 0.0042, "business": 0.0056, "land": 0.003, "car": 0.006}
_FLAT_MONTHLY_SHARE: Final = 0.0055
_CHEAP_TOWN_USD: Final = 300
# Rents fall slower than prices from dear towns to cheap ones.

_DAYS_A_MONTH: Final = 30
_SHORT_STAY_DEARER: Final = 2.3
_CHEAPEST_NIGHT_USD: Final = 16.0

_CURRENCIES: Final[dict[str, dict[str, float]]] = {
    "sale": {"USD": 82, "UAH": 13, "EUR": 5},
    "rent_long": {"UAH": 76, "USD": 18, "EUR": 6},
    "rent_short": {"UAH": 88, "EUR": 7, "USD": 5},
}

_STEPS: Final = ((200, 5), (1_000, 10), (5_000, 50), (20_000, 100), (200_000, 500), (1_000_000, 5_000))
_COARSEST_STEP: Final = 10_000


def draw_price(rng: Random, place: Place, premises: Premises) -> tuple[Decimal, str]:
    """Give a price and its currency: of the whole, a month or a night, as the deal is."""
    dollars = _sale_value(place, premises) * rng.uniform(0.88, 1.18)
    if premises.deal != "sale":
        share = _MONTHLY_SHARE.get(premises.family, _FLAT_MONTHLY_SHARE)
        dollars *= share * (1 + _CHEAP_TOWN_USD / place.level)
    if premises.deal == "rent_short":
        dollars = max(_CHEAPEST_NIGHT_USD, dollars * _SHORT_STAY_DEARER / _DAYS_A_MONTH)
    currency = draw_weighted(rng, _CURRENCIES[premises.deal])
    return round_price(dollars * float(RATES_PER_USD[currency])), currency


def round_price(amount: float) -> Decimal:
    """Give `amount` as people write a price, never zero."""
    step = next((step for limit, step in _STEPS if amount < limit), _COARSEST_STEP)
    return Decimal(max(1, round(amount / step)) * step)


def _sale_value(place: Place, premises: Premises) -> float:
    level = place.level
    plot_level = _PLOT_AGAINST_M2.get(premises.kind, _HOUSE_PLOT_AGAINST_M2) * level
    built = 0.0 if premises.kind == "land" else premises.total_area
    value = built * level * _PER_M2[premises.kind]
    value *= _STATE.get(premises.renovation or "", 1.0) * _VIEW.get(premises.view or "", 1.0)
    return value + (premises.plot or 0) * plot_level
