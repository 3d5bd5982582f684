"""The mess of real listings: apostrophes, look-alike letters, shouting, mark-up, missing and lost fields."""

import re
from random import Random
from typing import Final

from msgspec.structs import replace

from vmk_mcp.listings.model import ListingRecord
from vmk_mcp.sample.realty.chance import draw_weighted, happens

_APOSTROPHES: Final = {"'": 58.0, "\u2019": 24.0, "\u02bc": 12.0, "`": 6.0}

_LOOKALIKES: Final = str.maketrans("аеіорсухАВЕІКМНОРСТХ", "aeiopcyxABEIKMHOPCTX")
_CYRILLIC_WORD: Final = re.compile(r"[А-Яа-яІЇЄҐіїєґ]{4,}")

_EMOJI: Final = ("🏠", "🔥", "✅", "⭐", "📍", "🔑", "❗", "🌳", "💥", "🚇")

_MISSING: Final = {
    "price": 0.03,
    "total_area": 0.03,
    "description": 0.02,
    "property_type_id": 0.01,
    "city": 0.004,
    "district": 0.05,
    "address_raw": 0.12,
    "rooms_count": 0.03,
    "living_area": 0.3,
    "kitchen_area": 0.22,
    "floor": 0.04,
    "floors_count": 0.06,
    "building_type": 0.14,
    "building_year": 0.3,
    "renovation_status": 0.12,
    "balcony_count": 0.3,
    "bathroom_type": 0.25,
    "parking_type": 0.35,
    "heating_type": 0.2,
    "layout_type": 0.3,
    "window_view": 0.3,
    "images_count": 0.03,
    "contact_phone": 0.04,
    "contact_name": 0.15,
}
"""Share of the listings in which an agent left the field empty."""

_NO_COORDINATES: Final = 0.12
_NO_METRO_LENGTH: Final = 0.12
_SHOUTED: Final = 0.05
_DECORATED: Final = 0.1
_EXCLAIMED: Final = 0.07
_MARKED_UP: Final = 0.05
_LOOKALIKE_TEXT: Final = 0.03
_LOOKALIKE_NAME: Final = 0.006


def spoil(rng: Random, listing: ListingRecord) -> ListingRecord:
    """Give the listing as it is met in the wild; whatever is left stays true."""
    return _vary_apostrophes(rng, _mistype(rng, _decorate(rng, _lose_fields(rng, listing))))


def mark_up(rng: Random, text: str) -> str:
    """Leave in the text what a careless scraper leaves of a page."""
    if not happens(rng, _MARKED_UP):
        return text
    scraps = {
        "<br>": text.replace(". ", ".<br>"),
        "&nbsp;": text.replace(" — ", "&nbsp;— ").replace(" м²", "&nbsp;м²").replace(" ", "&nbsp;", 1),
        "<p>": f"<p>{text}</p>",
        "<b>": f"<div><b>{text.replace('. ', '.</b> ', 1)}</div>",
        "<script>": f"{text}<script>track('view')</script>",
    }
    return scraps[draw_weighted(rng, {"<br>": 40, "&nbsp;": 25, "<p>": 20, "<b>": 10, "<script>": 5})]


def _lose_fields(rng: Random, listing: ListingRecord) -> ListingRecord:
    lost: dict[str, None] = {name: None for name, share in _MISSING.items() if happens(rng, share)}
    if happens(rng, _NO_COORDINATES):
        lost |= {"latitude": None, "longitude": None}
    if happens(rng, _NO_METRO_LENGTH):
        lost |= {"metro_distance_meters": None}
    if "price" in lost and happens(rng, 0.5):
        lost |= {"currency": None}
    return replace(listing, **lost)


def _decorate(rng: Random, listing: ListingRecord) -> ListingRecord:
    title = listing.title
    if happens(rng, _SHOUTED):
        title = title.upper()
    if happens(rng, _DECORATED):
        emoji = rng.choice(_EMOJI)
        title = rng.choice((f"{emoji} {title}", f"{title} {emoji}", f"{emoji}{emoji} {title}"))
    if happens(rng, _EXCLAIMED):
        title += rng.choice(("!", "!!!", " !"))
    return replace(listing, title=title)


def _mistype(rng: Random, listing: ListingRecord) -> ListingRecord:
    changes: dict[str, str] = {}
    if happens(rng, _LOOKALIKE_TEXT):
        changes["title"] = _mistype_word(rng, listing.title)
    if listing.description and happens(rng, _LOOKALIKE_TEXT):
        changes["description"] = _mistype_word(rng, listing.description)
    for name in ("city", "district", "metro_station"):
        value: str | None = getattr(listing, name)
        if value and happens(rng, _LOOKALIKE_NAME):
            changes[name] = _mistype_word(rng, value)
    return replace(listing, **changes)


def _mistype_word(rng: Random, text: str) -> str:
    words = list(_CYRILLIC_WORD.finditer(text))
    if not words:
        return text
    word = rng.choice(words)
    return text[: word.start()] + word[0].translate(_LOOKALIKES) + text[word.end() :]


def _vary_apostrophes(rng: Random, listing: ListingRecord) -> ListingRecord:
    apostrophe = draw_weighted(rng, _APOSTROPHES)
    names = ("title", "description", "city", "district", "address_raw", "metro_station")
    values: dict[str, str | None] = {name: getattr(listing, name) for name in names}
    return replace(
        listing, **{name: value.replace("'", apostrophe) for name, value in values.items() if value}
    )
