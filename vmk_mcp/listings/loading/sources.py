"""Which reader a file needs, told by its name."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from vmk_mcp.errors import InvalidArguments
from vmk_mcp.listings.loading.parquet_file import ParquetFile
from vmk_mcp.listings.loading.rows import RowSource
from vmk_mcp.listings.loading.text_files import CsvFile, JsonLinesFile


class Format(Struct, frozen=True):
    """How a file's text is to be read; for Parquet it means nothing. An empty delimiter: the header tells."""

    encoding: str
    delimiter: str = ""


def _open_csv(path: Path, form: Format) -> RowSource:
    return CsvFile(path, form.encoding, form.delimiter)


def _open_tsv(path: Path, form: Format) -> RowSource:
    return CsvFile(path, form.encoding, form.delimiter or "\t")


def _open_json_lines(path: Path, form: Format) -> RowSource:
    return JsonLinesFile(path, form.encoding)


def _open_parquet(path: Path, _: Format) -> RowSource:
    return ParquetFile(path)


_OPENERS: Final[Mapping[str, Callable[[Path, Format], RowSource]]] = {
    ".csv": _open_csv,
    ".tsv": _open_tsv,
    ".jsonl": _open_json_lines,
    ".ndjson": _open_json_lines,
    ".parquet": _open_parquet,
}


def open_source(path: Path, form: Format) -> RowSource:
    """Open a file of rows.

    Raises:
        InvalidArguments: its name ends in nothing that is known, or it cannot be read.
        StartError: a package that reads it is not installed.
    """
    opener = _OPENERS.get(path.suffix.lower())
    if opener is None:
        raise InvalidArguments(
            f"{path.name} ends in none of {', '.join(_OPENERS)}.",
            hint="Rename the file by what it holds: CSV, one JSON object a line, or Parquet.",
        )
    return opener(path, form)
