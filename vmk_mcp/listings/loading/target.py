"""Whether listings can be loaded into a database as it is."""

from typing import Final

from vmk_mcp.errors import NotOffered
from vmk_mcp.listings.live import LiveSchema
from vmk_mcp.listings.loading.mapping import FIELDS, PROPERTY_TYPE
from vmk_mcp.listings.loading.store import Target

_NEEDED: Final = ("id", "title", "embedding", "search_vector")


def require_loadable(target: Target, live: LiveSchema) -> None:
    """Find out before anything is written what would fail later.

    Raises:
        NotOffered: a table or a column is missing, or the login may not write; the message names it.
    """
    tables = {
        "property_listings": live.features.has_property_listings,
        "property_types": live.features.has_property_types,
    }
    if lacking := [name for name, is_there in tables.items() if not is_there]:
        raise NotOffered(
            f"The database has no table {', '.join(lacking)}.",
            hint="Check the DSN's database name, and that the login may use the schema public.",
        )
    if lacking := [name for name in _NEEDED if not live.has(name)]:
        raise NotOffered(
            f"The table property_listings has no column {', '.join(lacking)}; nothing was written.",
            hint="Let its owner add the column: embedding is vector(768), search_vector is tsvector.",
        )
    if target.is_read_only or not target.may_write:
        raise NotOffered(
            "This login may only read; loading needs one that may add and change listings.",
            hint="Give the DSN of the tables' owner with --dsn, not that of vmk_reader.",
        )


def find_absent(live: LiveSchema) -> frozenset[str]:
    """Give the fields that the live table has no column for."""
    return frozenset(
        field for field in FIELDS if not live.has("property_type_id" if field == PROPERTY_TYPE else field)
    )
