"""Writing listings into a database of our own: the words that full-text search finds, beside the record."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict

from vmk_mcp.database.query import load_query
from vmk_mcp.database.writer import Writer
from vmk_mcp.listings.model import ListingRecord
from vmk_mcp.listings.normalize import normalize_query
from vmk_mcp.listings.queries import Vector

_INDEXED_LENGTH: Final = 200_000
"""Characters of one text that are indexed: a tsvector may not exceed 1 MiB."""


class PropertyTypeRecord(Struct, frozen=True):
    """One row of `property_types` as it is written."""

    id: int
    slug: str
    name: str
    description: str | None = None


class WrittenListing(ListingRecord, frozen=True, kw_only=True):
    """A listing with its vector and its words, the parameters of `write_listing.sql`."""

    embedding: Vector | None
    configuration: str
    title_words: str
    place_words: str
    body_words: str


class _WrittenId(Struct, frozen=True):
    id: int


_WRITE_LISTING: Final = load_query("listings/write_listing", row=_WrittenId)
_WRITE_PROPERTY_TYPE: Final = load_query("listings/write_property_type", row=_WrittenId)


def with_words(record: ListingRecord, embedding: Vector | None, *, configuration: str) -> WrittenListing:
    """Put a listing's words beside it: its title, its place, and its texts, each normalised."""
    place = (record.city, record.district, record.metro_station, record.address_raw)
    return WrittenListing(
        **asdict(record),
        embedding=embedding,
        configuration=configuration,
        title_words=_words(record.title),
        place_words=_words(*place),
        body_words=_words(record.description, record.generated_description),
    )


async def write_listings(
    writer: Writer, listings: Iterable[WrittenListing], property_types: Sequence[PropertyTypeRecord]
) -> None:
    """Write the kinds of property and the listings in one transaction."""
    async with writer.transaction():
        await writer.write_all(_WRITE_PROPERTY_TYPE, property_types)
        await writer.write_all(_WRITE_LISTING, listings)


def _words(*texts: str | None) -> str:
    return normalize_query(" ".join(text[:_INDEXED_LENGTH] for text in texts if text))
