"""The guard's lists: data files beside this module, each with what it leaves out and why."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

_FOLDER: Final = files(__name__)


@cache
def read_list(name: str) -> frozenset[str]:
    """Read the one list of names that `<name>.toml` holds under `names`."""
    names = read_file(name)["names"]
    return frozenset(names)


def read_file(name: str) -> dict[str, list[str]]:
    """Read `<name>.toml`: keys to lists of words."""
    content: dict[str, list[str]] = tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    return content
