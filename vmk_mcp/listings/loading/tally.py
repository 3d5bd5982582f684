"""What has become of a file's rows, counted."""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.listings.loading.rows import Notice, RowFault
from vmk_mcp.listings.loading.store import WrittenRow

_EXAMPLES: Final = 5


class Noticed(Struct):
    """One kind of notice about one field: how often, and a few examples."""

    field: str
    what: str
    count: int = 0
    examples: list[str] = msgspec.field(default_factory=list)


class Tally(Struct):
    """Counts of rows; `refused` ones have faults, of which `faults` counts those of each field.

    `repeated` rows have the id of a later row of the same batch, which was taken instead.
    """

    read: int = 0
    inserted: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: int = 0
    repeated: int = 0
    faults: dict[str, int] = msgspec.field(default_factory=dict)
    noticed: list[Noticed] = msgspec.field(default_factory=list)

    def add_written(self, count: int, written: Sequence[WrittenRow]) -> None:
        """Count a batch of `count` rows, of which those `written` were not there like that."""
        inserted = sum(row.is_new for row in written)
        self.inserted += inserted
        self.updated += len(written) - inserted
        self.unchanged += count - len(written)

    def add_refused(self, faults: Iterable[RowFault]) -> None:
        """Count the faults of one row."""
        self.refused += 1
        for fault in faults:
            name = fault.field or "row"
            self.faults[name] = self.faults.get(name, 0) + 1

    def add_notices(self, notices: Iterable[Notice]) -> None:
        """Count what was done to values."""
        for notice in notices:
            same = [one for one in self.noticed if (one.field, one.what) == (notice.field, notice.what)]
            if not same:
                same = [Noticed(notice.field, notice.what)]
                self.noticed += same
            same[0].count += 1
            if notice.given not in same[0].examples and len(same[0].examples) < _EXAMPLES:
                same[0].examples.append(notice.given)
