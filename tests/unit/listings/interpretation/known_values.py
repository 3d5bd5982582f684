"""The values that interpretation is tried against: names of the made-up listings, and a few more."""

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Final

from vmk_mcp.listings.filters import Filters
from vmk_mcp.listings.values import PropertyType, StoredValue, ValueIndex
from vmk_mcp.sample.realty.kinds import PROPERTY_TYPES

HERE: Final = Path(__file__).parent


def known_values() -> ValueIndex:
    """Index every town, district and station of the sample, and its kinds of property."""
    text = files("vmk_mcp.sample.realty").joinpath("cities.toml").read_text("utf-8")
    stored: dict[tuple[str, str], None] = {}
    for city in tomllib.loads(text)["city"]:
        stored["city", city["name"]] = None
        for district in city["districts"]:
            stored["district", district["name"]] = None
            stored |= {("metro_station", station["name"]): None for station in district.get("stations", ())}
    return ValueIndex(
        [StoredValue(field, value, 1) for field, value in stored],
        [PropertyType(kind.id, kind.slug, kind.name) for kind in PROPERTY_TYPES],
    )


def set_filters(filters: Filters) -> dict[str, object]:
    """Give the filters that are set."""
    given = {name: getattr(filters, name) for name in filters.__struct_fields__}
    return {name: value for name, value in given.items() if value is not None}


VALUES: Final = known_values()
