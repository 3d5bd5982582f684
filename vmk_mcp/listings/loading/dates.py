"""Dates as people and their programs write them."""

import re
from datetime import date, datetime
from typing import Final

from vmk_mcp.listings.loading.rows import Unfit

_WANTED: Final = "a date: 2026-01-31 or 31.01.2026, with or without a time"
_TIME: Final = r"(?:[T\s]+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*(?:Z|[+-]\d{2}:?\d{0,2})?)?"
_ISO: Final = re.compile(rf"(?P<year>\d{{4}})-(?P<month>\d{{1,2}})-(?P<day>\d{{1,2}}){_TIME}")
_DOTTED: Final = re.compile(
    rf"(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.(?P<year>\d{{4}})(?:\s*р\.?)?{_TIME}"
)


def parse_date(given: object) -> date:
    """Read a date in ISO order or as dd.mm.yyyy; a time beside it is left out, and so is its zone.

    Raises:
        Unfit: it is none, or there is no such day.
    """
    if isinstance(given, datetime):
        return given.date()
    if isinstance(given, date):
        return given
    if not isinstance(given, str):
        raise Unfit(_WANTED)
    match = _ISO.fullmatch(given.strip()) or _DOTTED.fullmatch(given.strip())
    if match is None:
        raise Unfit(_WANTED)
    try:
        return date(int(match["year"]), int(match["month"]), int(match["day"]))
    except ValueError:
        raise Unfit(f"{_WANTED}; there is no such day") from None
