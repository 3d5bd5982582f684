"""Faults of a tool's arguments, gathered so that the caller can mend all of them at once."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.errors import InvalidArguments

MOST_FAULTS: Final = 20
"""Beyond this many the rest is only counted: a message is for reading, and a hostile body is long."""

_LONGEST_NAME: Final = 60
_LONGEST_VALUE: Final = 40


class Fault(Struct, frozen=True):
    """One fault: the dotted path as the caller wrote it, and what is wrong there."""

    path: str
    problem: str


def join(path: str, key: str) -> str:
    """Append a key to a dotted path."""
    return f"{path}.{cut(key)}" if path else cut(key)


def cut(name: str) -> str:
    """Shorten a name that a caller made up."""
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"


def show(value: object) -> str:
    """Say what stood there instead, in few words."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str) and len(value) > _LONGEST_VALUE:
        value = f"{value[:_LONGEST_VALUE]}…"
    return msgspec.json.encode(value).decode()[: 2 * _LONGEST_VALUE]


def nearest(word: str, known: Iterable[str]) -> str:
    """Give the known word that is most like `word`, or ""."""
    by_case = {one.casefold(): one for one in known}
    found = get_close_matches(word[:_LONGEST_NAME].casefold(), by_case, n=1)
    return by_case[found[0]] if found else ""


def unknown_key(path: str, key: str, known: Iterable[str]) -> Fault:
    """Write the fault of a key that nothing knows, with the name that was probably meant."""
    names = list(known)
    meant = nearest(key, names)
    hint = f"did you mean {meant}? " if meant else ""
    return Fault(join(path, key), f"is unknown; {hint}known here: {', '.join(names) or 'none'}")


def as_error(tool: str, faults: list[Fault]) -> InvalidArguments:
    """Write one error that names every fault; its `field` is set when all of them are of one argument."""
    told = [f"{fault.path or 'arguments'} {fault.problem}" for fault in faults[:MOST_FAULTS]]
    more = "; and more" if len(faults) > MOST_FAULTS else ""
    paths = {fault.path for fault in faults}
    field = paths.pop() if len(paths) == 1 else None
    return InvalidArguments(
        f"Arguments of {tool}: {'; '.join(told)}{more}.",
        hint="Correct what is named and call again; the input schema in tools/list says what is known.",
        field=field or None,
    )
