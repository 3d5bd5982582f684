"""The words that the municipal sample is made of, read from `words.toml`."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec
from msgspec import Struct


class Words(Struct, frozen=True):
    """All word lists; see `words.toml`."""

    surnames: tuple[str, ...]
    given_names: tuple[str, ...]
    streets: tuple[str, ...]
    street_kinds: tuple[str, ...]
    towns: tuple[str, ...]
    states: tuple[str, ...]
    sites: tuple[str, ...]
    inspection_notes: tuple[str, ...]
    neighborhoods: Mapping[str, str]
    departments: Mapping[str, str]
    trades: Mapping[str, tuple[str, ...]]
    works: Mapping[str, tuple[str, ...]]
    codes: Mapping[str, str]
    complaints: Mapping[str, tuple[str, ...]]


@cache
def read_words() -> Words:
    """Read the lists that come with the package."""
    text = files("vmk_mcp.sample.municipal").joinpath("words.toml").read_text("utf-8")
    return msgspec.toml.decode(text, type=Words)
