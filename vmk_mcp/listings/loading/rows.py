"""Rows on their way from a file to the table, and what is said of those that do not get there."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, Literal, Protocol

from msgspec import Struct

Value = str | int | float | Decimal | date | None
"""What a column of `property_listings` takes."""

_SHOWN: Final = 80


class RowFault(Struct, frozen=True):
    """What is wrong in one row.

    Attributes:
        number: of the line (csv: where the row begins; jsonl) or of the row (parquet), from 1 on.
        field: the field of a listing that cannot be filled; empty where the row as a whole is at fault.
        column: the file's column that was to fill it, if there is one.
        given: what stands there, shortened.
        wanted: what should stand there, or what is wrong.
    """

    number: int
    field: str
    column: str
    given: str
    wanted: str


class Notice(Struct, frozen=True):
    """Something in a row that was taken in all the same: `what` is done with the `given` value of `field`."""

    field: str
    what: str
    given: str


class RawRow(Struct, frozen=True):
    """A row as it was read; `fault` says why it could not be, and then there are no values."""

    number: int
    values: Mapping[str, object]
    fault: str = ""


class ReadRow(Struct, frozen=True):
    """A row that can be written: a value for each field that the row has."""

    number: int
    id: int
    values: dict[str, Value]


class Unfit(Exception):
    """A value that is not what its field takes; the text says what is wanted."""


class RowSource(Protocol):
    """An open file of rows.

    Raises:
        InvalidArguments: the file cannot be read as what its name says.
    """

    unit: Literal["line", "row"]
    """What `RawRow.number` counts."""

    columns: Sequence[str]
    """Names of columns, as far as they are known before the rows are read."""

    def read_rows(self, skip: int) -> Iterator[RawRow]:
        """Give the rows after the first `skip`, in order; they are never all in memory."""

    def measure(self) -> tuple[int, int]:
        """Give how much has been read, and how much there is, in one unit."""

    def close(self) -> None:
        """Close the file."""


def shorten(given: object) -> str:
    """Give `given` as it is shown in a message."""
    text = given if isinstance(given, str) else repr(given)
    text = " ".join(text[: _SHOWN * 2].split())
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
