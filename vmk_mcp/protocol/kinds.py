"""What msgspec says of a type, looked at the way schemas and the mender need it."""

from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Final
from uuid import UUID

import msgspec.inspect as mi

Numeric = mi.IntType | mi.FloatType
ListLike = mi.ListType | mi.VarTupleType | mi.SetType | mi.FrozenSetType
LIST_LIKE: Final = (mi.ListType, mi.VarTupleType, mi.SetType, mi.FrozenSetType)

WRITTEN_AS_TEXT: Final[dict[type[mi.Type], tuple[type, str, str]]] = {
    mi.DateType: (date, "date", "a date such as 2024-05-31"),
    mi.DateTimeType: (datetime, "date-time", "a time such as 2024-05-31T12:00:00Z"),
    mi.TimeType: (time, "time", "a time of day such as 12:00:00Z"),
    mi.TimeDeltaType: (timedelta, "duration", "a duration such as PT15M"),
    mi.UUIDType: (UUID, "uuid", "a UUID"),
}
"""Kinds that JSON writes as text: Python type, JSON Schema `format`, and how to say it."""


_FAR: Final = 2**31 - 1


def bare(kind: mi.Type) -> mi.Type:
    """Take descriptions and other metadata off."""
    while isinstance(kind, mi.Metadata):
        kind = kind.type
    return kind


def options_of(kind: mi.Type) -> tuple[mi.Type, ...]:
    """Give the alternatives of a type, null left out; one when it is no union."""
    kind = bare(kind)
    if isinstance(kind, mi.UnionType):
        return tuple(bare(one) for one in kind.types if not isinstance(bare(one), mi.NoneType))
    return (kind,)


def allows_null(kind: mi.Type) -> bool:
    """Say whether null is a value of the type."""
    kind = bare(kind)
    if isinstance(kind, mi.UnionType):
        return any(allows_null(one) for one in kind.types)
    return isinstance(kind, mi.NoneType | mi.AnyType)


def choices_of(kind: mi.LiteralType | mi.EnumType) -> tuple[str | int, ...]:
    """Give the values that an enumerated type allows."""
    values = kind.values if isinstance(kind, mi.LiteralType) else [member.value for member in kind.cls]
    return tuple(value for value in values if isinstance(value, str | int))


def locate(kind: mi.Type, names: Sequence[str]) -> mi.Type | None:
    """Walk from a struct along the names of members; None where there is no such member."""
    for name in names:
        structs = [one for one in options_of(kind) if isinstance(one, mi.StructType)]
        members = [field.type for one in structs for field in one.fields if field.encode_name == name]
        tags = [one.tag for one in structs if one.tag_field == name and one.tag is not None]
        if not members and not tags:
            return None
        kind = members[0] if members else mi.LiteralType(tuple(sorted(map(str, tags))))
    return kind


def describe(kind: mi.Type) -> str:
    """Say in words what is expected, such as `an integer from 1 to 100`."""
    return " or ".join(dict.fromkeys(_describe_one(one) for one in options_of(kind)))


def _describe_one(kind: mi.Type) -> str:
    if isinstance(kind, LIST_LIKE):
        return f"a list of which each is {describe(kind.item_type)}{_size(kind.min_length, kind.max_length)}"
    if isinstance(kind, mi.LiteralType | mi.EnumType):
        return f"one of {', '.join(str(value) for value in choices_of(kind))}"
    if isinstance(kind, mi.StructType):
        return f"an object with {', '.join(field.encode_name for field in kind.fields) or 'no members'}"
    words = _WORDS.get(type(kind))
    if words is not None:
        return words(kind)
    return WRITTEN_AS_TEXT[type(kind)][2] if type(kind) in WRITTEN_AS_TEXT else "another JSON value"


def _describe_text(kind: mi.Type) -> str:
    return f"text{_size(kind.min_length, kind.max_length)}" if isinstance(kind, mi.StrType) else "text"


def describe_number(kind: Numeric, *, with_far_bounds: bool) -> str:
    """Say in words what number is expected; far bounds only to those who went past one."""
    word = "an integer" if isinstance(kind, mi.IntType) else "a number"
    bounds = {
        name: str(limit) if isinstance(limit, int) else f"{limit:g}"
        for name, limit in bounds_of(kind)
        if with_far_bounds or not is_far(limit)
    }
    if set(bounds) == {"ge", "le"}:
        return f"{word} from {bounds['ge']} to {bounds['le']}"
    return f"{word} {' and '.join(f'{_BOUND_WORDS[name]} {limit}' for name, limit in bounds.items())}".strip()


def _describe_number(kind: mi.Type) -> str:
    if isinstance(kind, mi.IntType | mi.FloatType):
        return describe_number(kind, with_far_bounds=False)
    return "a number"


_BOUND_WORDS: Final = {
    "ge": "of at least",
    "gt": "above",
    "le": "of at most",
    "lt": "below",
    "multiple_of": "divisible by",
}
_WORDS: Final[dict[type[mi.Type], Callable[[mi.Type], str]]] = {
    mi.StrType: _describe_text,
    mi.IntType: _describe_number,
    mi.FloatType: _describe_number,
    mi.DecimalType: _describe_number,
    mi.BoolType: lambda _: "true or false",
    mi.DictType: lambda _: "an object",
}


def bounds_of(kind: Numeric) -> Sequence[tuple[str, float]]:
    """Give the bounds that a number must keep, as (`ge`, limit) and so on."""
    named = ((name, getattr(kind, name)) for name in ("ge", "gt", "le", "lt", "multiple_of"))
    return [(name, limit) for name, limit in named if limit is not None]


def is_far(limit: object) -> bool:
    """Say whether a bound only keeps values inside a type of the database, which tells a reader nothing."""
    return isinstance(limit, int | float) and abs(limit) >= _FAR


def _size(low: int | None, high: int | None) -> str:
    if low is None and high is None:
        return ""
    return f" (length {low or 0} to {high})" if high is not None else f" (length at least {low})"
