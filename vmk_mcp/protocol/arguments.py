"""From the bytes of a call's arguments to the tool's struct: strictly first, mended only on failure."""

import re
from typing import Final

import msgspec
import msgspec.inspect as mi
from msgspec import UNSET, Raw, Struct, UnsetType

from vmk_mcp.protocol.aliases import move_aliases, open_objects, open_text
from vmk_mcp.protocol.envelope import encode
from vmk_mcp.protocol.faults import Fault, as_error, cut, show
from vmk_mcp.protocol.mend import Mender
from vmk_mcp.tool import AnyTool

_MOST_NAMED: Final = 20
"""Dropped arguments that are named; who sends more does not read them."""

_PLACE: Final = re.compile(r"(?P<problem>.*?)(?: - at `(?:key in )?\$(?P<path>[^`]*)`)?", re.DOTALL)


class ArgumentsReader:
    """Reads the arguments of one tool."""

    def __init__(self, tool: AnyTool) -> None:
        self._name = tool.name
        self._aliases = tool.aliases
        self._decoder: msgspec.json.Decoder[Struct] = msgspec.json.Decoder(tool.arguments)
        kind = mi.type_info(tool.arguments)
        if not isinstance(kind, mi.StructType) or not kind.forbid_unknown_fields:
            raise TypeError(f"{tool.name}: the arguments must be a Struct with forbid_unknown_fields=True")
        self._kind = kind

    def read(self, raw: Raw | UnsetType, *, drop_unknown: bool) -> tuple[Struct, tuple[str, ...]]:
        """Give the arguments, and the names of those that were dropped.

        Raises:
            InvalidArguments: naming every fault, with `field` when one argument is at fault.
        """
        try:
            return self._decoder.decode(b"{}" if raw is UNSET else raw), ()
        except msgspec.DecodeError:
            return self._mend(b"{}" if raw is UNSET else bytes(raw), drop_unknown=drop_unknown)

    def _mend(self, raw: bytes, *, drop_unknown: bool) -> tuple[Struct, tuple[str, ...]]:
        arguments = open_objects(self._open(raw), self._kind)
        written, faults = move_aliases(arguments, self._aliases)
        mender = Mender(written, drop_unknown=drop_unknown)
        mended = mender.mend("", arguments, self._kind)
        faults += mender.faults
        if faults:
            raise as_error(self._name, faults)
        dropped = tuple(cut(name) for name in mender.dropped[:_MOST_NAMED])
        try:
            return self._decoder.decode(encode(mended)), dropped
        except msgspec.ValidationError as problem:
            raise as_error(self._name, [_fault_of(problem)]) from None

    def _open(self, raw: bytes) -> dict[str, object]:
        """Give the members; null, "" and an empty list are how some clients write no arguments."""
        try:
            value = open_text(msgspec.json.decode(raw))
        except msgspec.ValidationError:
            raise as_error(self._name, [Fault("", "hold a number that is out of range")]) from None
        if value is None or value == [] or (isinstance(value, str) and not value.strip()):
            return {}
        if isinstance(value, dict):
            return value
        raise as_error(self._name, [Fault("", f"must be an object, got {show(value)}")])


def _fault_of(problem: msgspec.ValidationError) -> Fault:
    """Tell what the struct itself refuses; the words are msgspec's or the struct's own `__post_init__`."""
    place = _PLACE.fullmatch(str(problem))
    path = (place["path"] if place is not None else None) or ""
    words = place["problem"] if place is not None else ""
    return Fault(path.replace("[", ".").replace("]", "").strip("."), f"refused: {words}")
