"""How large a value may be, as far as a statement shows it: an interval, a size, and a constant text."""

import math
import re
from collections.abc import Callable, Iterable
from datetime import date
from typing import Final

from msgspec import Struct, structs

SMALL: Final = 32.0
# No text of a column is known, so it is taken for a long paragraph.
PROSE: Final = 500.0

# Days since year 1. Dates of columns and clocks are taken to lie in some 25 years, as in working databases.
_FIRST_DAY: Final = float(date(2006, 1, 1).toordinal())
_LAST_DAY: Final = float(date(2031, 1, 1).toordinal())


class Extent(Struct, frozen=True):
    """Bounds of one value; of a date the days since year 1, of an interval its days.

    Attributes:
        low: least number it can be; minus infinity where nobody knows.
        high: greatest number it can be.
        size: characters that it may take as a text, or that its elements may.
        text: the text it is, where that is constant.
        is_double: it is a floating-point number, whose arithmetic costs nothing.
    """

    low: float = -math.inf
    high: float = math.inf
    size: float = SMALL
    text: str | None = None
    is_double: bool = False

    @property
    def is_known(self) -> bool:
        """Say whether both bounds are known."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def reach(self) -> float:
        """The greatest distance from zero."""
        return max(abs(self.low), abs(self.high))


UNKNOWN: Final = Extent()
LONG: Final = Extent(size=PROSE)
TODAY: Final = Extent(low=_FIRST_DAY, high=_LAST_DAY)
TRUTH: Final = Extent(low=0, high=1)


def number(value: float) -> Extent:
    """Give the extent of a constant number."""
    return Extent(low=value, high=value)


def constant_text(text: str) -> Extent:
    """Give the extent of a constant text."""
    return Extent(size=float(len(text)), text=text)


def join_extents(extents: Iterable[Extent]) -> Extent:
    """Give what holds of a value that is any one of several; one that is never given is `UNKNOWN`."""
    several = list(extents)
    if len(several) <= 1:
        return several[0] if several else UNKNOWN
    return Extent(
        low=min(extent.low for extent in several),
        high=max(extent.high for extent in several),
        size=max(extent.size for extent in several),
        is_double=all(extent.is_double for extent in several),
    )


def sum_sizes(extents: Iterable[Extent]) -> Extent:
    """Give what holds of a value that is put together of several."""
    return Extent(size=SMALL + sum(extent.size for extent in extents))


def with_size(extent: Extent, size: float) -> Extent:
    """Give the same bounds with another size; the constant is forgotten."""
    return structs.replace(extent, size=size, text=None)


def combine(operator: str, left: Extent, right: Extent) -> Extent:
    """Give the extent of what an operator makes of two values."""
    if operator == "||":
        text = left.text + right.text if left.text is not None and right.text is not None else None
        return Extent(size=left.size + right.size, text=text)
    low, high = _BOUNDS.get(operator, _no_bounds)(left, right)
    size = SMALL if operator in _BOUNDS else left.size + right.size
    return Extent(low=low, high=high, size=size, is_double=left.is_double or right.is_double)


def _no_bounds(left: Extent, right: Extent) -> tuple[float, float]:
    del left, right
    return -math.inf, math.inf


def _multiply(left: Extent, right: Extent) -> tuple[float, float]:
    if not (left.is_known and right.is_known):
        return _no_bounds(left, right)
    ends = [one * other for one in (left.low, left.high) for other in (right.low, right.high)]
    return min(ends), max(ends)


def _divide(left: Extent, right: Extent) -> tuple[float, float]:
    # Only by one or more is a quotient no larger than what was divided.
    is_shrinking = right.low >= 1 or right.high <= -1
    return (-left.reach, left.reach) if left.is_known and is_shrinking else _no_bounds(left, right)


def _rest(left: Extent, right: Extent) -> tuple[float, float]:
    del left
    return -right.reach, right.reach


_BOUNDS: Final[dict[str, Callable[[Extent, Extent], tuple[float, float]]]] = {
    "+": lambda left, right: (left.low + right.low, left.high + right.high),
    "-": lambda left, right: (left.low - right.high, left.high - right.low),
    "*": _multiply,
    "/": _divide,
    "%": _rest,
}

_UNITS: Final = {
    "microsecond": 1e-6 / 86_400, "millisecond": 1e-3 / 86_400, "second": 1 / 86_400, "sec": 1 / 86_400,
    "s": 1 / 86_400, "minute": 1 / 1_440, "min": 1 / 1_440, "hour": 1 / 24, "h": 1 / 24, "day": 1.0, "d": 1.0,
    "week": 7.0, "month": 30.0, "mon": 30.0, "quarter": 91.0, "year": 365.0, "y": 365.0, "decade": 3_650.0,
    "century": 36_500.0, "millennium": 365_000.0,
}  # fmt: skip
_SPAN: Final = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*([a-z]+)\s*")
_CLOCK: Final = re.compile(r"([+-]?\d+):(\d\d)(?::(\d\d(?:\.\d+)?))?")
_DAY: Final = re.compile(r"(\d{4})-(\d\d?)(?:-(\d\d?))?(?:[T ].*)?")
_TODAY: Final = frozenset({"now", "today", "tomorrow", "yesterday"})


def read_day(text: str) -> Extent:
    """Read a constant date or time in ISO form; anything else is `UNKNOWN`, `infinity` too."""
    word = text.strip().lower()
    if word in _TODAY:
        return TODAY
    found = _DAY.fullmatch(word)
    if not found or word.endswith("bc"):
        return UNKNOWN
    try:
        return number(float(date(int(found[1]), int(found[2]), int(found[3] or 1)).toordinal()))
    except ValueError:
        return UNKNOWN


def read_span(text: str, unit: str = "") -> Extent:
    """Read a constant interval such as `1 month` or `00:05`; `unit` counts for a bare number."""
    word = text.strip().lower()
    clock = _CLOCK.fullmatch(word)
    if clock:
        return number(int(clock[1]) / 24 + int(clock[2]) / 1_440 + float(clock[3] or 0) / 86_400)
    if unit and (plain := read_number(word)).is_known:
        return number(plain.low * _UNITS.get(unit, math.inf))
    days, place = 0.0, 0
    while place < len(word):
        span = _SPAN.match(word, place)
        length = _UNITS.get(span[2], _UNITS.get(span[2].removesuffix("s"))) if span else None
        if span is None or length is None:
            return UNKNOWN
        days += float(span[1]) * length
        place = span.end()
    return number(days) if word else UNKNOWN


def read_number(text: str) -> Extent:
    """Read a constant number; anything else is `UNKNOWN`."""
    try:
        value = float(text)
    except ValueError:
        return UNKNOWN
    return number(value) if math.isfinite(value) else UNKNOWN


def as_number(extent: Extent) -> Extent:
    """Read a bare text as the number that Postgres takes it for where it wants one."""
    return extent if extent.text is None else read_number(extent.text)
