"""Spans of time in words: `in 2023`, `since March`, `last 90 days`, `минулого місяця`."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from importlib.resources import files
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from vmk_mcp.ask.drafting.offline.lexicon import load_lexicon
from vmk_mcp.ask.drafting.offline.tokens import Token


class Period(Struct, frozen=True):
    """Days from `first` on and before `end`; None where a side is open.

    Attributes:
        relation: `in`, `before`, `after`, `since`, `until` or `between`, as it was said.
        numbers: the bare numbers that were taken for years, which beside a plain number are none.
        is_future: whether all of it lies ahead by the way it was said.
    """

    first: date | None
    end: date | None
    relation: str = "in"
    numbers: tuple[Decimal, ...] = ()
    is_future: bool = False


class Found(NamedTuple):
    """A period and how many tokens say it."""

    period: Period
    length: int


class _Words(Struct, frozen=True):
    """`periods.toml`; each text lists words with commas between."""

    skipped: str
    to: str
    this: str
    last: str
    rolling: str
    next: str
    year_words: str
    relations: Mapping[str, str]
    units: Mapping[str, str]
    days: Mapping[str, int]
    quarters: Mapping[str, int]


def _split(listed: str) -> frozenset[str]:
    return frozenset(listed.split(", "))


_WORDS: Final = msgspec.toml.decode(
    files("vmk_mcp.ask.drafting.offline").joinpath("periods.toml").read_text("utf-8"), type=_Words
)
_RELATIONS: Final = {
    word: relation for relation, listed in _WORDS.relations.items() for word in _split(listed)
}
_UNIT_DAYS: Final = {"day": 1, "week": 7, "month": 30, "quarter": 90, "year": 365}
_UNITS: Final = {word: _UNIT_DAYS[unit] for unit, listed in _WORDS.units.items() for word in _split(listed)}
_SKIPPED: Final = _split(_WORDS.skipped)
_TO: Final = _split(_WORDS.to)
_THIS: Final = _split(_WORDS.this)
_LAST: Final = _split(_WORDS.last)
_ROLLING: Final = _split(_WORDS.rolling)
_NEXT: Final = _split(_WORDS.next)
_YEAR_WORDS: Final = _split(_WORDS.year_words)
_DAYS: Final = _WORDS.days
_QUARTERS: Final = _WORDS.quarters
_FIRST_YEAR: Final = 1800
_LAST_YEAR: Final = 2199
_DAY: Final = timedelta(days=1)
_LAST_DAY: Final = 31
_MONTH: Final = 30
_QUARTER: Final = 90
_YEAR: Final = 365
_MOST_UNITS: Final = 400


def find_period(tokens: Sequence[Token], start: int, today: date) -> Found | None:
    """Read a period that begins at a token; None where none does."""
    words = [token.text.lower() for token in tokens[start : start + 10]]
    relation = _RELATIONS.get(words[0])
    offset = 1 if relation else 0
    while offset and offset < len(words) and words[offset] in _SKIPPED:
        offset += 1
    base = _find_base(tokens, start + offset, today, is_led=relation is not None)
    if base is None:
        return None
    if relation in {"between", "since"}:
        second = _find_second(tokens, start + offset + base.length, today)
        if second is not None:
            joined = Period(
                base.period.first, second.period.end, "between", base.period.numbers + second.period.numbers
            )
            return Found(joined, offset + base.length + second.length)
    if relation == "between":
        return None
    return Found(_relate(base.period, relation or "in"), offset + base.length)


def add_months(day: date, months: int) -> date:
    """Give the day so many months on; the last of a shorter month where the day is none of its."""
    count = day.year * 12 + day.month - 1 + months
    year, month = divmod(count, 12)
    after = date(year + month // 11, (month + 1) % 12 + 1, 1)
    return min(date(year, month + 1, 1) + timedelta(days=day.day - 1), after - _DAY)


def _find_second(tokens: Sequence[Token], start: int, today: date) -> Found | None:
    if start >= len(tokens) or tokens[start].text.lower() not in _TO:
        return None
    found = _find_base(tokens, start + 1, today, is_led=True)
    return Found(found.period, found.length + 1) if found else None


def _relate(base: Period, relation: str) -> Period:
    first, end = {
        "before": (None, base.first),
        "after": (base.end, None),
        "since": (base.first, None),
        "until": (None, base.end),
    }.get(relation, (base.first, base.end))
    return Period(first, end, relation, base.numbers, is_future=base.is_future)


def _find_base(tokens: Sequence[Token], start: int, today: date, *, is_led: bool) -> Found | None:
    if start >= len(tokens):
        return None
    token, word = tokens[start], tokens[start].text.lower()
    if token.day is not None:
        return Found(Period(token.day, token.day + _DAY), 1)
    if word in _DAYS and token.kind == "word":
        day = today + _DAYS[word] * _DAY
        return Found(Period(day, day + _DAY), 1)
    found = _find_relative(tokens, start, today) or _find_quarter(tokens, start, today)
    return found or _find_month(tokens, start, today) or _find_year(tokens, start, is_led=is_led)


def _find_relative(tokens: Sequence[Token], start: int, today: date) -> Found | None:
    words = [token.text.lower() for token in tokens[start : start + 3]]
    if words[0] not in _THIS | _LAST | _NEXT or len(words) < 2:  # noqa: PLR2004 - a direction and a unit
        return None
    number = _read_count(tokens[start + 1])
    counted = _UNITS.get(words[-1]) if number is not None and number <= _MOST_UNITS else None
    if number is not None and counted is not None and words[2:]:
        return Found(_roll(today, number, counted, is_ahead=words[0] in _NEXT), 3)
    if words[1] not in _UNITS or (words[1].endswith("s") and number is None):
        return None
    unit = _UNITS[words[1]]
    if words[0] in _ROLLING and unit > 1:
        return Found(_roll(today, 1, unit, is_ahead=False), 2)
    step = 0 if words[0] in _THIS else 1 if words[0] in _NEXT else -1
    return Found(_calendar(today, unit, step), 2)


def _read_count(token: Token) -> int | None:
    if token.number is not None and token.number == int(token.number):
        return int(token.number)
    return load_lexicon().numbers.get(token.keys[0]) if token.kind == "word" else None


def _roll(today: date, number: int, unit: int, *, is_ahead: bool) -> Period:
    sign = 1 if is_ahead else -1
    other = today + sign * number * unit * _DAY
    if unit >= _MONTH:
        other = add_months(today, sign * number * {_MONTH: 1, _QUARTER: 3, _YEAR: 12}[unit])
    first, last = (today, other) if is_ahead else (other, today)
    return Period(first, last + _DAY, is_future=is_ahead)


def _calendar(today: date, unit: int, step: int) -> Period:
    if unit < _MONTH:
        start = today - timedelta(days=today.weekday()) if unit > 1 else today
        first = start + step * unit * _DAY
        return Period(first, first + unit * _DAY, is_future=step > 0)
    months = {_MONTH: 1, _QUARTER: 3, _YEAR: 12}[unit]
    start = date(today.year, (today.month - 1) // months * months + 1, 1)
    first = add_months(start, step * months)
    return Period(first, add_months(first, months), is_future=step > 0)


def _find_quarter(tokens: Sequence[Token], start: int, today: date) -> Found | None:
    words = [token.text.lower() for token in tokens[start : start + 5]]
    number = _QUARTERS.get(words[0]) if words[1:2] == ["quarter"] else None
    if words[0] == "q" and words[1:2] in (["1"], ["2"], ["3"], ["4"]):
        number = int(words[1])
    if number is None:
        return None
    year_at = 3 if words[2:3] in (["of"], ["in"]) else 2
    year = _read_year(tokens[start + year_at]) if start + year_at < len(tokens) else None
    first = date(year or today.year, number * 3 - 2, 1)
    return Found(Period(first, add_months(first, 3)), year_at + 1 if year else 2)


def _find_month(tokens: Sequence[Token], start: int, today: date) -> Found | None:
    token = tokens[start]
    month = load_lexicon().months.get(token.keys[0]) if token.kind == "word" else None
    if month is None or (month == 5 and token.text == "may"):  # noqa: PLR2004 - `may` in small letters is a verb
        return None
    rest = tokens[start + 1 : start + 5]
    day, used = None, 0
    if rest and rest[0].number is not None and rest[0].number <= _LAST_DAY and _is_whole(rest[0]):
        day, used = int(rest[0].number), 1
        if len(rest) > used and rest[used].text == ",":
            used += 1
    elif rest and rest[0].text.lower() == "of":
        used = 1
    year = _read_year(rest[used]) if len(rest) > used else None
    length = 1 + used + (year is not None)
    if year is not None and len(rest) > used + 1 and rest[used + 1].text.lower() in _YEAR_WORDS:
        length += 1
    return _make_month(year or today.year, month, day, length if year or day else 1)


def _make_month(year: int, month: int, day: int | None, length: int) -> Found | None:
    first = date(year, month, 1)
    if day is None:
        return Found(Period(first, add_months(first, 1)), length)
    try:
        first = date(year, month, day)
    except ValueError:
        return None
    return Found(Period(first, first + _DAY), length)


def _is_whole(token: Token) -> bool:
    return token.number is not None and token.number > 0 and token.number == int(token.number)


def _find_year(tokens: Sequence[Token], start: int, *, is_led: bool) -> Found | None:
    year = _read_year(tokens[start])
    if year is None:
        return None
    is_followed = start + 1 < len(tokens) and tokens[start + 1].text.lower() in _YEAR_WORDS
    if not is_led and not is_followed:
        return None
    period = Period(date(year, 1, 1), date(year + 1, 1, 1), numbers=(Decimal(year),))
    return Found(period, 2 if is_followed else 1)


def _read_year(token: Token) -> int | None:
    if token.number is None or not token.text.isdigit() or not _FIRST_YEAR <= token.number <= _LAST_YEAR:
        return None
    return int(token.number)
