"""Contractors and their licenses."""

from collections.abc import Sequence
from datetime import date, timedelta
from random import Random
from typing import Final

from vmk_mcp.sample.municipal.chance import LAST_DAY, draw_day
from vmk_mcp.sample.municipal.records import Contractor, License
from vmk_mcp.sample.municipal.words import read_words
from vmk_mcp.sample.realty.chance import draw_weighted, happens

_CONTRACTORS: Final = 50
_LICENSES: Final = 90
_TRADES: Final = {
    "general": 40, "electrical": 18, "plumbing": 17, "roofing": 10, "mechanical": 10, "demolition": 5,
}  # fmt: skip
_FIRST_FIRMS: Final = ("Garcia Builders", "Kim Builders", "Miller Plumbing Co")
_FIRST_TRADES: Final = ("general", "general", "plumbing")


def make_contractors(rng: Random) -> list[Contractor]:
    """Make the contractors, each with a name of its own; the first ones are the busiest."""
    named = dict(zip(_FIRST_FIRMS, _FIRST_TRADES, strict=True))
    words = read_words()
    while len(named) < _CONTRACTORS:
        trade = draw_weighted(rng, _TRADES)
        named.setdefault(f"{rng.choice(words.surnames)} {rng.choice(words.trades[trade])}", trade)
    return [
        _make_contractor(rng, number, name, trade) for number, (name, trade) in enumerate(named.items(), 1)
    ]


def make_licenses(rng: Random, contractors: Sequence[Contractor]) -> list[License]:
    """Make a license for each contractor, and further ones for some; they run for two years."""
    holders = [*contractors, *rng.choices(contractors, k=_LICENSES - len(contractors))]
    return [_make_license(rng, number, holder) for number, holder in enumerate(holders, 1)]


def _make_contractor(rng: Random, number: int, name: str, trade: str) -> Contractor:
    words = read_words()
    address = "".join(letter for letter in name.lower() if letter.isalpha())
    return Contractor(
        contractor_id=number,
        name=name,
        license_number=f"LIC-{10_000 + number * 37}",
        trade=trade,
        phone=f"555-01{rng.randint(0, 99):02d}",
        email=None if happens(rng, 0.1) else f"office@{address}.example.com",
        city=rng.choice(words.towns),
        state=rng.choice(words.states),
        is_active=number <= len(_FIRST_FIRMS) or not happens(rng, 0.14),
        registered_date=draw_day(rng, date(2012, 3, 1), date(2024, 12, 31)),
    )


def _make_license(rng: Random, number: int, holder: Contractor) -> License:
    issued = draw_day(rng)
    expires = issued + timedelta(days=730)
    status = "expired" if expires < LAST_DAY else "active"
    if happens(rng, 0.1):
        status = rng.choice(("suspended", "revoked"))
    return License(number, holder.contractor_id, holder.trade, issued, expires, status)
