"""The first rows of a statement, by cursor, within a number of rows and bytes."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import asyncpg
import msgspec
from msgspec import Struct

from vmk_mcp.database.cells import to_json

if TYPE_CHECKING:
    from asyncpg.prepared_stmt import PreparedStatement

_MARK: Final = "…"
_FULL_NAMES: Final[Mapping[str, str]] = {
    "bool": "boolean", "bpchar": "character", "float4": "real", "float8": "double precision",
    "int2": "smallint", "int4": "integer", "int8": "bigint", "time": "time without time zone",
    "timestamp": "timestamp without time zone", "timestamptz": "timestamp with time zone",
    "timetz": "time with time zone", "varbit": "bit varying", "varchar": "character varying",
}  # fmt: skip
"""The names that `format_type` writes, where they are not the type's own."""


class SelectionLimits(Struct, frozen=True):
    """How much of an answer is fetched.

    Attributes:
        rows: at most.
        row_bytes: of all rows together, as JSON.
        text_length: characters of one text; what is longer is cut.
    """

    rows: int = 200
    row_bytes: int = 256 * 1024
    text_length: int = 64 * 1024


class Selection(Struct, frozen=True):
    """The first rows of an answer.

    Attributes:
        columns: name and type of each, the type as `format_type` writes it.
        rows: values by place, each of a JSON type.
        truncated: there were more rows, or a text was cut.
    """

    columns: Sequence[tuple[str, str]]
    rows: Sequence[Sequence[Any]]
    truncated: bool


async def select_rows(
    connection: "asyncpg.Connection[asyncpg.Record]", checked: str, limits: SelectionLimits
) -> Selection:
    """Run a checked statement in the transaction that `connection` is in."""
    statement: PreparedStatement[asyncpg.Record] = await connection.prepare(checked)
    columns = [(one.name, _full_name(one.type.name)) for one in statement.get_attributes()]
    cursor = await statement.cursor()
    tray = _Tray(limits)
    while (due := tray.due) and (records := await cursor.fetch(due)):
        tray.add_all(records)
    return Selection(columns, tray.rows, tray.truncated)


class _Tray:
    """Takes rows until it is full; says how many more it may be handed at once."""

    def __init__(self, limits: SelectionLimits) -> None:
        self.rows: list[list[Any]] = []
        self.truncated = False
        self._limits = limits
        self._left_bytes = limits.row_bytes
        self._largest = 0

    @property
    def due(self) -> int:
        """How many rows to fetch next, 0 when it is full.

        The first row comes alone: a row may be of any size, and what comes at once is in memory at once.
        """
        if len(self.rows) > self._limits.rows or self._left_bytes < 0:
            return 0
        fitting = self._left_bytes // self._largest if self._largest else 0
        return max(1, min(self._limits.rows + 1 - len(self.rows), fitting))

    def add_all(self, records: "Sequence[asyncpg.Record]") -> None:
        """Take rows; the first one too many only tells that there are more."""
        for record in records:
            row = [self._shorten(to_json(cell)) for cell in record.values()]
            size = len(msgspec.json.encode(row))
            self._largest = max(self._largest, size)
            self._left_bytes -= size
            if len(self.rows) == self._limits.rows or self._left_bytes < 0:
                self.truncated = True
                self._left_bytes = -1
                return
            self.rows.append(row)

    def _shorten(self, cell: Any) -> Any:
        if isinstance(cell, str) and len(cell) > self._limits.text_length:
            self.truncated = True
            return cell[: self._limits.text_length] + _MARK
        return cell


def _full_name(name: str) -> str:
    base = name.removesuffix("[]")
    return _FULL_NAMES.get(base, base) + name[len(base) :]
