"""What is known of a listing: its columns, and where one is empty what its text says instead."""

import re
from collections.abc import Iterable, Mapping
from math import inf
from typing import Final

from msgspec import Struct

from tests.bench.eval.phrases import find_phrases, plain
from vmk_mcp.listings.model import ListingRecord
from vmk_mcp.listings.normalize import fold_name
from vmk_mcp.sample.listings import PROPERTY_TYPES, RATES_PER_USD
from vmk_mcp.sample.realty.kinds import KINDS

Value = str | float | bool | None


class Facts(Struct, frozen=True):
    """One listing as it is judged.

    Attributes:
        fields: by the names that rules use; None: nobody can know it. Names of places are folded; a listing
            without a station of the underground is at no station, infinitely far.
        phrases: `aspect.case` of each phrase in its text.
        text: title, texts and address, as `plain` gives them.
    """

    id: int
    title: str
    fields: Mapping[str, Value]
    phrases: frozenset[str]
    text: str


_SAME: Final = {"euro_repair": "euro", "courtyard": "yard", "walking": "walk"}
"""Rarer spellings of a stored value that mean the same."""

_TOLD_BY: Final[Mapping[str, Mapping[str, Value]]] = {
    "renovation_status": {
        f"{aspect}.{case}": case
        for aspect in ("renovation", "business_renovation")
        for case in ("cosmetic", "euro", "designer", "none", "construction")
    },
    "building_type": {
        "building.stalinka": "brick", "building.brick": "brick", "building.house_brick": "brick",
        "building.panel": "panel", "building.monolith": "monolith", "building.gas_block": "gas_block",
        "building.house_gas_block": "gas_block", "building.house_wood": "wood",
    },
    "window_view": {
        "view.yard": "yard", "view.street": "street", "view.park": "park", "view.water": "water",
        "view.sea": "water", "view.forest": "forest",
    },
    "balcony_count": {"balcony.none": 0, "balcony.one": 1, "balcony.many": 2},
    "bathroom_type": {f"bathroom.{case}": case for case in ("combined", "separate", "multiple")},
    "parking_type": {f"parking.{case}": case for case in ("ground", "underground", "garage", "none")},
    "heating_type": {f"heating.{case}": case for case in ("central", "autonomous", "floor", "none")},
    "layout_type": {f"layout.{case}": case for case in ("studio", "separate", "adjacent", "standard")},
    "floor": {"floor.first": 1},
}  # fmt: skip
"""The value that a phrase tells, for a column that an agent left empty."""

_COPIED: Final = (
    "deal_type", "metro_distance_meters", "rooms_count", "total_area", "floor", "floors_count",
    "building_type", "building_year", "renovation_status", "balcony_count", "bathroom_type", "parking_type",
    "heating_type", "layout_type", "window_view",
)  # fmt: skip
_PLACES: Final = ("city", "district", "metro_station")

_ROOMS: Final = (
    (1, r"\b(?:однокімнатн|однокомнатн|однушк|1[- ]?(?:к|кімн|комн|кімнатна|комнатная)\b)"),
    (2, r"\b(?:двокімнатн|двухкомнатн|двушк|2(?:-х)?[- ]?(?:к|кімн|комн|кімнатна|комнатная)\b)"),
    (3, r"\b(?:трикімнатн|трехкомнатн|тр(?:ьо|е)шк|3(?:-х)?[- ]?(?:к|кімн|комн|кімнатна|комнатная)\b)"),
    (4, r"\b(?:чотирикімнатн|четырехкомнатн|4(?:-х)?[- ]?(?:к|кімн|комн|кімнатна|комнатная)\b)"),
)
_SLUGS: Final = {row.id: row.slug for row in PROPERTY_TYPES}


def read_facts(record: ListingRecord) -> Facts:
    """Read what is known of one listing."""
    texts = (record.title, record.description, record.generated_description, record.address_raw)
    text = plain(". ".join(part for part in texts if part))
    phrases = find_phrases(text)
    fields: dict[str, Value] = {name: _same(getattr(record, name)) for name in _COPIED}
    fields |= {name: _folded(getattr(record, name)) for name in _PLACES}
    slug = fields["property_type"] = _SLUGS.get(record.property_type_id or 0)
    fields["family"] = KINDS[slug].family if slug else None
    fields["price_usd"] = _in_dollars(record)
    if record.metro_station is None:
        fields |= {"metro_station": "", "metro_distance_meters": inf}
    _fill_gaps(fields, phrases, text)
    fields |= _edges(fields, phrases)
    return Facts(record.id, record.title, fields, phrases, text)


def read_active(records: Iterable[ListingRecord]) -> list[Facts]:
    """Read what is known of those listings that a search without a status finds."""
    return [read_facts(record) for record in records if record.listing_status == "active"]


def _same(value: Value) -> Value:
    return _SAME.get(value, value) if isinstance(value, str) else value


def _folded(name: str | None) -> str | None:
    return None if name is None else fold_name(name)


def _in_dollars(record: ListingRecord) -> float | None:
    if record.price is None or record.currency is None:
        return None
    return float(record.price / RATES_PER_USD[record.currency])


def _fill_gaps(fields: dict[str, Value], phrases: frozenset[str], text: str) -> None:
    for name, told in _TOLD_BY.items():
        if fields[name] is None:
            fields[name] = next((value for phrase, value in told.items() if phrase in phrases), None)
    if fields["rooms_count"] is None and fields["family"] == "flat":
        fields["rooms_count"] = next((count for count, words in _ROOMS if re.search(words, text)), None)


def _edges(fields: Mapping[str, Value], phrases: frozenset[str]) -> dict[str, Value]:
    """Say whether it is above the first floor and below the last, as far as columns and text tell."""
    floor, floors = fields["floor"], fields["floors_count"]
    between = bool(phrases & {"floor.low", "floor.middle", "floor.high"})
    not_first: bool | None = between or "floor.last" in phrases or None
    not_last: bool | None = True if between else False if "floor.last" in phrases else None
    if isinstance(floor, int):
        not_first = floor > 1
        if isinstance(floors, int):
            not_last = floor < floors
    return {"not_first_floor": not_first, "not_last_floor": not_last}
