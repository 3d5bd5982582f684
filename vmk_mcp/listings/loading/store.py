"""Loading's port onto SQL files: what is stored, what is written, and what the target is."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.database.query import Query, Statement, load_query
from vmk_mcp.database.writer import Writer
from vmk_mcp.listings.live import LiveColumn, LiveSchema, ServerFeatures
from vmk_mcp.listings.model import ListingRecord
from vmk_mcp.listings.queries import EmbeddedListing, PickQuery
from vmk_mcp.listings.writing import PropertyTypeRecord


class Target(Struct, frozen=True):
    """What may be done here, and what tells this table from all others; see `inspect_target`."""

    is_own: bool
    is_read_only: bool
    may_write: bool
    may_add_types: bool
    identity: str


class TextSource(Struct, frozen=True):
    """A stored listing, as far as words and vectors are made of it; `version` changes with every write."""

    id: int
    version: str
    title: str | None
    description: str | None
    generated_description: str | None
    deal_type: str | None
    property_type_id: int | None
    city: str | None
    district: str | None
    address_raw: str | None
    rooms_count: int | None
    total_area: float | None
    floor: int | None
    floors_count: int | None
    building_type: str | None
    building_year: int | None
    renovation_status: str | None
    parking_type: str | None
    heating_type: str | None
    layout_type: str | None
    window_view: str | None
    metro_station: str | None
    metro_distance_meters: int | None

    def as_record(self) -> ListingRecord:
        """Give it as a listing that has no other fields."""
        values = msgspec.structs.asdict(self)
        del values["version"]
        return ListingRecord(**values | {"title": self.title or ""})


class WrittenBatch(Struct, frozen=True):
    """Rows to be written: JSON of their records and words, and the ids of those whose text has changed."""

    records: str
    configuration: str
    changed_ids: list[int]


class WrittenRow(Struct, frozen=True):
    """A row that was written, because it is new or was not the same."""

    id: int
    is_new: bool


class FoundType(Struct, frozen=True):
    """A stored kind of property."""

    id: int
    slug: str
    name: str


class Filled(Struct, frozen=True):
    """How many listings there are, and how many of them have a vector."""

    listings: int
    filled: int


class UnembeddedQuery(Struct, frozen=True):
    """Listings after an id, those without a vector or all of them."""

    after_id: int
    includes_filled: bool
    limit: int


class WrittenVectors(Struct, frozen=True):
    """Vectors for listings as they were when their texts were read; `numbers` are those of all, in a row."""

    ids: list[int]
    versions: list[str]
    numbers: list[float]
    dimensions: int


class _Ids(Struct, frozen=True):
    ids: list[int]


class _Fields(Struct, frozen=True):
    fields: list[str]


class _Id(Struct, frozen=True):
    id: int


class _Count(Struct, frozen=True):
    listings: int


_INSPECT_SERVER: Final = load_query("listings/inspect_server", row=ServerFeatures)
_INSPECT_TARGET: Final = load_query("listings/inspect_target", row=Target)
_LIST_COLUMNS: Final = load_query("listings/list_columns", row=LiveColumn)
_LIST_TYPES: Final = load_query("listings/list_property_types", row=FoundType)
_WRITE_TYPE: Final = load_query("listings/write_property_type", row=_Id)
_READ_TEXTS: Final = load_query("listings/read_texts", row=TextSource)
_FORMAT_WRITE: Final = load_query("listings/format_write_batch", row=Statement)
_COUNT_VECTORS: Final = load_query("listings/count_vectors", row=Filled)
_PICK_EMBEDDED: Final = load_query("listings/pick_embedded", row=EmbeddedListing)
_FIND_UNEMBEDDED: Final = load_query("listings/find_unembedded", row=TextSource)
_WRITE_VECTORS: Final = load_query("listings/write_vectors", row=_Id)
_CLEAR_VECTORS: Final = load_query("listings/clear_vectors", row=_Count)


class PostgresLoadingStore:
    """See `LoadingStore` and `VectorStore`."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._statements: dict[frozenset[str], Query[WrittenRow]] = {}

    async def inspect_target(self) -> Target:
        """Say what may be done here."""
        return (await self._writer.fetch_all(_INSPECT_TARGET))[0]

    async def inspect_schema(self) -> LiveSchema:
        """Say what the server has of the declared tables."""
        (features,) = await self._writer.fetch_all(_INSPECT_SERVER)
        return LiveSchema(features, await self._writer.fetch_all(_LIST_COLUMNS))

    async def list_types(self) -> list[PropertyTypeRecord]:
        """Give the kinds of property."""
        return [
            PropertyTypeRecord(kind.id, kind.slug, kind.name)
            for kind in await self._writer.fetch_all(_LIST_TYPES)
        ]

    async def write_types(self, types: Sequence[PropertyTypeRecord]) -> None:
        """See `LoadingStore.write_types`."""
        await self._writer.write_all(_WRITE_TYPE, types)

    def transaction(self) -> AbstractAsyncContextManager[None]:
        """See `LoadingStore.transaction`."""
        return self._writer.transaction()

    async def read_texts(self, ids: Sequence[int]) -> list[TextSource]:
        """See `LoadingStore.read_texts`."""
        return await self._writer.fetch_all(_READ_TEXTS, _Ids(list(ids)))

    async def write_batch(self, batch: WrittenBatch, fields: frozenset[str]) -> list[WrittenRow]:
        """See `LoadingStore.write_batch`."""
        if fields not in self._statements:
            self._statements[fields] = await self._writer.assemble(
                _FORMAT_WRITE, _Fields(sorted(fields)), WrittenBatch.__struct_fields__, WrittenRow
            )
        return await self._writer.fetch_all(self._statements[fields], batch)

    async def count_vectors(self) -> Filled:
        """See `VectorStore.count_vectors`."""
        return (await self._writer.fetch_all(_COUNT_VECTORS))[0]

    async def pick_embedded(self, count: int) -> list[EmbeddedListing]:
        """Give a few listings with their vectors."""
        return await self._writer.fetch_all(_PICK_EMBEDDED, PickQuery(count))

    async def find_unembedded(self, query: UnembeddedQuery) -> list[TextSource]:
        """See `VectorStore.find_unembedded`."""
        return await self._writer.fetch_all(_FIND_UNEMBEDDED, query)

    async def write_vectors(self, vectors: WrittenVectors) -> int:
        """See `VectorStore.write_vectors`."""
        return len(await self._writer.fetch_all(_WRITE_VECTORS, vectors))

    async def clear_vectors(self) -> int:
        """See `VectorStore.clear_vectors`."""
        return (await self._writer.fetch_all(_CLEAR_VECTORS))[0].listings
