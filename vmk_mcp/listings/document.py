"""A listing as the one text that is embedded for it."""

import html
import re
from typing import Final

from vmk_mcp.listings.model import ListingRecord

MAX_CHARACTERS: Final = 480
"""About 150 tokens of a multilingual model. Longer texts blur the vector: of 24 queries over 300 made-up
listings a small model put 69 % right among the first ten at 420 characters, 67 % at 640, 64 % at 300."""

_DEALS: Final = {"sale": "продаж", "rent_long": "довгострокова оренда", "rent_short": "подобова оренда"}
_FLATS: Final = ("квартира", "новобудова")
_FLATS_BY_ROOMS: Final = {
    1: "однокімнатна", 2: "двокімнатна", 3: "трикімнатна", 4: "чотирикімнатна", 5: "п'ятикімнатна",
}  # fmt: skip
_RENOVATIONS: Final = {
    "cosmetic": "косметичний ремонт", "euro": "євроремонт", "euro_repair": "євроремонт",
    "designer": "дизайнерський ремонт", "none": "без ремонту", "construction": "після будівельників",
}  # fmt: skip
_BUILDINGS: Final = {
    "brick": "цегляний будинок", "panel": "панельний будинок", "monolith": "монолітний будинок",
    "gas_block": "будинок із газоблоку", "wood": "дерев'яний будинок",
}  # fmt: skip
_LAYOUTS: Final = {
    "studio": "студія", "separate": "роздільне планування", "adjacent": "суміжні кімнати",
}  # fmt: skip
_VIEWS: Final = {
    "yard": "вид у двір", "courtyard": "вид у двір", "street": "вид на вулицю", "park": "вид на парк",
    "water": "вид на воду", "forest": "вид на ліс",
}  # fmt: skip
_HEATINGS: Final = {"autonomous": "автономне опалення", "floor": "тепла підлога"}
_PARKINGS: Final = {"underground": "підземний паркінг", "garage": "гараж"}

_NEAR_M: Final = 800

_READ_CHARACTERS: Final = 8_000
# Of a description, mark-up included: some are megabytes, and mark-up that never closes takes quadratic time.

_UNSEEN: Final = re.compile(r"<(script|style)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]*>")
_APOSTROPHE: Final = re.compile(r"(?<=\w)[`\u2019\u02bc](?=\w)")


def embedding_text(listing: ListingRecord, property_type: str | None) -> str:
    """Give the text whose vector stands for the listing: title, key facts in Ukrainian words, description.

    The most telling comes first, for models and embedders cut long texts. Price, dates and contacts are left
    out: they change, or mean nothing to a model. Values outside the enumerations are passed over.

    Args:
        listing: any row, whole or full of holes.
        property_type: name of the listing's type in Ukrainian, if known.

    Returns:
        Plain text on one line, at most `MAX_CHARACTERS` long, not empty unless the listing is.
    """
    parts = (_read_title(listing), *_name_facts(listing, property_type), _read_description(listing))
    text = ". ".join(part.rstrip(" .") for part in parts if part)
    if len(text) <= MAX_CHARACTERS:
        return text
    short = text[:MAX_CHARACTERS]
    return short.rpartition(" ")[0] or short


def strip_markup(text: str) -> str:
    """Give the words of a scrap of HTML on one line, with one form of apostrophe inside words."""
    visible = _TAG.sub(" ", _UNSEEN.sub(" ", text))
    return _APOSTROPHE.sub("'", " ".join(html.unescape(visible).split()))


def _read_title(listing: ListingRecord) -> str:
    title = strip_markup(listing.title)
    return title.capitalize() if title.isupper() else title


def _read_description(listing: ListingRecord) -> str:
    text = listing.description or listing.generated_description or ""
    return strip_markup(text[:_READ_CHARACTERS])


def _name_facts(listing: ListingRecord, property_type: str | None) -> tuple[str, ...]:
    return (
        _name_kind(listing, property_type),
        _name_place(listing),
        _name_state(listing),
        _name_size(listing),
    )


def _name_kind(listing: ListingRecord, property_type: str | None) -> str:
    kind = (property_type or "").strip().lower()
    rooms, is_flat = listing.rooms_count or 0, kind.startswith(_FLATS)
    if is_flat and rooms in _FLATS_BY_ROOMS:
        flat = f"{_FLATS_BY_ROOMS[rooms]} квартира"
        kind = flat if kind == "квартира" else f"{kind}, {flat}"
    elif rooms:
        kind = _join(kind, f"кімнат: {rooms}")
    return _join(kind, _DEALS.get(listing.deal_type or "")).capitalize()


def _name_place(listing: ListingRecord) -> str:
    district = listing.district
    if district and district.endswith("ий"):
        district = f"{district} район"
    return strip_markup(_join(listing.city, district, _name_metro(listing)))


def _name_metro(listing: ListingRecord) -> str | None:
    if not listing.metro_station:
        return None
    metres = listing.metro_distance_meters
    if metres is None:
        return f"метро {listing.metro_station}"
    near = "біля метро" if metres <= _NEAR_M else "метро"
    return f"{near} {listing.metro_station} {metres} м"


def _name_state(listing: ListingRecord) -> str:
    return _join(
        _RENOVATIONS.get(listing.renovation_status or ""),
        _LAYOUTS.get(listing.layout_type or ""),
        _VIEWS.get(listing.window_view or ""),
        _HEATINGS.get(listing.heating_type or ""),
        _PARKINGS.get(listing.parking_type or ""),
    ).capitalize()


def _name_size(listing: ListingRecord) -> str:
    area, floor, floors, year = (
        listing.total_area, listing.floor, listing.floors_count, listing.building_year,
    )  # fmt: skip
    storey = f"{floor} поверх" if floor else None
    return _join(
        f"{area:.10g} м²" if area else None,
        f"{storey} із {floors}" if storey and floors else storey,
        _join(_BUILDINGS.get(listing.building_type or ""), f"{year} рік" if year else None),
    ).capitalize()


def _join(*parts: str | None) -> str:
    return ", ".join(part for part in parts if part)
