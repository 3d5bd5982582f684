"""Numbers as people and their programs write them."""

import math
import re
from decimal import Decimal, InvalidOperation
from typing import Final, Literal

from vmk_mcp.listings.loading.rows import Unfit

DecimalMark = Literal["auto", "comma", "point"]
"""What parts the whole from the fraction; `auto`: told number by number, and refused where it cannot be."""

_LONGEST: Final = 40
_SIGNS: Final = str.maketrans({"\u2212": "-", "\u2013": "-", "\u2019": "'", "\u02bc": "'", "`": "'"})
_GROUPED: Final = re.compile(r"(?<!\d)\d{1,3}(?:[\s']\d{3})+(?!\d)")
_SCIENTIFIC: Final = re.compile(r"[+-]?\d+(?:\.\d+)?e[+-]?\d{1,3}", re.IGNORECASE)
_PLAIN: Final = re.compile(r"[+-]?[\d.,]*\d[\d.,]*")
_AMBIGUOUS: Final = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_LARGEST_EXPONENT: Final = 30


def parse_number(given: object, mark: DecimalMark = "auto") -> Decimal:
    """Read a number, with spaces or apostrophes between thousands, a decimal comma or a decimal point.

    Where both comma and point stand, the last is decimal; one that stands several times parts thousands. With
    `auto`, one comma before three digits (`65,000`) may be either and is refused; a point is always decimal.

    Raises:
        Unfit: it is none.
    """
    if isinstance(given, str):
        number = _parse_text(given.translate(_SIGNS).strip(), mark)
    elif isinstance(given, bool) or not isinstance(given, int | float | Decimal):
        raise Unfit("a number")
    else:
        number = Decimal(repr(given)) if isinstance(given, float) else Decimal(given)
    if not number.is_finite() or number.adjusted() > _LARGEST_EXPONENT:
        raise Unfit("a number of ordinary size")
    return number


def is_nan(given: object) -> bool:
    """Say whether `given` is the number that stands for none at all."""
    return (isinstance(given, float) and math.isnan(given)) or (isinstance(given, Decimal) and given.is_nan())


def _parse_text(text: str, mark: DecimalMark) -> Decimal:
    if len(text) > _LONGEST:
        raise Unfit("a number")
    if _SCIENTIFIC.fullmatch(text):
        return Decimal(text)
    joined = _GROUPED.sub(lambda match: re.sub(r"[\s']", "", match[0]), text)
    joined = re.sub(r"^([+-])\s+", r"\1", joined)
    if not _PLAIN.fullmatch(joined):
        raise Unfit("a number")
    if mark == "auto" and joined == text and _AMBIGUOUS.fullmatch(text):
        raise Unfit(f"a number that can be read in one way: write {text.replace(',', '')} or use --decimal")
    return _compute(joined, _choose_mark(joined) if mark == "auto" else {"comma": ",", "point": "."}[mark])


def _choose_mark(text: str) -> str:
    """Give the decimal mark of `text`, which holds digits, commas and points."""
    if "," in text and "." in text:
        return max(",.", key=text.rindex)
    if text.count(",") + text.count(".") > 1:
        return "." if "," in text else ","
    return "," if "," in text else "."


def _compute(text: str, mark: str) -> Decimal:
    whole, _, fraction = text.partition(mark)
    thousands = "." if mark == "," else ","
    if thousands in whole and not re.fullmatch(rf"[+-]?\d{{1,3}}(?:\{thousands}\d{{3}})+", whole):
        raise Unfit("a number")
    digits = whole.replace(thousands, "")
    try:
        return Decimal(f"{digits}.{fraction}" if fraction else digits)
    except InvalidOperation:
        raise Unfit("a number") from None
