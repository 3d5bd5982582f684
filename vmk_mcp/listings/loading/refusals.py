"""Rows that could not be loaded, each with its reasons, one JSON object a line."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
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
        with self._told():
            file = self._path.open("ab")
            try:
                file.truncate(min(self._kept_bytes, file.tell()))
            except OSError:  # a pipe or a terminal cannot go on where it was
                file.close()
                raise
        self._file = file
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file; raises `InvalidArguments` where its last rows cannot be written."""
        if error is None:
            with self._told():
                self._file.close()
        else:
            # What ended the load is worth more than what the file has to say of it.
            with suppress(OSError):
                self._file.close()

    def add(self, refused: RefusedRow) -> None:
        """See `RefusalSink.add`; raises `InvalidArguments` where the file cannot be written."""
        with self._told():
            self._file.write(msgspec.json.encode(refused, enc_hook=repr) + b"\n")

    def flush(self) -> int:
        """See `RefusalSink.flush`; raises `InvalidArguments` where the file cannot be written."""
        with self._told():
            self._file.flush()
            return self._file.tell()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InvalidArguments(
                f"The refused rows cannot be written to {self._path}: {error.strerror}.",
                hint="Name another file; what was committed is in, and the same load goes on from there.",
                field="errors",
            ) from error
