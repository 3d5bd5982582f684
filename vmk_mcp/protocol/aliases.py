"""Aliases of arguments: other names that a call may use, moved to where the struct has them."""

from collections.abc import Mapping

import msgspec
import msgspec.inspect as mi

from vmk_mcp.protocol.faults import Fault
from vmk_mcp.protocol.kinds import options_of

JsonObject = dict[str, object]


def open_text(value: object) -> object:
    """Read an object or list that was sent as JSON text; anything else comes back as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError):
        return value


def open_objects(arguments: JsonObject, kind: mi.StructType) -> JsonObject:
    """Read every member that should be an object and was sent as JSON text, at any depth."""
    opened = dict(arguments)
    for field in kind.fields:
        value = opened.get(field.encode_name)
        inner = [one for one in options_of(field.type) if isinstance(one, mi.StructType)]
        if value is None or not inner:
            continue
        value = open_text(value)
        opened[field.encode_name] = open_objects(value, inner[0]) if isinstance(value, dict) else value
    return opened


def move_aliases(arguments: JsonObject, aliases: Mapping[str, str]) -> tuple[dict[str, str], list[Fault]]:
    """Move each aliased value of `arguments`, in place, to its canonical path.

    A null counts as not given. Returns canonical path -> path as written, so that faults speak the
    caller's words, and a fault for each argument that was given under two names.
    """
    written: dict[str, str] = {}
    faults: list[Fault] = []
    for alias, canonical in aliases.items():
        value = _take(arguments, alias)
        if value is None:
            continue
        parent, name = _parent_of(arguments, canonical, make=True)
        if parent is None:
            continue  # what stands in its parent's place is no object, which is a fault of its own
        if parent.get(name) is not None:
            other = written.get(canonical, canonical)
            faults.append(Fault(alias, f"and {other} are the same argument: give one of them"))
        else:
            parent[name] = value
            written[canonical] = alias
    return written, faults


def _take(arguments: JsonObject, path: str) -> object:
    parent, name = _parent_of(arguments, path, make=False)
    return None if parent is None else parent.pop(name, None)


def _parent_of(arguments: JsonObject, path: str, *, make: bool) -> tuple[JsonObject | None, str]:
    """Walk to the object that holds the last name of `path`; `make` puts objects where none are."""
    *parents, name = path.split(".")
    here = arguments
    for parent in parents:
        inner = here.get(parent)
        if inner is None and make:
            inner = here[parent] = {}
        if not isinstance(inner, dict):
            return None, name
        here = inner
    return here, name
