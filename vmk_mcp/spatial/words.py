"""A name as it was typed, into what SQL compares."""

import unicodedata
from typing import Final

from vmk_mcp.errors import InvalidArguments

_SUFFIXES: Final = ("镇", "乡", "街道")
"""What follows the name of a town on record, and people leave out."""


def read_name(text: str, field: str) -> str:
    """Give the text in one form of Unicode, without the blanks around it.

    Raises:
        InvalidArguments: nothing is left, or it holds what no text in the database can.
    """
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not name:
        raise _refuse(field, "must hold at least one character that can be seen")
    if "\0" in name:
        raise _refuse(field, "must not hold the character NUL")
    return name


def _refuse(field: str, rule: str) -> InvalidArguments:
    return InvalidArguments(
        f"{field.capitalize()} {rule}.", hint="Give a name, village or town in Chinese.", field=field
    )


def make_pairs(name: str) -> list[str]:
    """Give a LIKE pattern for each pair of neighbouring characters of `name` in lower case, once each."""
    low = name.lower()
    pairs = [low[start : start + 2] for start in range(len(low) - 1)] or [low]
    return [f"%{_escape(pair)}%" for pair in dict.fromkeys(pairs)]


def spell_town(town: str) -> list[str]:
    """Give the ways in which a town may be on record."""
    return [town, *(f"{town}{suffix}" for suffix in _SUFFIXES)]


def _escape(text: str) -> str:
    """Take the meaning from LIKE's own signs."""
    return "".join(f"\\{sign}" if sign in "\\%_" else sign for sign in text)
