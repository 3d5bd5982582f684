"""What the values of matched words make: one reader for each subject of the grammar."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from msgspec import Struct

from vmk_mcp.listings.interpretation.lexicon import Token, load_lexicon
from vmk_mcp.listings.interpretation.outcome import FilterValue

ABOUT: Final = 0.1
"""A price or area without a bound, or "about" one, means this share up and down."""

NEAR_METRO_M: Final = 1_000
"""What "near the underground" means: a quarter of an hour on foot."""

METRES_A_MINUTE: Final = 80
"""On foot, as agents reckon."""

_ROOMS: Final = range(1, 21)
_SHORT_ROOMS: Final = range(1, 7)
_FLOORS: Final = range(1, 101)
_YEARS: Final = range(1850, 2101)
_AREAS: Final = (5.0, 1_000_000.0)
_DISTANCES: Final = (50.0, 20_000.0)
_WIDEST_RANGE: Final = 100
"""«50-70 000 $» leaves open what the first number counts."""

_LOW_HOUSE: Final = 3
"""A house of so many storeys is no block of flats."""

_LEAST_SUM: Final = 1_000
_LARGEST_SUM: Final = 1e12

_COUNTED: Final = ("number", "ordinal", "rooms_word", "low_storeyed")

Fields = dict[str, FilterValue]


class Refusal(Struct, frozen=True):
    """Words that were understood and make no filter; an empty reason is not worth telling."""

    reason: str = ""


Outcome = Fields | Refusal | None
"""None: the rule does not hold after all, and others may."""


class Span(Struct, frozen=True):
    """The words that a rule matched, and their kinds after places were taken."""

    tokens: Sequence[Token]
    signs: Sequence[str]

    def values(self, kind: str) -> list[str | float]:
        """Give the values of the words of one kind."""
        sign = load_lexicon().signs[kind]
        return [token.value for token in self.tokens if token.sign == sign and token.value is not None]

    def has(self, kind: str) -> bool:
        """Say whether a word of this kind is among them."""
        return load_lexicon().signs[kind] in self.signs

    def numbers(self) -> list[float]:
        """Give the numbers as they stand."""
        return [float(value) for value in self.values("number")]

    def counts(self, allowed: range) -> list[int] | None:
        """Give numbers, ordinals and room words as whole numbers; None where one is not among the allowed."""
        signs = {load_lexicon().signs[kind] for kind in _COUNTED}
        found = [
            value
            for token in self.tokens
            if token.sign in signs and token.value is not None
            for value in _split_list(token)
        ]
        counts = [int(value) for value in found if value.is_integer() and int(value) in allowed]
        return counts if counts and len(counts) == len(found) else None

    def amounts(self) -> list[float]:
        """Give the sums of money; a multiplier after the last counts for a smaller one before it, too."""
        signs = load_lexicon().signs
        amounts: list[tuple[float, float]] = []
        for token in self.tokens:
            if token.sign == signs["number"] and token.value is not None:
                amounts.append((float(token.value), 1.0))
            elif token.sign in {signs["scale"], signs["k"]} and amounts:
                amounts[-1] = (amounts[-1][0], float(token.value or 1_000))
        last, scale = amounts[-1] if amounts else (0.0, 1.0)
        return [n * (scale if once == 1 and n < last else once) for n, once in amounts]


def _split_list(token: Token) -> list[float]:
    """Give the value of a count; «1,2» is two of them, «1,5» one and a half."""
    if _is_list(token):
        return [float(token.key[0]), float(token.key[2])]
    return [float(token.value or 0)]


def _is_list(token: Token) -> bool:
    """Say whether a token is two counts, as «1,3» in «1,3-кімнатна»."""
    is_pair = len(token.key) == len("1,2") and token.key[1] == ","
    return is_pair and (token.key[2] != "5" or token.key[0] == "4")


def read_price(reads: str, span: Span) -> Outcome:
    """Read `min_price` and `max_price` in one currency, and `rent_long` where it is by the month."""
    amounts = span.amounts()
    currencies = {str(value) for value in span.values("money")} | ({"EUR"} if span.has("euro") else set())
    if len(currencies) > 1:
        return Refusal("two currencies in one price")
    if not amounts or not all(0 < amount <= _LARGEST_SUM for amount in amounts):
        return None
    if reads == "between" and span.has("k") and span.numbers()[0] in _SHORT_ROOMS:
        # «1к - 12000 грн» names the rooms and then the price.
        return None
    if reads == "between" and amounts[-1] > _WIDEST_RANGE * amounts[0]:
        return Refusal("the bounds of the price are unclear")
    bounds = _bounds(reads, amounts, "price")
    # What is paid by the month is rent.
    rent: Fields = {"deal_type": ["rent_long"]} if span.has("period") else {}
    return {**bounds, "currency": currencies.pop(), **rent} if bounds else None


def read_area(reads: str, span: Span) -> Outcome:
    """Read `min_total_area` and `max_total_area`, m²."""
    numbers = span.numbers()
    if not numbers or not all(_AREAS[0] <= number <= _AREAS[1] for number in numbers[:2]):
        return None
    if reads == "first":
        return _bounds("about", numbers[:1], "total_area")
    return _bounds(reads, numbers, "total_area")


def _bounds(reads: str, amounts: list[float], name: str) -> Fields | None:
    lower, upper = f"min_{name}", f"max_{name}"
    if reads == "between":
        return {lower: amounts[0], upper: amounts[1]} if amounts[0] <= amounts[1] else None
    if reads == "at_least":
        return {lower: amounts[0]}
    if reads == "at_most":
        return {upper: amounts[0]}
    return {lower: round(amounts[0] * (1 - ABOUT), 2), upper: round(amounts[0] * (1 + ABOUT), 2)}


def read_rooms(reads: str, span: Span) -> Outcome:
    """Read `rooms_count`, `min_rooms` and `max_rooms`."""
    counts = span.counts(_SHORT_ROOMS if reads == "short" else _ROOMS)
    if counts is None:
        return None
    if reads in {"any_of", "short"}:
        return {"rooms_count": _spread(counts, span)}
    return _counted(reads, counts, "rooms")


def _spread(counts: list[int], span: Span) -> list[int]:
    """Fill «1-3» up to 1, 2, 3; a list stays as it is."""
    low, high = counts[0], counts[-1]
    is_list = any(map(span.has, ("or", "and", "comma", "slash"))) or any(map(_is_list, span.tokens))
    ranged = len(counts) == 2 and low < high and not is_list  # noqa: PLR2004 - the two ends of a range
    return list(range(low, high + 1)) if ranged else sorted(set(counts))


def _counted(reads: str, counts: list[int], name: str) -> Fields | None:
    lower, upper = f"min_{name}", f"max_{name}"
    first, last = counts[0], counts[-1]
    readings: Mapping[str, Fields] = {
        "between": {lower: first, upper: last},
        "at_least": {lower: first},
        "at_most": {upper: first},
        "above": {lower: first + 1},
        "below": {upper: first - 1},
    }
    return None if first > last or (reads == "below" and first == 1) else readings[reads]


def read_floor(reads: str, span: Span) -> Outcome:
    """Read every wish about the floor."""
    if reads == "not":
        return _read_unwanted_floors(span)
    counts = span.counts(_FLOORS)
    if counts is None:
        return None
    if reads != "any_of":
        return _counted(reads, counts, "floor")
    # «5/9» and «5 поверх з 9» tell the height of the house as well.
    of_height = span.has("slash") or span.has("from") or span.has("with")
    return {"floor": counts[:1] if of_height else sorted(set(counts))}


def _read_unwanted_floors(span: Span) -> Outcome:
    unwanted = span.counts(_FLOORS) or []
    is_edge = span.has("edge")
    fields: Fields = {}
    if is_edge or 1 in unwanted:
        fields["not_first_floor"] = True
    if is_edge or span.has("last"):
        fields["not_last_floor"] = True
    if set(unwanted) - {1}:
        return Refusal("of floors only the first and the last can be left out")
    return fields or None


def read_storeys(_reads: str, span: Span) -> Outcome:
    """Read the height of the house: no filter, but a low house is a house."""
    counts = span.counts(_FLOORS)
    signs = load_lexicon().signs
    if (
        counts
        and counts[0] <= _LOW_HOUSE
        and span.has("house")
        and span.tokens[0].sign
        not in {
            signs["in"],
            signs["on"],
        }
    ):
        return {"property_type": ["house"]}
    return Refusal()


def read_metro(reads: str, span: Span) -> Outcome:
    """Read `max_metro_distance_meters`."""
    if reads == "near":
        # Near a station by name, the station is the wish.
        return {} if span.has("station") else {"max_metro_distance_meters": NEAR_METRO_M}
    number = span.numbers()[-1]
    factor = METRES_A_MINUTE if reads == "minutes" else 1_000 if span.has("km") else 1
    metres = round(number * factor)
    return {"max_metro_distance_meters": metres} if _DISTANCES[0] <= metres <= _DISTANCES[1] else None


def read_year(_reads: str, span: Span) -> Outcome:
    """Read `min_building_year`; a year named as a bound belongs to it."""
    years = span.counts(_YEARS)
    return {"min_building_year": years[0]} if years else None


def _read_deal(reads: str, span: Span) -> Outcome:
    return {"deal_type": _named(span, "deal") if reads == "any_of" else [reads]}


def _read_renovation(reads: str, span: Span) -> Outcome:
    if reads == "euro":
        return {"renovation_status": ["euro", "euro_repair"]}
    return {"renovation_status": _named(span, "design") if reads == "any_of" else [reads]}


def _read_balcony(reads: str, _span: Span) -> Outcome:
    return {"has_balcony": reads == "yes"}


def _read_building(_reads: str, span: Span) -> Outcome:
    return {"building_type": [*_named(span, "building"), *_named(span, "wooden")]}


def _read_property(reads: str, span: Span) -> Outcome:
    return {"property_type": _named(span, "property") if reads == "any_of" else [reads]}


def _named(span: Span, kind: str) -> list[str]:
    return list(dict.fromkeys(str(value) for value in span.values(kind)))


def _refuse(reads: str, _span: Span) -> Outcome:
    return Refusal(reads)


def _refuse_sum(reads: str, span: Span) -> Outcome:
    """Refuse a bare number that is a sum by its size alone: no floor, area, count of rooms or year."""
    amount = span.amounts()[-1]
    if span.has("k") and span.numbers()[-1] in _SHORT_ROOMS:
        return None
    return Refusal(reads) if amount >= _LEAST_SUM and int(amount) not in _YEARS else None


def _lead_up(_reads: str, _span: Span) -> Outcome:
    return {}


def _pass_over(_reads: str, _span: Span) -> Outcome:
    return Refusal()


READERS: Final[Mapping[str, Callable[[str, Span], Outcome]]] = {
    "price": read_price,
    "area": read_area,
    "rooms": read_rooms,
    "floor": read_floor,
    "storeys": read_storeys,
    "metro": read_metro,
    "year": read_year,
    "deal": _read_deal,
    "renovation": _read_renovation,
    "balcony": _read_balcony,
    "building": _read_building,
    "property": _read_property,
    "refused": _refuse,
    "passed": _pass_over,
    "sum": _refuse_sum,
    "cue": _lead_up,
}
"""By the subject of a rule."""
