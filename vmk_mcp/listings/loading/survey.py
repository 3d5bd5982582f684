"""What can be said of a file before its rows are read: its digest and how its text is encoded."""

import codecs
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from vmk_mcp.errors import InvalidArguments

_PIECE: Final = 1 << 20
_BROKEN: Final = "\ufffd"
_MOSTLY: Final = 0.1

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Survey(Struct, frozen=True):
    """What was found.

    Attributes:
        digest: of the whole content, hexadecimal.
        encoding: that its text seems to be in; UTF-8 unless it cannot be.
        size: in bytes.
        changed_ns: when the file was last changed.
    """

    digest: str
    encoding: str
    size: int
    changed_ns: int


def survey_file(path: Path) -> Survey:
    """Read a file through once.

    Raises:
        InvalidArguments: it cannot be read.
    """
    try:
        stat = path.stat()
        digest, encoding = _read_through(path)
    except OSError as error:
        raise InvalidArguments(
            f"{path} cannot be read: {error.strerror or 'the disk failed'}.",
            hint="Give the path of a file that this account may read.",
        ) from error
    return Survey(digest, encoding, stat.st_size, stat.st_mtime_ns)


def has_changed(path: Path, survey: Survey) -> bool:
    """Say whether the file is another than it was when it was surveyed."""
    try:
        stat = path.stat()
    except OSError:
        return True
    return (stat.st_size, stat.st_mtime_ns) != (survey.size, survey.changed_ns)


def _read_through(path: Path) -> tuple[str, str]:
    digest = hashlib.blake2b(digest_size=20)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    marked, foreign, broken = None, 0, 0
    for piece in _pieces(path):
        if marked is None:
            marked = next((name for mark, name in _MARKS if piece.startswith(mark)), "")
        digest.update(piece)
        if not marked and not piece.isascii():
            text = decoder.decode(piece)
            broken += text.count(_BROKEN)
            foreign += len(text) - len(text.encode("ascii", "ignore"))
    if marked:
        return digest.hexdigest(), marked
    # A stray byte in a long text of UTF-8 does not make it a text of another encoding.
    return digest.hexdigest(), "utf-8" if broken <= foreign * _MOSTLY else "cp1251"


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            yield piece
