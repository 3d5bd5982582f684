"""The rule language of the labelled queries: wishes over what is known of a listing, and grades out of them.

A wish is a key and a value. The key is a field of `Facts`, and the value one value, a list of which any will
do, or `{min, max}`; `price` takes `{min, max, currency}` and reaches other currencies by the sample's rates.
Three keys look at the text: `says` lists phrases of the sample's banks (`pets.allowed`), `text` regular
expressions, and all of the list must hold, alternatives parted by `|`; `lacks` lists
either, and none of them may hold.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from msgspec import Struct, field

from tests.bench.eval.facts import Facts, Value
from vmk_mcp.listings.normalize import fold_name
from vmk_mcp.sample.listings import RATES_PER_USD

Bounds = dict[str, float | str]
Wanted = str | float | bool | list[str | float] | Bounds
Wishes = dict[str, Wanted]


class LabelledQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """A query as somebody types it, and what makes a listing a right answer.

    Attributes:
        must: the hard wishes.
        should: the soft ones.
        near: replaces hard wishes of the same keys for the lowest grade.
        empty: no listing of the sample is right.
    """

    text: str
    must: Wishes
    should: Wishes = field(default_factory=dict)
    near: Wishes = field(default_factory=dict)
    empty: bool = False


FITS, FITS_HARD, NEAR_MISS, UNFIT = 3, 2, 1, 0
"""All wishes hold; all hard ones; all but one, and that one nearly or for all that is known; neither."""

NEARLY: Final = 0.1
"""A bound missed by this share is a near miss."""

FILTERABLE: Final = frozenset({
    "balcony_count", "building_type", "building_year", "city", "deal_type", "district", "family", "floor",
    "metro_distance_meters", "metro_station", "not_first_floor", "not_last_floor", "price", "property_type",
    "renovation_status", "rooms_count", "total_area",
})  # fmt: skip
"""Wishes that a filter of the tools can express."""

_PLACES: Final = frozenset({"city", "district", "metro_station"})
TEXTUAL: Final = frozenset({"says", "text", "lacks"})


def grade(query: LabelledQuery, facts: Facts) -> int:
    """Give the grade of one listing, 3 (fits all wishes) to 0."""
    unmet = [(key, wanted) for key, wanted in query.must.items() if holds(key, wanted, facts) is not True]
    if not unmet:
        soft = all(holds(key, wanted, facts) is True for key, wanted in query.should.items())
        return FITS if soft else FITS_HARD
    if query.near:
        relaxed = {**query.must, **query.near}
        nearly = all(holds(key, wanted, facts) is True for key, wanted in relaxed.items())
    else:
        nearly = len(unmet) == 1 and _nearly_holds(*unmet[0], facts)
    return NEAR_MISS if nearly else UNFIT


def contradicts(query: LabelledQuery, facts: Facts) -> bool:
    """Say whether what is known of a listing is against a hard wish that a filter could have kept."""
    return any(holds(key, wanted, facts) is False for key, wanted in query.must.items() if key in FILTERABLE)


def holds(key: str, wanted: Wanted, facts: Facts) -> bool | None:
    """Say whether a wish holds; None: nobody can know."""
    if key in TEXTUAL:
        return _holds_in_text(key, [str(entry) for entry in _listed(wanted)], facts)
    if isinstance(wanted, dict):
        return _within(wanted, facts.fields[_field(key)], slack=0)
    known = facts.fields[key]
    if known is None:
        return None
    allowed = [_comparable(key, value) for value in _listed(wanted)]
    return known in allowed


def _nearly_holds(key: str, wanted: Wanted, facts: Facts) -> bool:
    if key in TEXTUAL:
        return False
    if isinstance(wanted, dict):
        fits = _within(wanted, facts.fields[_field(key)], slack=NEARLY)
        return key in FILTERABLE if fits is None else fits
    return key in FILTERABLE and facts.fields[key] is None


def _holds_in_text(key: str, entries: list[str], facts: Facts) -> bool:
    if key == "lacks":
        return not any(_is_told(entry, facts) for entry in entries)
    if key == "says":
        return all(not facts.phrases.isdisjoint(entry.split("|")) for entry in entries)
    return all(_expression(entry).search(facts.text) for entry in entries)


def _is_told(entry: str, facts: Facts) -> bool:
    return entry in facts.phrases or _expression(entry).search(facts.text) is not None


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _field(key: str) -> str:
    return "price_usd" if key == "price" else key


def _within(bounds: Mapping[str, float | str], known: Value, *, slack: float) -> bool | None:
    if known is None or isinstance(known, str):
        return None
    rate = float(RATES_PER_USD[str(bounds.get("currency", "USD"))])
    lower, upper = float(bounds.get("min", 0)), float(bounds.get("max", "inf"))
    return lower * (1 - slack) <= known * rate <= upper * (1 + slack)


def _comparable(key: str, value: str | float) -> Value:
    return fold_name(value) if key in _PLACES and isinstance(value, str) else value


def _listed(wanted: Wanted) -> Iterator[str | float]:
    if isinstance(wanted, list):
        yield from wanted
    elif not isinstance(wanted, dict):
        yield wanted
