"""The load of one file: batch after batch, each committed and then noted."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec import Struct

from vmk_mcp.errors import InvalidArguments
from vmk_mcp.listings.loading.batches import Batches
from vmk_mcp.listings.loading.checkpoint import Checkpoint
from vmk_mcp.listings.loading.reading import RowReader
from vmk_mcp.listings.loading.refusals import RefusalSink, RefusedRow
from vmk_mcp.listings.loading.rows import RawRow, ReadRow, RowFault, RowSource
from vmk_mcp.listings.loading.tally import Tally

ROWS_AT_ONCE: Final = 500
"""Rows of a batch: enough for a transaction's cost to vanish, few enough to be read again after a kill."""

Progress = Callable[[int, int, Tally], None]
"""Told after each batch how much of the file is done, of how much, and the counts so far."""

Keep = Callable[[Checkpoint], None]
"""Told, after each batch was committed, how far the load is."""


class LoadRules(Struct, frozen=True):
    """How a file is loaded: whether the first refused row ends it, and how many rows make a batch."""

    is_strict: bool = False
    rows_at_once: int = ROWS_AT_ONCE


class FileLoad:
    """Loads a file from where a checkpoint says; see `run`.

    Args:
        source: the open file.
        reader: makes rows of its rows.
        batches: writes them.
        refusals: is told of the others.
    """

    def __init__(
        self, source: RowSource, reader: RowReader, batches: Batches, refusals: RefusalSink, rules: LoadRules
    ) -> None:
        self._source = source
        self._reader = reader
        self._batches = batches
        self._refusals = refusals
        self._rules = rules

    async def run(self, checkpoint: Checkpoint, keep: Keep, progress: Progress) -> Tally:
        """Load all that comes after `checkpoint`, which goes along.

        Raises:
            InvalidArguments: the file breaks off, or a row is refused and the rules are strict.
            StoreUnavailable: the database went away; what is noted is committed.
        """
        tally = checkpoint.tally
        rows = self._source.read_rows(tally.read)
        while raw := list(itertools.islice(rows, self._rules.rows_at_once)):
            good, refused = self._read(iter(raw), tally)
            latest = {row.id: row for row in good}
            outcome = await self._batches.take(list(latest.values()))
            refused += _find_refused(raw, outcome.faults)
            tally.repeated += len(good) - len(latest)
            tally.add_written(outcome.accepted, outcome.written)
            for row in sorted(refused, key=lambda one: one.number):
                tally.add_refused(row.faults)
                self._refusals.add(row)
            if refused and self._rules.is_strict:
                raise self._stop_at(refused[0])
            tally.read += len(raw)
            checkpoint.error_bytes = self._refusals.flush()
            if latest:
                checkpoint.add_witness(next(iter(latest)))
            keep(checkpoint)
            progress(*self._source.measure(), tally)
        return tally

    def _read(self, raw: Iterator[RawRow], tally: Tally) -> tuple[list[ReadRow], list[RefusedRow]]:
        good: list[ReadRow] = []
        refused: list[RefusedRow] = []
        for one in raw:
            reading = self._reader.read(one)
            tally.add_notices(reading.notices)
            if reading.row is not None:
                good.append(reading.row)
                continue
            refused.append(RefusedRow(one.number, reading.faults, one.values))
            if self._rules.is_strict:
                break
        return good, refused

    def _stop_at(self, refused: RefusedRow) -> InvalidArguments:
        return InvalidArguments(
            f"{describe_fault(refused.faults[0], self._source.unit)}.",
            hint="The rows before it are loaded. Mend it and load the file again, or leave --strict out.",
        )


def describe_fault(fault: RowFault, unit: str) -> str:
    """Say in one sentence where a fault is, what stands there and what is wanted."""
    column = f" (column {fault.column})" if fault.column and fault.column != fault.field else ""
    field = f", {fault.field}{column}" if fault.field else ""
    given = f"{fault.given!r} is not " if fault.given and fault.field else ""
    return f"{unit} {fault.number}{field}: {given}{fault.wanted}"


def _find_refused(raw: Sequence[RawRow], faults: Sequence[RowFault]) -> list[RefusedRow]:
    values = {row.number: row.values for row in raw}
    return [RefusedRow(fault.number, [fault], values[fault.number]) for fault in faults]
