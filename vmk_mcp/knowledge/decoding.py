"""Bytes of a document into text: UTF-8, UTF-16 with its mark, or Windows-1251."""

import codecs
from typing import Final

from msgspec import Struct

_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UTF32: Final = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


class Undecodable(ValueError):
    """The bytes are no text; says why, in a sentence."""


class Decoded(Struct, frozen=True):
    """A text, and the encoding that it was read in."""

    text: str
    encoding: str


def decode(content: bytes) -> Decoded:
    """Read `content` as text.

    UTF-16 is recognised by its byte order mark. Otherwise a NUL byte means that it is no text. What is not
    UTF-8 is Windows-1251, as older Ukrainian and Russian files are, unless most of it is UTF-8 that was
    damaged.

    Raises:
        Undecodable: it is no text in any of these.
    """
    if content.startswith(_UTF32):
        raise Undecodable("The file is UTF-32; save it as UTF-8.")
    if content.startswith(_UTF16):
        return Decoded(_without_nul(_decode_strictly(content, "utf-16")), "utf-16")
    if b"\0" in content:
        raise Undecodable("The file holds NUL bytes, so it is binary and no text.")
    marked = content.startswith(codecs.BOM_UTF8)
    try:
        return Decoded(content.decode("utf-8-sig"), "utf-8-sig" if marked else "utf-8")
    except UnicodeDecodeError:
        if marked or _is_damaged_utf8(content):
            raise Undecodable("The file is UTF-8 that is damaged in places; mend or save it anew.") from None
    return Decoded(_decode_strictly(content, "cp1251"), "cp1251")


def _decode_strictly(content: bytes, encoding: str) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        name = "UTF-16" if encoding == "utf-16" else "UTF-8 or Windows-1251"
        raise Undecodable(f"The file is not {name} text; save it as UTF-8.") from None


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise Undecodable("The file holds NUL characters, so it is binary and no text.")
    return text


def _is_damaged_utf8(content: bytes) -> bool:
    """Say whether more of what is beyond ASCII is whole UTF-8 characters than is not."""
    lenient = content.decode("utf-8", "replace")
    broken = lenient.count("\ufffd")
    beyond = sum(character > "\x7f" for character in lenient) - broken
    return beyond > broken
