"""What people call columns and values, read from `words.toml`, and the key under which spellings meet."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.listings.model import ENUMERATIONS
from vmk_mcp.listings.normalize import fold_name

_JOINTS: Final = re.compile(r"[\s_.\-/]+")


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    columns: dict[str, list[str]]
    values: dict[str, dict[str, list[str]]]
    unpriced: dict[str, list[str]]
    booleans: dict[str, list[str]]
    latin: dict[str, str]


class Words(Struct, frozen=True):
    """Tables from the key of a word (see `fold_word`).

    Attributes:
        columns: to the field of a listing.
        values: by field, to the value that the collector writes; enumerations hold themselves too.
        unpriced: those that stand where a price is left to be agreed.
        booleans: to what is meant.
        latin: from a Cyrillic letter to Latin ones.
    """

    columns: Mapping[str, str]
    values: Mapping[str, Mapping[str, str]]
    unpriced: frozenset[str]
    booleans: Mapping[str, bool]
    latin: Mapping[str, str]


def fold_word(text: str) -> str:
    """Give the key under which all spellings of one word meet, whatever its case, joints and look-alikes."""
    return fold_name(_JOINTS.sub(" ", text)).strip()


@cache
def read_words() -> Words:
    """Read the file that comes with the package."""
    text = resources.files("vmk_mcp.listings.loading").joinpath("words.toml").read_text("utf-8")
    file = msgspec.convert(tomllib.loads(text), _File)
    columns = {field: [field, *aliases] for field, aliases in file.columns.items()}
    return Words(
        columns=_invert(columns),
        values={field: _invert(_with_own(field, words)) for field, words in file.values.items()},
        unpriced=frozenset(_invert(file.unpriced)),
        booleans={word: meant == "yes" for word, meant in _invert(file.booleans).items()},
        latin=file.latin,
    )


def _with_own(field: str, words: Mapping[str, list[str]]) -> Mapping[str, list[str]]:
    own = {value: [value] for value in ENUMERATIONS.get(field, ())}
    return own | {value: [value, *aliases] for value, aliases in words.items()}


def _invert(words: Mapping[str, list[str]]) -> dict[str, str]:
    return {fold_word(alias): meant for meant, aliases in words.items() for alias in aliases}
