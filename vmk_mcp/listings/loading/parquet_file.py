"""Parquet as rows, through the package pyarrow, which is an extra."""

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from vmk_mcp.errors import InvalidArguments, StartError
from vmk_mcp.listings.loading.rows import RawRow

_AT_ONCE: Final = 500


class _Batch(Protocol):
    num_rows: int

    def to_pylist(self) -> list[dict[str, object]]: ...
    def slice(self, offset: int) -> "_Batch": ...


class _Reader(Protocol):
    """The part of `pyarrow.parquet.ParquetFile` that is used."""

    metadata: Any
    schema_arrow: Any

    def iter_batches(self, count: int, /) -> Iterable[_Batch]: ...
    def close(self) -> None: ...


class ParquetFile:
    """A Parquet file; see `RowSource`. Rows are numbered from 1 on."""

    unit: Literal["line", "row"] = "row"

    def __init__(self, path: Path) -> None:
        """Open the file.

        Raises:
            StartError: pyarrow is not installed.
            InvalidArguments: it is no Parquet file.
        """
        self._path = path
        self._reader = _open(path)
        self.columns: Sequence[str] = [str(name) for name in self._reader.schema_arrow.names]
        self._rows = int(self._reader.metadata.num_rows)
        self._read_so_far = 0

    def read_rows(self, skip: int) -> Iterator[RawRow]:
        """See `RowSource.read_rows`."""
        self._read_so_far = 0
        for values in self._read_values(skip):
            self._read_so_far += 1
            yield RawRow(self._read_so_far, values)

    def measure(self) -> tuple[int, int]:
        """See `RowSource.measure`."""
        return self._read_so_far, self._rows

    def close(self) -> None:
        """See `RowSource.close`."""
        self._reader.close()

    def _read_values(self, skip: int) -> Iterator[Mapping[str, object]]:
        try:
            for batch in self._reader.iter_batches(_AT_ONCE):
                passed = min(skip - self._read_so_far, batch.num_rows) if self._read_so_far < skip else 0
                self._read_so_far += passed
                yield from batch.slice(passed).to_pylist()
        except (OSError, ValueError) as error:
            raise _unreadable(self._path) from error


def _open(path: Path) -> _Reader:
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise StartError(
            "Reading Parquet needs the package pyarrow, which is not installed.",
            hint="Install vmk-mcp[parquet], or save the table as CSV or JSON Lines.",
        ) from None
    try:
        reader: _Reader = parquet.ParquetFile(path)
    except (OSError, ValueError) as error:
        raise _unreadable(path) from error
    return reader


def _unreadable(path: Path) -> InvalidArguments:
    return InvalidArguments(
        f"{path} cannot be read as Parquet.", hint="Check that it is whole: its last bytes must be PAR1."
    )
