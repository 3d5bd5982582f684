"""Rows that could not be loaded, each with its reasons, one JSON object a line."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol, Self

import msgspec
from msgspec import Struct

from vmk_mcp.errors import InvalidArguments
from vmk_mcp.listings.loading.rows import RowFault


class RefusedRow(Struct, frozen=True):
    """A row as the file has it, and all that is wrong with it."""

    number: int
    faults: Sequence[RowFault]
    row: Mapping[str, object]


class RefusalSink(Protocol):
    """Is told of each refused row."""

    def add(self, refused: RefusedRow) -> None:
        """Take note of a row."""

    def flush(self) -> int:
        """See to it that the rows so far are kept; gives how many bytes of a file they take."""


class RefusalFile:
    """A file of refused rows; see `RefusalSink`. Entering opens it.

    Args:
        path: written over, but for what an earlier run of the same load has left.
        kept_bytes: how much that is.
    """

    def __init__(self, path: Path, kept_bytes: int) -> None:
        self._path = path
        self._kept_bytes = kept_bytes
        self._file: BinaryIO

    def __enter__(self) -> Self:
        """Open the file; raises `InvalidArguments` where that cannot be."""
        try:
            self._file = self._path.open("ab")
            self._file.truncate(min(self._kept_bytes, self._file.tell()))
        except OSError as error:
            raise InvalidArguments(
                f"The refused rows cannot be written to {self._path}: {error.strerror}.", field="errors"
            ) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._file.close()

    def add(self, refused: RefusedRow) -> None:
        """See `RefusalSink.add`."""
        self._file.write(msgspec.json.encode(refused, enc_hook=repr) + b"\n")

    def flush(self) -> int:
        """See `RefusalSink.flush`."""
        self._file.flush()
        return self._file.tell()
