"""Types that a value may be cast to, and what the cast makes of its extent."""

import math
from typing import Final

from postgast.pg_query_pb2 import TypeName

from vmk_mcp.ask.guard.extents import (
    LONG,
    TODAY,
    TRUTH,
    UNKNOWN,
    Extent,
    read_day,
    read_span,
    with_size,
)
from vmk_mcp.ask.guard.limits import GuardLimits
from vmk_mcp.ask.guard.lists import read_file
from vmk_mcp.ask.guard.patterns import check_path
from vmk_mcp.ask.guard.powers import check_constant
from vmk_mcp.ask.guard.refusing import Refused, show_name, suggest_name

_GROUPS: Final = {name: group for group, names in read_file("types").items() for name in names}
# INTERVAL_MASK of the server's timestamp.h: the bit of the one unit that an interval is told in.
_INTERVAL_UNITS: Final = {
    1 << 1: "month",
    1 << 2: "year",
    1 << 3: "day",
    1 << 10: "hour",
    1 << 11: "minute",
    1 << 12: "second",
}
# How `format_type` writes what a cast names otherwise.
_WRITTEN: Final = {
    "bigint": "int8",
    "boolean": "bool",
    "character varying": "varchar",
    "character": "bpchar",
    "double precision": "float8",
    "integer": "int4",
    "real": "float4",
    "smallint": "int2",
    "timestamp with time zone": "timestamptz",
    "timestamp without time zone": "timestamp",
}
_OF_COLUMNS: Final = {
    "doubles": Extent(is_double=True), "numbers": UNKNOWN, "spans": UNKNOWN, "truths": TRUTH
}  # fmt: skip


def check_type(type_name: TypeName, limits: GuardLimits) -> str:
    """Hold a type to the list; gives its bare name.

    Raises:
        Refused: `type_not_allowed`, or `too_expensive` for a text padded past the limit.
    """
    names = [part.string.sval for part in type_name.names]
    name = names[-1]
    if name not in _GROUPS or names[:-1] not in ([], ["pg_catalog"]):
        shown = show_name(".".join(names))
        raise Refused("type_not_allowed", f"The type {shown} is not allowed.{suggest_name(name, _GROUPS)}")
    if name == "bpchar" and _first_modifier(type_name) > limits.text_length:
        raise Refused("too_expensive", f"A text may be padded to {limits.text_length} characters at most.")
    return str(name)


def cast_extent(extent: Extent, type_name: TypeName, limits: GuardLimits) -> Extent:
    """Give what holds of a value once it is cast; the type is on the list.

    Raises:
        Refused: `too_expensive` for a number of thousands of digits, or a JSON path not seen to be cheap.
    """
    if type_name.names[-1].string.sval == "jsonpath":
        # The text of an array holds its paths behind one more layer of quoting.
        check_path(UNKNOWN if type_name.array_bounds else extent)
    if type_name.array_bounds:
        return with_size(extent, extent.size)
    group = _GROUPS[type_name.names[-1].string.sval]
    if group == "texts" and _first_modifier(type_name) > 1:
        return with_size(extent, max(extent.size, float(_first_modifier(type_name))))
    if extent.text is not None and group in {"numbers", "doubles", "days", "spans"}:
        extent = _read_constant(extent.text, group, _first_modifier(type_name), limits)
    if group == "doubles":
        return Extent(low=extent.low, high=extent.high, is_double=True)
    return extent


def column_extent(written: str) -> Extent:
    """Give what is known of a column by its type, as `format_type` writes it."""
    base = written.partition("(")[0].strip()
    if written.endswith("[]"):
        return LONG
    group = _GROUPS.get(_WRITTEN.get(base, base), "others")
    if base.startswith("timestamp") or group == "days":
        return TODAY
    return {"doubles": Extent(is_double=True), "numbers": UNKNOWN, "truths": TRUTH, "spans": UNKNOWN}.get(
        group, LONG
    )


def _read_constant(text: str, group: str, modifier: int, limits: GuardLimits) -> Extent:
    if group == "days":
        return read_day(text)
    if group == "spans":
        return read_span(text, _INTERVAL_UNITS.get(modifier, ""))
    return check_constant(text, limits)


def _first_modifier(type_name: TypeName) -> int:
    if not type_name.typmods:
        return 0
    constant = type_name.typmods[0].a_const
    # A modifier that is no plain number is none that Postgres takes; it must not pass for a small one.
    return constant.ival.ival if constant.HasField("ival") else int(math.pow(2, 30))
