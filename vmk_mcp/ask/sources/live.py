"""A source as it is right now: its schema and values, read again beside the calls once they are old."""

import asyncio
from collections.abc import Callable
from datetime import date
from typing import Final

from msgspec import Struct

from vmk_mcp.ask.model import AskedSource, OpenSchema
from vmk_mcp.ask.ports import Snapshot
from vmk_mcp.ask.sources.assembling import assemble_schema, open_columns
from vmk_mcp.ask.sources.catalog import Catalog, CatalogRows
from vmk_mcp.ask.sources.files import SourceFile
from vmk_mcp.errors import NotOffered

_GOOD_FOR_S: Final = 300.0
# The index of values is read column by column: this is all the time that it may take.
_VALUES_WITHIN_S: Final = 3.0


class Calendar(Struct, frozen=True):
    """What time it is: `clock` gives seconds that never go back, `today` the day."""

    clock: Callable[[], float]
    today: Callable[[], date]


class LiveSource:
    """What may be asked of one database; see `get`."""

    def __init__(self, name: str, file: SourceFile, catalog: Catalog, calendar: Calendar) -> None:
        self.name = name
        self.file = file
        self._catalog = catalog
        self._calendar = calendar
        self._snapshot: Snapshot | None = None
        self._read_at = 0.0
        self._reading: asyncio.Task[None] | None = None

    async def get(self) -> Snapshot:
        """Give the source as it was when last read; after five minutes it is read again, for later calls.

        Raises:
            StoreUnavailable: the database cannot be reached.
            NotOffered: its login may not ask, or nothing in it is open.
        """
        if self._snapshot is None:
            # A caller that gives up leaves the reading to those who come after.
            await asyncio.shield(self._begin_reading())
        elif self._calendar.clock() - self._read_at > _GOOD_FOR_S:
            _ = self._begin_reading()
        if self._snapshot is None:
            raise RuntimeError("a source that was read is not there")
        return self._snapshot

    async def check(self) -> None:
        """See `SnapshotReader.check`."""
        # Not by `get`, which waits for the index of values when the source is read for the first time.
        self._assemble(await self._catalog.read(self.file.schema))

    async def close(self) -> None:
        """End what is being read."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])

    def _begin_reading(self) -> asyncio.Task[None]:
        """Give the reading that goes on, or begin one; when it fails, the last snapshot stays."""
        if self._reading is None or self._reading.done():
            self._reading = asyncio.create_task(self._read_anew())
            self._reading.add_done_callback(_take_note)
        return self._reading

    async def _read_anew(self) -> None:
        self._snapshot, self._read_at = await self._read(), self._calendar.clock()

    async def _read(self) -> Snapshot:
        rows = await self._catalog.read(self.file.schema)
        schema = self._assemble(rows)
        behind = await self._catalog.list_behind(self.file.schema, [table.name for table in schema.tables])
        return Snapshot(
            AskedSource(
                name=self.name,
                schema=schema,
                values=await self._read_values(rows),
                glossary=self.file.glossary,
                today=self._calendar.today(),
            ),
            frozenset(behind),
        )

    def _assemble(self, rows: CatalogRows) -> OpenSchema:
        schema = assemble_schema(rows, self.file)
        if not schema.tables:
            raise NotOffered(
                f"Nothing in the schema {self.file.schema} of the source {self.name} is open to asking.",
                hint="Grant SELECT on its tables to the role that asks; `vmk-mcp roles` prints how.",
            )
        return schema

    async def _read_values(self, rows: CatalogRows) -> dict[str, tuple[str, ...]]:
        values: dict[str, tuple[str, ...]] = {}
        late = self._calendar.clock() + _VALUES_WITHIN_S
        for column in open_columns(rows, self.file):
            if column.holds_words and self._calendar.clock() < late:
                found = await self._catalog.list_values(self.file.schema, column.relation, column.name)
                if found:
                    values[f"{column.relation}.{column.name}"] = tuple(found)
        return values


def _take_note(reading: asyncio.Task[None]) -> None:
    """Look at a failure that nobody may be waiting for: the next caller meets it by itself."""
    if not reading.cancelled():
        reading.exception()
