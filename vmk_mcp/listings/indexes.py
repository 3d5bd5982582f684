"""Which indexes the searches count on, and what is slow without each."""

from collections.abc import Sequence
from typing import Final

from vmk_mcp.listings.queries import LiveIndex

_TABLE: Final = "property_listings"
_COUNTED_ON: Final = (
    (("(id)",), "a unique one on id", "getting a listing by its id reads the whole table"),
    (
        ("hnsw", "embedding", "vector_cosine_ops"),
        "an HNSW one on embedding with vector_cosine_ops",
        "search by meaning compares every row that passes the filters",
    ),
    (("gin", "search_vector"), "a GIN one on search_vector", "full-text search reads the whole table"),
    (
        ("gin_trgm_ops",),
        "a GIN one with gin_trgm_ops over title, description and address_raw",
        "substring search reads the whole table and may run into its time limit",
    ),
)
"""Words of an index's definition, the index in words, and what happens without it."""


def find_missing_indexes(indexes: Sequence[LiveIndex]) -> list[str]:
    """Give one sentence for each index of the listings that the searches count on and that cannot be used."""
    definitions = [index.definition for index in indexes if index.table_name == _TABLE and index.is_valid]
    return [
        f"{_TABLE} lacks an index, {wanted}: {consequence}"
        for words, wanted, consequence in _COUNTED_ON
        if not any(all(word in definition for word in words) for definition in definitions)
    ]
