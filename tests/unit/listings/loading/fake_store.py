"""A stand-in for the tables that loading and filling write to: in memory, told what to refuse."""

import copy
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from vmk_mcp.database.failures import ValuesRefused
from vmk_mcp.listings.loading.store import (
    Filled,
    TextSource,
    UnembeddedQuery,
    WrittenBatch,
    WrittenRow,
    WrittenVectors,
)
from vmk_mcp.listings.writing import PropertyTypeRecord


class FakeLoadingStore:
    """See `LoadingStore` and `VectorStore`.

    Attributes:
        rows: id -> columns.
        vectors: id -> vector.
        versions: id -> how often the row was written.
        types: kinds of property by id.
        refused: titles that the table does not take.
        batches: ids of each batch that was tried.
    """

    def __init__(self) -> None:
        self.rows: dict[int, dict[str, Any]] = {}
        self.vectors: dict[int, list[float]] = {}
        self.versions: dict[int, int] = {}
        self.types: dict[int, PropertyTypeRecord] = {}
        self.refused: set[str] = set()
        self.batches: list[list[int]] = []

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """See `LoadingStore.transaction`."""
        before = copy.deepcopy((self.rows, self.vectors, self.versions, self.types))
        try:
            yield
        except BaseException:
            self.rows, self.vectors, self.versions, self.types = before
            raise

    async def read_texts(self, ids: Sequence[int]) -> list[TextSource]:
        """See `LoadingStore.read_texts`."""
        return [self._source(listing_id) for listing_id in sorted(ids) if listing_id in self.rows]

    async def write_types(self, types: Sequence[PropertyTypeRecord]) -> None:
        """See `LoadingStore.write_types`."""
        self.types |= {kind.id: kind for kind in types}

    async def write_batch(self, batch: WrittenBatch, fields: frozenset[str]) -> list[WrittenRow]:
        """See `LoadingStore.write_batch`."""
        records = [one["record"] for one in msgspec.json.decode(batch.records)]
        self.batches.append([record["id"] for record in records])
        if any(record["title"] in self.refused for record in records):
            raise ValuesRefused("the database refuses the row: a text is longer than its column takes")
        written = []
        for record in records:
            assert fields.issuperset(record)
            listing_id = record["id"]
            stored = self.rows.get(listing_id)
            merged = (stored or {}) | record
            if merged != stored:
                self.rows[listing_id] = merged
                self.versions[listing_id] = self.versions.get(listing_id, 0) + 1
                written.append(WrittenRow(listing_id, is_new=stored is None))
        for listing_id in batch.changed_ids:
            self.vectors.pop(listing_id, None)
        return written

    async def count_vectors(self) -> Filled:
        """See `VectorStore.count_vectors`."""
        return Filled(len(self.rows), len(self.vectors))

    async def find_unembedded(self, query: UnembeddedQuery) -> list[TextSource]:
        """See `VectorStore.find_unembedded`."""
        found = [
            listing_id
            for listing_id in sorted(self.rows)
            if listing_id > query.after_id and (query.includes_filled or listing_id not in self.vectors)
        ]
        return [self._source(listing_id) for listing_id in found[: query.limit]]

    async def write_vectors(self, vectors: WrittenVectors) -> int:
        """See `VectorStore.write_vectors`."""
        written = 0
        size = vectors.dimensions
        for place, (listing_id, version) in enumerate(zip(vectors.ids, vectors.versions, strict=True)):
            if str(self.versions[listing_id]) == version:
                self.vectors[listing_id] = vectors.numbers[place * size : (place + 1) * size]
                self.versions[listing_id] += 1
                written += 1
        return written

    async def clear_vectors(self) -> int:
        """See `VectorStore.clear_vectors`."""
        count = len(self.vectors)
        self.vectors.clear()
        return count

    def _source(self, listing_id: int) -> TextSource:
        known = {"id": listing_id, "version": str(self.versions[listing_id])}
        columns = dict.fromkeys(TextSource.__struct_fields__) | self.rows[listing_id] | known
        return msgspec.convert({name: columns[name] for name in TextSource.__struct_fields__}, TextSource)
