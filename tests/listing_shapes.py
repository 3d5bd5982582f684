"""Results made of records in memory, and two ways of matching text, for the fake listing store."""

import re
from collections.abc import Callable
from typing import Any

import msgspec

from tests.listing_rows import KINDS
from vmk_mcp.listings.model import BRIEF_FIELDS, ListingRecord


def shape_result(
    struct: Any, record: ListingRecord, *, contacts: bool, full: bool = True, **found: float | None
) -> Any:
    """Make a result of a record: what it does not hold is null, and contacts only for those who may.

    In brief only the first fields are set, and of them those that are not null.
    """
    area, price = record.total_area, record.price
    values: dict[str, object] = {
        **msgspec.structs.asdict(record),
        "price": None if price is None else float(price),
        "price_per_m2": round(float(price) / area, 2) if price is not None and area else None,
        "property_type": {kind.id: kind.name for kind in KINDS}.get(record.property_type_id or 0),
        **found,
    }
    if not contacts:
        values |= {"contact_phone": None, "contact_name": None}
    names = struct.__struct_fields__ if full else struct.__struct_fields__[:BRIEF_FIELDS]
    shown = {name: values.get(name) for name in names}
    return struct(**{name: value for name, value in shown.items() if full or value is not None})


def join_texts(record: ListingRecord) -> str:
    parts = (
        record.title, record.city, record.district, record.metro_station, record.address_raw,
        record.description,
    )  # fmt: skip
    return " ".join(part for part in parts if part)


def split_words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def match_like(pattern: str) -> Callable[[str | None], bool]:
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    regex = "".join({"%": ".*", "_": "."}.get(part, re.escape(part[-1])) for part in parts)
    compiled = re.compile(regex, re.IGNORECASE | re.DOTALL)
    return lambda text: text is not None and compiled.fullmatch(text) is not None
