"""Batches of rows into the table: merged with what is stored, and written as one."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import msgspec
from msgspec import Struct
from msgspec.structs import asdict

from vmk_mcp.database.failures import ValuesRefused
from vmk_mcp.listings.document import embedding_text
from vmk_mcp.listings.loading.rows import ReadRow, RowFault, Value
from vmk_mcp.listings.loading.store import TextSource, WrittenBatch, WrittenRow
from vmk_mcp.listings.loading.types import PropertyTypes
from vmk_mcp.listings.model import ListingRecord
from vmk_mcp.listings.writing import PropertyTypeRecord, with_words


class LoadingStore(Protocol):
    """What loading needs of the database; every failure is a `VmkError`."""

    def transaction(self) -> AbstractAsyncContextManager[None]:
        """All or nothing of what is written inside; inside another one, it undoes no more than itself."""

    async def read_texts(self, ids: Sequence[int]) -> list[TextSource]:
        """Give those of the listings that are stored, and keep others from changing them."""

    async def write_types(self, types: Sequence[PropertyTypeRecord]) -> None:
        """Write kinds of property."""

    async def write_batch(self, batch: WrittenBatch, fields: frozenset[str]) -> list[WrittenRow]:
        """Write rows that fill `fields`, no id twice, and give those that were new or not the same.

        Raises:
            ValuesRefused: a row does not fit the table; none was written.
        """


class BatchOutcome(Struct, frozen=True):
    """What has become of a batch: rows that were new or not the same, how many were good, and the faults."""

    written: list[WrittenRow]
    accepted: int
    faults: list[RowFault]


class Batches(Protocol):
    """Takes one batch after another, each with no id twice."""

    async def take(self, rows: Sequence[ReadRow]) -> BatchOutcome:
        """Write `rows`, or find out what writing them would do."""


class _Words(Struct, frozen=True):
    record: dict[str, Value]
    title_words: str
    place_words: str
    body_words: str


class BatchTrial:
    """Writes nothing: rows of unknown ids count as new, all others as the same; see `Batches`."""

    def __init__(self, store: LoadingStore) -> None:
        self._store = store

    async def take(self, rows: Sequence[ReadRow]) -> BatchOutcome:
        """See `Batches.take`."""
        stored = {source.id for source in await self._store.read_texts([row.id for row in rows])}
        new = [WrittenRow(row.id, is_new=True) for row in rows if row.id not in stored]
        return BatchOutcome(new, len(rows), [])


class BatchWriter:
    """Writes each batch in one transaction; see `Batches`.

    A listing whose text stays the same keeps its vector; otherwise it loses it, to be embedded anew.

    Args:
        store: where to.
        types: kinds of property; those that were made go before the rows that refer to them.
        configuration: of full-text search.
        before_first: done in the transaction of the first rows.
    """

    def __init__(
        self,
        store: LoadingStore,
        types: PropertyTypes,
        *,
        configuration: str,
        before_first: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        self._store = store
        self._types = types
        self._configuration = configuration
        self._before_first = before_first
        self._fields = frozenset({"listing_status"})

    async def take(self, rows: Sequence[ReadRow]) -> BatchOutcome:
        """See `Batches.take`."""
        if not rows:
            return BatchOutcome([], 0, [])
        async with self._store.transaction():
            if self._before_first is not None:
                await self._before_first()
            if self._types.made:
                await self._store.write_types(self._types.made)
            outcome = await self._write_apart(rows)
        self._before_first = None
        self._types.made.clear()
        return outcome

    async def _write_apart(self, rows: Sequence[ReadRow]) -> BatchOutcome:
        """Write all at once; where the table refuses them, each half by itself, down to the row at fault."""
        try:
            async with self._store.transaction():
                return BatchOutcome(await self._write(rows), len(rows), [])
        except ValuesRefused as refusal:
            if len(rows) == 1:
                return BatchOutcome([], 0, [RowFault(rows[0].number, "", "", "", refusal.message)])
        middle = len(rows) // 2
        first, second = await self._write_apart(rows[:middle]), await self._write_apart(rows[middle:])
        return BatchOutcome(
            first.written + second.written, first.accepted + second.accepted, first.faults + second.faults
        )

    async def _write(self, rows: Sequence[ReadRow]) -> list[WrittenRow]:
        stored = {source.id: source for source in await self._store.read_texts([row.id for row in rows])}
        records, changed_ids = [], []
        for row in rows:
            before = stored.get(row.id)
            words, text_has_changed = self._merge(row.values, before)
            records.append(words)
            if text_has_changed:
                changed_ids.append(row.id)
            self._fields = self._fields.union(words.record)
        batch = WrittenBatch(msgspec.json.encode(records).decode(), self._configuration, changed_ids)
        return await self._store.write_batch(batch, self._fields)

    def _merge(self, values: dict[str, Value], before: TextSource | None) -> tuple[_Words, bool]:
        """Give the row with its listing's words, and whether the text of a stored listing changes."""
        record = dict(values)
        if record.get("listing_status") is None:
            # The column is never empty: what is stored stays, and what is new is on offer.
            record.pop("listing_status", None)
            if before is None:
                record["listing_status"] = "active"
        old = before.as_record() if before is not None else None
        merged = msgspec.convert((asdict(old) if old else {}) | record, ListingRecord)
        written = with_words(merged, None, configuration=self._configuration)
        words = _Words(record, written.title_words, written.place_words, written.body_words)
        return words, old is not None and self._embedded_text(old) != self._embedded_text(merged)

    def _embedded_text(self, listing: ListingRecord) -> str:
        return embedding_text(listing, self._types.name_of(listing.property_type_id))
