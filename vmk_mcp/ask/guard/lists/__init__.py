"""The guard's lists: data files beside this module, each with what it leaves out and why."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

_FOLDER: Final = files(__name__)


@cache
def read_list(name: str) -> frozenset[str]:
    """Read the one list of names that `<name>.toml` holds under `names`."""
    return frozenset(read_file(name)["names"])


@cache
def read_file(name: str) -> dict[str, list[str]]:
    """Read `<name>.toml`: keys to lists of words."""
    return msgspec.convert(_read(name), dict[str, list[str]])


@cache
def read_calls(name: str) -> dict[str, dict[str, tuple[int, int]]]:
    """Read `<name>.toml`: groups of functions, each with the fewest and most arguments."""
    return msgspec.convert(_read(name), dict[str, dict[str, tuple[int, int]]])


def _read(name: str) -> object:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
