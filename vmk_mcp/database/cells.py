r"""Cells of any Postgres type as JSON values, the same ones whatever statement gave them.

bool, text, uuid, inet, enum and all that has no line here: true and false, or the text that Postgres writes
integer       number; text beyond 2^53 - 1, where a JSON reader would round
numeric       number where 15 digits hold it, else text with every digit
float         number, a real with its own digits; "NaN", "Infinity", "-Infinity"
date, time, timestamp, timestamptz    ISO 8601, the last in UTC with Z; "infinity", "-infinity"
interval      ISO 8601: "P1Y2M3DT4H5M6.5S"
json, jsonb   the value itself; text where it is deeper than 32 levels or no reader would take it
bytea         text: "\x00ff"
array, row    list; a composite type's row is an object
range         text: "[2024-01-01,2024-02-01)", "empty"; a multirange is a list of them
"""

import math
import struct
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

import asyncpg
import orjson

EXACT_INTEGER: Final = 2**53 - 1
_EXACT_DIGITS: Final = 15
_LARGEST_EXPONENT: Final = 300
_DEEPEST: Final = 32
_MICROS_A_DAY: Final = 86_400_000_000
_EPOCH: Final = date(2000, 1, 1)
_DAYS_IN_400_YEARS: Final = 146_097
_DATE_BOUNDS: Final = {2**31 - 1: "infinity", -(2**31): "-infinity"}
_MOMENT_BOUNDS: Final = {2**63 - 1: "infinity", -(2**63): "-infinity"}
_SINGLE_DIGITS: Final = range(6, 10)

# The driver would read these as tuples and objects that say less than their text.
_AS_TEXT: Final = ("point", "line", "lseg", "box", "path", "polygon", "circle", "money", "bit", "varbit")


async def register_cells(connection: "asyncpg.Connection[Any]") -> None:
    """Let `connection` give cells that `to_json` can write, also inside of arrays, rows and ranges."""

    async def read(kind: str, decoder: Any, form: Any) -> None:
        await connection.set_type_codec(kind, schema="pg_catalog", encoder=str, decoder=decoder, format=form)

    await read("date", lambda cell: write_date(cell[0]), "tuple")
    await read("timestamp", lambda cell: write_moment(cell[0]), "tuple")
    await read("timestamptz", lambda cell: write_moment(cell[0], zone="Z"), "tuple")
    await read("time", lambda cell: write_time(cell[0]), "tuple")
    await read("timetz", lambda cell: write_time(cell[0]) + _write_offset(-cell[1]), "tuple")
    await read("interval", lambda cell: write_interval(*cell), "tuple")
    await read("float4", _read_single, "binary")
    await read("json", _read_json, "binary")
    # jsonb on the wire begins with a byte for the version of the format.
    await read("jsonb", lambda cell: _read_json(cell[1:]), "binary")
    for kind in _AS_TEXT:
        await read(kind, str, "text")


def to_json(cell: Any) -> Any:
    """Give a cell as the driver read it, through `register_cells`, as a JSON value."""
    return _WRITERS.get(type(cell), str)(cell)


def write_float(number: float) -> float | str:
    """Give a float, or the word that Postgres' JSON has for what JSON lacks."""
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else f"{'-' if number < 0 else ''}Infinity"


def write_decimal(number: Decimal) -> int | float | str:
    """Give a numeric as a JSON number where none of its digits is lost by that."""
    if not number.is_finite():
        return write_float(float(number))
    _, digits, exponent = number.as_tuple()
    if isinstance(exponent, int) and len(digits) <= _EXACT_DIGITS and abs(exponent) < _LARGEST_EXPONENT:
        return float(number) if exponent else int(number)
    return f"{number:f}"


def write_date(days: int) -> str:
    """Write a day counted from 2000-01-01; years beyond 0001 to 9999 with a sign, 1 BC as +000000."""
    if days in _DATE_BOUNDS:
        return _DATE_BOUNDS[days]
    # Within one cycle of the calendar from 2000 on, whatever the day; the cycles are added to the year.
    cycles, within = divmod(days, _DAYS_IN_400_YEARS)
    day = _EPOCH + timedelta(days=within)
    year = day.year + 400 * cycles
    shown = f"{year:04d}" if 1 <= year <= date.max.year else f"{year:+07d}"
    return f"{shown}-{day:%m-%d}"


def write_moment(micros: int, zone: str = "") -> str:
    """Write a moment counted from 2000-01-01 00:00 in microseconds."""
    if micros in _MOMENT_BOUNDS:
        return _MOMENT_BOUNDS[micros]
    days, within = divmod(micros, _MICROS_A_DAY)
    return f"{write_date(days)}T{write_time(within)}{zone}"


def write_time(micros: int) -> str:
    """Write a time of day; 24:00:00 is one in Postgres."""
    seconds, rest = divmod(micros, 1_000_000)
    whole = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{whole}.{rest:06d}".rstrip("0") if rest else whole


def write_interval(months: int, days: int, micros: int) -> str:
    """Write an interval as Postgres' style `iso_8601` does."""
    years, months = _split(months, 12)
    seconds, rest = _split(micros, 1_000_000)
    hours, seconds = _split(seconds, 3600)
    minutes, seconds = _split(seconds, 60)
    sign = "-" if seconds < 0 or rest < 0 else ""
    fraction = f".{abs(rest):06d}".rstrip("0") if rest else ""
    far = "".join(f"{count}{unit}" for count, unit in ((years, "Y"), (months, "M"), (days, "D")) if count)
    near = "".join(f"{count}{unit}" for count, unit in ((hours, "H"), (minutes, "M")) if count)
    if seconds or rest:
        near += f"{sign}{abs(seconds)}{fraction}S"
    if not far and not near:
        return "PT0S"
    return f"P{far}T{near}" if near else f"P{far}"


def _split(amount: int, unit: int) -> tuple[int, int]:
    """Divide toward zero, so that both parts bear the amount's sign."""
    whole, rest = divmod(abs(amount), unit)
    return (-whole, -rest) if amount < 0 else (whole, rest)


def _write_offset(seconds: int) -> str:
    sign, seconds = ("-", -seconds) if seconds < 0 else ("+", seconds)
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}"


def _write_range(cell: "asyncpg.Range[Any]") -> str:
    if cell.isempty:
        return "empty"
    lower, upper = ("" if bound is None else str(to_json(bound)) for bound in (cell.lower, cell.upper))
    return f"{'[' if cell.lower_inc else '('}{lower},{upper}{']' if cell.upper_inc else ')'}"


def _read_single(cell: bytes) -> float:
    """Give the shortest number that stands for the four bytes: 0.1, not 0.10000000149, as Postgres does."""
    (number,) = struct.unpack("!f", cell)
    if not math.isfinite(number):
        return float(number)
    shortest = (float(f"{number:.{digits}g}") for digits in _SINGLE_DIGITS)
    return next(short for short in shortest if struct.pack("!f", short) == cell)


def _read_json(cell: bytes) -> Any:
    try:
        value = orjson.loads(cell)
    except orjson.JSONDecodeError:
        return cell.decode()
    return value if _is_shallow(value, _DEEPEST) else cell.decode()


def _is_shallow(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_shallow(one, levels - 1) for one in inner)


def _as_it_is(cell: Any) -> Any:
    return cell


_WRITERS: Final[Mapping[type, Callable[[Any], Any]]] = {
    type(None): _as_it_is,
    bool: _as_it_is,
    str: _as_it_is,
    int: lambda cell: cell if -EXACT_INTEGER <= cell <= EXACT_INTEGER else str(cell),
    float: write_float,
    Decimal: write_decimal,
    bytes: lambda cell: f"\\x{cell.hex()}",
    list: lambda cell: [to_json(one) for one in cell],
    tuple: lambda cell: [to_json(one) for one in cell],
    dict: lambda cell: {name: to_json(one) for name, one in cell.items()},
    asyncpg.Range: _write_range,
    asyncpg.Record: lambda cell: {name: to_json(one) for name, one in cell.items()},
}
"""By the very type; what is not here has a text that says all."""
