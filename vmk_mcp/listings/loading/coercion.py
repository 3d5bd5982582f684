"""Values of a file as what the fields of a listing take."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import partial
from typing import Final

from msgspec import Struct

from vmk_mcp.listings.loading.dates import parse_date
from vmk_mcp.listings.loading.numbers import DecimalMark, is_nan, parse_number
from vmk_mcp.listings.loading.rows import Unfit, Value
from vmk_mcp.listings.loading.words import fold_word, read_words
from vmk_mcp.listings.model import ENUMERATIONS

UNREADABLE: Final = "characters that no database holds were taken out"
UNPRICED: Final = "words for a price that is to be agreed were taken for no price"
UNKNOWN: Final = "values outside the enumeration were kept as they are"

_MISSING: Final = frozenset({"", "null", "\\n", "nan", "n/a", "#n/a", "-", "\u2013", "\u2014"})
_UNSTORABLE: Final = re.compile("[\x00\ufffd\ud800-\udfff]")
_LARGEST_INT4: Final = 2**31 - 1
_LARGEST_INT8: Final = 2**63 - 1
_CURRENCY_LENGTH: Final = 3

_METRES: Final = re.compile(r"\s*(?P<kilo>к|k)?(?:м|m|метр\w*)\.?$", re.IGNORECASE)
_SQUARE_METRES: Final = re.compile(
    r"\s*(?:м²|м2|m²|m2|кв\.?\s*м(?:етр\w*)?\.?|м\.?\s?кв\.?|sq\.?\s*m\.?)$", re.IGNORECASE
)
_COUNTED: Final = re.compile(
    r"\s*-?\s*(?:к|кімн\w*|комн\w*|rooms?|пов|поверх\w*|этаж\w*|рік|року|р|год\w*|г|шт|фото)\.?$",
    re.IGNORECASE,
)
_FLOOR_OF: Final = re.compile(r"(?P<floor>-?\d{1,3})\s*(?:/|з|із|из|of)\s*(?P<floors>\d{1,3})", re.IGNORECASE)
_PRICE: Final = re.compile(
    r"(?P<before>[^\d+\-\u2212]*)(?P<number>[+\-\u2212]?[\d\s.,'\u2019\u02bc`]*\d(?:[eE][+-]?\d+)?)(?P<after>\D*)"
)
_PERIOD: Final = re.compile(
    r"\s*(?:/|за|на|в|per)\s*(?:міс\w*|мес\w*|month|доб\w*|день|сут\w*|day)\.?$", re.IGNORECASE
)


class Coerced(Struct, frozen=True):
    """What a value has become.

    Attributes:
        value: of the field itself.
        beside: field -> value that stood in the same cell (a price's currency), for a field that has none.
        noticed: `UNREADABLE`, `UNKNOWN`, `UNPRICED` or empty.
    """

    value: Value
    beside: Mapping[str, Value] = {}
    noticed: str = ""


Coerce = Callable[[object, DecimalMark], Coerced]


def coerce(field: str, given: object, mark: DecimalMark = "auto") -> Coerced:
    """Give what `field` takes for `given`; what stands for nothing becomes None.

    Raises:
        Unfit: `given` is not what the field takes.
    """
    if is_missing(given):
        return Coerced(None)
    return _COERCE[field](given, mark)


def is_missing(given: object) -> bool:
    """Say whether `given` stands for nothing: null, an empty cell, a lone dash, `NULL`, `NaN`, `N/A`."""
    if isinstance(given, str):
        return given.strip().casefold() in _MISSING
    return given is None or is_nan(given)


def _text(given: object, mark: DecimalMark) -> Coerced:
    del mark
    if isinstance(given, bool) or not isinstance(given, str | int | float | Decimal):
        raise Unfit("a text")
    # Programs that know no missing whole numbers write telephone numbers as fractions.
    text = str(int(given) if isinstance(given, float) and given.is_integer() else given)
    clean = _UNSTORABLE.sub("", text).strip()
    return Coerced(clean or None, noticed="" if len(clean) == len(text.strip()) else UNREADABLE)


def _whole(given: object, mark: DecimalMark, *, low: int = 0, high: int = _LARGEST_INT4) -> Coerced:
    number = parse_number(_COUNTED.sub("", given) if isinstance(given, str) else given, mark)
    if number != number.to_integral_value():
        raise Unfit("a whole number")
    if not low <= number <= high:
        raise Unfit(f"a whole number from {low} to {high}")
    return Coerced(int(number))


def _identity(given: object, mark: DecimalMark) -> Coerced:
    try:
        return _whole(given, mark, low=-_LARGEST_INT8 - 1, high=_LARGEST_INT8)
    except Unfit as unfit:
        raise Unfit(f"{unfit}, or --id-from COLUMN to make ids of texts") from None


def _floor(given: object, mark: DecimalMark) -> Coerced:
    if isinstance(given, str) and (both := _FLOOR_OF.fullmatch(given.strip())):
        return Coerced(int(both["floor"]), {"floors_count": int(both["floors"])})
    return _whole(given, mark, low=-100)


def _balconies(given: object, mark: DecimalMark) -> Coerced:
    has = given if isinstance(given, bool) else read_words().booleans.get(fold_word(str(given)))
    return Coerced(int(has)) if has is not None else _whole(given, mark)


def _area(given: object, mark: DecimalMark) -> Coerced:
    bare = _SQUARE_METRES.sub("", given) if isinstance(given, str) else given
    return _real(bare, mark, low=0, high=1e7)


def _real(given: object, mark: DecimalMark, *, low: float, high: float) -> Coerced:
    number = parse_number(given, mark)
    if not low <= number <= high:
        raise Unfit(f"a number from {low:g} to {high:g}")
    return Coerced(float(number))


def _metres(given: object, mark: DecimalMark) -> Coerced:
    unit = _METRES.search(given) if isinstance(given, str) else None
    if isinstance(given, str) and unit is not None:
        factor = 1000 if unit["kilo"] else 1
        return _whole(round(parse_number(given[: unit.start()], mark) * factor), mark)
    return _whole(round(parse_number(given, mark)), mark)


def _price(given: object, mark: DecimalMark) -> Coerced:
    if isinstance(given, str) and fold_word(given) in read_words().unpriced:
        return Coerced(None, noticed=UNPRICED)
    amount, currency = _split_price(given) if isinstance(given, str) else (given, None)
    number = parse_number(amount, mark)
    if number < 0:
        raise Unfit("a price of 0 or more")
    return Coerced(number, {"currency": currency} if currency else {})


def _split_price(text: str) -> tuple[str, str | None]:
    """Take a currency's word or sign off a price, and the time that it is for."""
    parts = _PRICE.fullmatch(_PERIOD.sub("", text.strip()))
    if parts is None:
        return text, None
    sign = fold_word(parts["before"] + parts["after"])
    currency = read_words().values["currency"].get(sign)
    if sign and currency is None:
        raise Unfit("a price such as 65000, 65 000 $ or 15000 грн")
    return parts["number"], currency


def _currency(given: object, mark: DecimalMark) -> Coerced:
    coerced = _enumerated(given, mark, field="currency")
    if coerced.noticed == UNKNOWN and len(str(coerced.value)) != _CURRENCY_LENGTH:
        raise Unfit("a currency: its sign, its name or its code of three letters")
    return Coerced(str(coerced.value).upper(), noticed=coerced.noticed) if coerced.noticed else coerced


def _enumerated(given: object, mark: DecimalMark, *, field: str) -> Coerced:
    text = _text(given, mark)
    if not isinstance(text.value, str):
        return text
    known = read_words().values[field].get(fold_word(text.value))
    return Coerced(known) if known else Coerced(text.value, noticed=UNKNOWN)


def _date(given: object, mark: DecimalMark) -> Coerced:
    del mark
    return Coerced(parse_date(given))


_COERCE: Final[Mapping[str, Coerce]] = {
    "id": _identity,
    "raw_data_id": _identity,
    "price": _price,
    "latitude": partial(_real, low=-90, high=90),
    "longitude": partial(_real, low=-180, high=180),
    **dict.fromkeys(("rooms_count", "floors_count", "images_count"), _whole),
    **dict.fromkeys(("total_area", "living_area", "kitchen_area"), _area),
    "floor": _floor,
    "building_year": partial(_whole, low=1000, high=2200),
    "balcony_count": _balconies,
    "metro_distance_meters": _metres,
    **dict.fromkeys(("publish_date", "archived_at", "created_at", "updated_at"), _date),
    **{field: partial(_enumerated, field=field) for field in ENUMERATIONS},
    "currency": _currency,
    **dict.fromkeys(
        (
            "title", "description", "generated_description", "city", "district", "address_raw",
            "metro_station", "url_source", "contact_phone", "contact_name",
        ),
        _text,
    ),
}  # fmt: skip
