"""The mender: reads arguments in the ways that models write them, led by the struct, losing no meaning.

It runs only after the strict decoder refused. It is not msgspec's `strict=False`, which would read "null" as
null (and so drop a filter), "NaN" as a number and 1 as true.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from math import isfinite
from typing import Any, Final

import msgspec
import msgspec.inspect as mi

from vmk_mcp.protocol.aliases import open_text
from vmk_mcp.protocol.faults import MOST_FAULTS, Fault, join, nearest, show, unknown_key
from vmk_mcp.protocol.kinds import (
    LIST_LIKE,
    WRITTEN_AS_TEXT,
    ListLike,
    Numeric,
    allows_null,
    bounds_of,
    choices_of,
    describe,
    describe_number,
    options_of,
)

# Bounded lengths: int() and float() of a long text cost more than reading the message did.
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,19}(\.0{1,9})?")
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?")
_EXACT: Final = 2.0**53
"""Above it a float no longer tells neighbouring integers apart."""

_MOST_ITEMS: Final = 10_000
"""A longer list or map is not mended: at some 4 µs an item other callers would wait for it."""

_NATIVE: Final[dict[type[mi.Type], tuple[type, ...]]] = {
    mi.StrType: (str,),
    mi.BoolType: (bool,),
    mi.IntType: (int,),
    mi.FloatType: (int, float),
    mi.StructType: (dict,),
    mi.DictType: (dict,),
    **dict.fromkeys(LIST_LIKE, (list,)),
}


class Mender:
    """Walks one value along one type; `faults` and `dropped` hold what it met.

    Args:
        written: canonical path -> path as the caller wrote it.
        drop_unknown: unknown members of the outermost object are dropped instead of refused.
    """

    def __init__(self, written: Mapping[str, str], *, drop_unknown: bool) -> None:
        self.faults: list[Fault] = []
        self.dropped: list[str] = []
        self._written = written
        self._drop_unknown = drop_unknown
        self._visits: Mapping[type[mi.Type], Callable[[str, Any, Any], object]] = {
            **dict.fromkeys(LIST_LIKE, self._list),
            mi.StructType: self._struct,
            mi.DictType: self._dict,
            mi.LiteralType: self._enumerated,
            mi.EnumType: self._enumerated,
            mi.StrType: self._text,
            mi.IntType: self._integer,
            mi.FloatType: self._number,
            mi.BoolType: self._boolean,
        }

    def mend(self, path: str, value: object, kind: mi.Type) -> object:
        """Give `value` as the type wants it; where that cannot be, note a fault."""
        if value is None and allows_null(kind):
            return None
        options = options_of(kind)
        if len(options) == 1:
            return self._visits.get(type(options[0]), self._other)(path, value, options[0])
        return self._union(path, value, options, kind)

    def _union(self, path: str, value: object, options: tuple[mi.Type, ...], kind: mi.Type) -> object:
        """Take the first alternative that fits, those of the value's own JSON type before the others."""
        for option in sorted(options, key=lambda one: not isinstance(value, _NATIVE.get(type(one), ()))):
            trial = Mender(self._written, drop_unknown=False)
            mended = trial.mend(path, value, option)
            if not trial.faults:
                return mended
            if isinstance(value, dict | list) and isinstance(value, _NATIVE.get(type(option), ())):
                self.faults.extend(trial.faults)
                return value
        return self._expected(path, value, kind)

    def _struct(self, path: str, value: object, kind: mi.StructType) -> object:
        value = open_text(value)
        if not isinstance(value, dict):
            return self._expected(path, value, kind)
        fields = {field.encode_name: field for field in kind.fields}
        mended: dict[str, object] = {}
        unknown: list[str] = []
        for key, inner in value.items():
            field = fields.get(key)
            if field is None:
                unknown.append(key)
            elif inner is not None or field.required or allows_null(field.type):
                mended[key] = self.mend(join(path, key), inner, field.type)
            # else: null for a member with a default says that it is not given
        self._note_unknown(path, unknown, fields)
        for name in (field.encode_name for field in kind.fields if field.required):
            if name not in value:
                meant = nearest(name, unknown[:MOST_FAULTS])
                hint = f" ({meant} is unknown: was {name} meant?)" if meant else ""
                self._fault(join(path, name), f"is missing{hint}: expected {describe(fields[name].type)}")
        return mended

    def _note_unknown(self, path: str, unknown: Iterable[str], known: Iterable[str]) -> None:
        for key in unknown:
            if self._drop_unknown and not path:
                self.dropped.append(key)
            elif len(self.faults) <= MOST_FAULTS:
                self.faults.append(unknown_key(self._as_written(path), key, known))

    def _dict(self, path: str, value: object, kind: mi.DictType) -> object:
        value = open_text(value)
        if not isinstance(value, dict):
            return self._expected(path, value, kind)
        if len(value) > _MOST_ITEMS:
            self._fault(path, f"expected at most {_MOST_ITEMS} members, got {len(value)}")
            return value
        return {key: self.mend(join(path, key), inner, kind.value_type) for key, inner in value.items()}

    def _list(self, path: str, value: object, kind: ListLike) -> object:
        value = open_text(value)
        if value is None or value == "null":
            return self._expected(path, value, kind)
        if not isinstance(value, list):
            return self._items(path, [value], [path], kind)
        return self._items(path, value, (join(path, str(place)) for place in range(len(value))), kind)

    def _items(self, path: str, values: list[object], paths: Iterable[str], kind: ListLike) -> object:
        most = _MOST_ITEMS if kind.max_length is None else min(kind.max_length, _MOST_ITEMS)
        if not (kind.min_length or 0) <= len(values) <= most:
            self._fault(path, f"expected {describe(kind)}, at most {most}, got {len(values)} items")
            return values
        mended: list[object] = []
        for item_path, item in zip(paths, values, strict=True):
            if len(self.faults) > MOST_FAULTS:
                break
            mended.append(self.mend(item_path, item, kind.item_type))
        return mended

    def _enumerated(self, path: str, value: object, kind: mi.LiteralType | mi.EnumType) -> object:
        choices = choices_of(kind)
        for choice in choices:
            if type(choice) is type(value) and choice == value:
                return choice
        if isinstance(value, str):
            alike = [choice for choice in choices if str(choice).casefold() == value.strip().casefold()]
            if len(alike) == 1:
                return alike[0]
        return self._expected(path, value, kind)

    def _text(self, path: str, value: object, kind: mi.StrType) -> object:
        if not isinstance(value, str):
            return self._expected(path, value, kind)
        long_enough = (kind.min_length or 0) <= len(value) and (
            kind.max_length is None or len(value) <= kind.max_length
        )
        if not long_enough:
            self._fault(path, f"expected {describe(kind)}, got {len(value)} characters")
        elif kind.pattern is not None and re.search(kind.pattern, value) is None:
            self._fault(path, f"expected text that matches {kind.pattern}, got {show(value)}")
        return value

    def _integer(self, path: str, value: object, kind: mi.IntType) -> object:
        if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
            return self._bounded(path, int(value.strip().partition(".")[0]), kind)
        if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT:
            return self._bounded(path, int(value), kind)
        if isinstance(value, int) and not isinstance(value, bool):
            return self._bounded(path, value, kind)
        return self._expected(path, value, kind)

    def _number(self, path: str, value: object, kind: mi.FloatType) -> object:
        number = float(value) if isinstance(value, str) and _NUMBER.fullmatch(value.strip()) else value
        if isinstance(number, bool) or not isinstance(number, int | float) or not isfinite(number):
            return self._expected(path, value, kind)
        return self._bounded(path, number, kind)

    def _boolean(self, path: str, value: object, kind: mi.BoolType) -> object:
        if isinstance(value, str) and value.strip().casefold() in ("true", "false"):
            return value.strip().casefold() == "true"
        return value if isinstance(value, bool) else self._expected(path, value, kind)

    def _other(self, path: str, value: object, kind: mi.Type) -> object:
        python = WRITTEN_AS_TEXT.get(type(kind))
        if python is not None:
            try:
                msgspec.convert(value, python[0])
            except msgspec.ValidationError:
                return self._expected(path, value, kind)
        return value  # the strict decoder has the last word on what no habit is known of

    def _bounded(self, path: str, value: float, kind: Numeric) -> object:
        if not all(_KEEPS[name](value, limit) for name, limit in bounds_of(kind)):
            self._fault(path, f"expected {describe_number(kind, with_far_bounds=True)}, got {show(value)}")
        return value

    def _expected(self, path: str, value: object, kind: mi.Type) -> object:
        meant = ""
        if isinstance(value, str) and isinstance(kind, mi.LiteralType | mi.EnumType):
            found = nearest(value, (str(choice) for choice in choices_of(kind)))
            meant = f"; did you mean {found}?" if found else ""
        self._fault(path, f"expected {describe(kind)}, got {show(value)}{meant}")
        return value

    def _fault(self, path: str, problem: str) -> None:
        self.faults.append(Fault(self._as_written(path), problem))

    def _as_written(self, path: str) -> str:
        for canonical, alias in self._written.items():
            if path == canonical or path.startswith(f"{canonical}."):
                return alias + path[len(canonical) :]
        return path


_KEEPS: Final[dict[str, Callable[[float, float], bool]]] = {
    "ge": lambda value, limit: value >= limit,
    "gt": lambda value, limit: value > limit,
    "le": lambda value, limit: value <= limit,
    "lt": lambda value, limit: value < limit,
    "multiple_of": lambda value, limit: value % limit == 0,
}
