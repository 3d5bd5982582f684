"""CSV and JSON Lines as rows, one line after another."""

import codecs
import csv
import io
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from vmk_mcp.errors import InvalidArguments
from vmk_mcp.listings.loading.rows import RawRow

_DELIMITERS: Final = ",;\t|"
_LARGEST_CELL: Final = 16 << 20
_LONGEST_LINE: Final = 64 << 20
_LOOKED_AT: Final = 1_000
"""Rows of JSON Lines whose keys are known before loading begins."""


def open_text(path: Path, encoding: str) -> tuple[io.BufferedReader, io.TextIOWrapper]:
    """Open a file as bytes and as text; bytes that are not in the encoding become U+FFFD.

    Raises:
        InvalidArguments: the file cannot be read, or there is no such encoding.
    """
    try:
        codecs.lookup(encoding)
        binary = path.open("rb")
    except LookupError:
        raise InvalidArguments(
            f"There is no encoding {encoding!r}.", hint="Usual ones are utf-8, cp1251 and utf-16."
        ) from None
    except OSError as error:
        raise InvalidArguments(f"{path} cannot be read: {error.strerror}.") from error
    return binary, io.TextIOWrapper(binary, encoding=encoding, errors="replace", newline="")


class CsvFile:
    """A table with a header; see `RowSource`. A row is numbered by the line on which it begins."""

    unit: Literal["line", "row"] = "line"

    def __init__(self, path: Path, encoding: str, delimiter: str = "") -> None:
        """Open the file and read its header; without a delimiter, the header says which it is."""
        self._binary, self._text = open_text(path, encoding)
        self._size = path.stat().st_size
        csv.field_size_limit(_LARGEST_CELL)
        first = self._text.readline(_LARGEST_CELL)
        self._text.seek(0)
        self._reader = csv.reader(self._text, delimiter=delimiter or _guess_delimiter(first))
        try:
            self.columns: Sequence[str] = self._read_header(path)
        except InvalidArguments:
            self.close()
            raise

    def read_rows(self, skip: int) -> Iterator[RawRow]:
        """See `RowSource.read_rows`."""
        return itertools.islice(self._read(), skip, None)

    def measure(self) -> tuple[int, int]:
        """See `RowSource.measure`."""
        return self._binary.tell(), self._size

    def close(self) -> None:
        """See `RowSource.close`."""
        self._text.close()

    def _read(self) -> Iterator[RawRow]:
        while True:
            number = self._reader.line_num + 1
            try:
                cells = next(self._reader, None)
            except csv.Error:
                yield RawRow(number, {}, f"cells of at most {_LARGEST_CELL >> 20} MiB: is a quote left open?")
                continue
            if cells is None:
                return
            if not cells:
                continue
            if len(cells) != len(self.columns):
                yield RawRow(number, {}, f"{len(self.columns)} cells as in the header, not {len(cells)}")
                continue
            yield RawRow(number, {name: cell for name, cell in zip(self.columns, cells, strict=True) if name})

    def _read_header(self, path: Path) -> list[str]:
        try:
            names = [name.strip() for name in next(self._reader, [])]
        except csv.Error:
            names = []
        if not any(names):
            raise InvalidArguments(
                f"{path} has no header.",
                hint="Its first line must name the columns, in CSV with any delimiter.",
            )
        if twice := sorted({name for name in names if name and names.count(name) > 1}):
            raise InvalidArguments(
                f"{path} has several columns named {', '.join(twice)}.",
                hint="Give each column a name of its own.",
            )
        return names


class JsonLinesFile:
    """One JSON object a line; see `RowSource`."""

    unit: Literal["line", "row"] = "line"

    def __init__(self, path: Path, encoding: str) -> None:
        """Open the file, and look at its first rows for the names of columns."""
        self._binary, self._text = open_text(path, encoding)
        self._size = path.stat().st_size
        names = (name for row in itertools.islice(self._read(), _LOOKED_AT) for name in row.values)
        self.columns: Sequence[str] = list(dict.fromkeys(names))
        self._text.seek(0)

    def read_rows(self, skip: int) -> Iterator[RawRow]:
        """See `RowSource.read_rows`."""
        return itertools.islice(self._read(), skip, None)

    def measure(self) -> tuple[int, int]:
        """See `RowSource.measure`."""
        return self._binary.tell(), self._size

    def close(self) -> None:
        """See `RowSource.close`."""
        self._text.close()

    def _read(self) -> Iterator[RawRow]:
        for number in itertools.count(1):
            line = self._text.readline(_LONGEST_LINE)
            if not line:
                return
            if len(line) == _LONGEST_LINE and not line.endswith("\n"):
                self._skip_line()
                yield RawRow(number, {}, f"a line of at most {_LONGEST_LINE >> 20} million characters")
            elif line.strip():
                yield _read_object(number, line)

    def _skip_line(self) -> None:
        while (more := self._text.readline(_LONGEST_LINE)) and not more.endswith("\n"):
            pass


def _read_object(number: int, line: str) -> RawRow:
    try:
        read: Any = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return RawRow(number, {}, "a line of JSON")
    if not isinstance(read, dict):
        return RawRow(number, {}, 'a JSON object, such as {"id": 1, "title": "..."}')
    return RawRow(number, read)


def _guess_delimiter(header: str) -> str:
    bare = re.sub(r'"[^"]*"', "", header)
    return max(_DELIMITERS, key=bare.count)
