"""Draws of days, moments and sums, the same on every machine and Python version."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from random import Random
from typing import Final

LAST_DAY: Final = date(2026, 11, 15)
"""The day on which the sample was collected: nothing in it happened later."""
FIRST_DAY: Final = date(2021, 11, 16)
"""Five years of records."""


def draw_day(rng: Random, earliest: date = FIRST_DAY, latest: date = LAST_DAY) -> date:
    """Give a day, both ends included; the earliest where the two are the wrong way round."""
    return earliest + timedelta(days=rng.randint(0, max(0, (latest - earliest).days)))


def draw_later(rng: Random, day: date, least: int, most: int) -> date | None:
    """Give a day some days after `day`, or None where that has not come yet."""
    later = day + timedelta(days=rng.randint(least, most))
    return later if later <= LAST_DAY else None


def draw_moment(rng: Random, day: date) -> datetime:
    """Give a moment of office hours on `day`, UTC."""
    return datetime.combine(day, time(rng.randint(8, 17), rng.randint(0, 59)), tzinfo=UTC)


def draw_sum(rng: Random, least: int, most: int, step: int = 1) -> Decimal:
    """Give whole dollars, in steps."""
    return Decimal(rng.randint(least // step, most // step) * step)
