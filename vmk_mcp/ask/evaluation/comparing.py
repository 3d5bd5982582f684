"""Whether two answers hold the same rows.

What counts: the gold query's columns, matched by what they hold and never by name or place; each row as
often as it stands in the gold; the order only where the question asks for one. Further columns of the
answer, such as an id beside a name, do no harm: they cannot make rows more or fewer. Numbers are equal within
a billionth, moments at midnight are days, and a span of time is its number of days. What a match rests on
beside equal rows is told, so that it can be counted apart.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from operator import eq
from typing import Final

from vmk_mcp.ask.evaluation.model import Leniency, Truth
from vmk_mcp.ask.results import AskAnswer

_NUMBERS: Final = ("numeric", "smallint", "integer", "bigint", "real", "double precision")
_TOLERANCE: Final = 1e-9
_MOST_ROWS: Final = 10_000
_SPAN: Final = re.compile(
    r"P(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?\d+(?:\.\d+)?)S)?)?$"
)
_UNIT_DAYS: Final = (365.0, 30.0, 1.0, 1 / 24, 1 / 1_440, 1 / 86_400)

Cell = tuple[str, object]
"""A kind, so that cells of all kinds can be sorted, and a value."""


def match_rows(answer: AskAnswer, truth: Truth) -> Sequence[Leniency] | None:
    """Say on which leniencies it rests that an answer holds the rows of the truth; None: it does not."""
    rows, gold = _read_rows(answer), _read_rows(truth.answer)
    if len(rows) != len(gold):
        return None
    if not gold:
        return ("no_rows",)
    chosen = _match_columns(rows, gold, (), ordered=truth.ordered)
    if chosen is None:
        return None
    found: Mapping[Leniency, bool] = {
        "further_columns": len(rows[0]) > len(chosen),
        "column_order": list(chosen) != sorted(chosen),
        "tolerance": not _same(_take(rows, chosen), gold, ordered=truth.ordered, equal=eq),
    }
    return [leniency for leniency, is_found in found.items() if is_found]


def _match_columns(
    rows: Sequence[Sequence[Cell]], gold: Sequence[Sequence[Cell]], chosen: tuple[int, ...], *, ordered: bool
) -> tuple[int, ...] | None:
    """Find for each further column of the gold one of the answer, so that all rows are the same."""
    if len(chosen) == len(gold[0]):
        return chosen if _same(_take(rows, chosen), gold, ordered=ordered) else None
    wanted = _take(gold, (len(chosen),))
    further = (
        _match_columns(rows, gold, (*chosen, at), ordered=ordered)
        for at in range(len(rows[0]))
        if at not in chosen and _same(_take(rows, (at,)), wanted, ordered=ordered)
    )
    return next((found for found in further if found is not None), None)


def _take(rows: Sequence[Sequence[Cell]], places: Sequence[int]) -> Sequence[Sequence[Cell]]:
    return [[row[at] for at in places] for row in rows]


def _equal(one: Cell, other: Cell) -> bool:
    if isinstance(one[1], float) and isinstance(other[1], float):
        return abs(one[1] - other[1]) <= _TOLERANCE * max(1.0, abs(one[1]), abs(other[1]))
    return one == other


def _same(
    rows: Sequence[Sequence[Cell]],
    gold: Sequence[Sequence[Cell]],
    *,
    ordered: bool,
    equal: Callable[[Cell, Cell], bool] = _equal,
) -> bool:
    if not ordered:
        rows, gold = sorted(rows, key=_key), sorted(gold, key=_key)
    return all(
        equal(one, other)
        for row, true in zip(rows, gold, strict=True)
        for one, other in zip(row, true, strict=True)
    )


def _key(row: Sequence[Cell]) -> tuple[list[Cell], list[Cell]]:
    """Sort by words first, then by numbers as far as they surely agree, so that equal rows meet."""
    words = [cell for cell in row if not isinstance(cell[1], float)]
    numbers = [(kind, float(f"{value:.6g}")) for kind, value in row if isinstance(value, float)]
    return words, list[Cell](numbers)


def _read_rows(answer: AskAnswer) -> list[list[Cell]]:
    types = [column.type for column in answer.columns]
    return [
        [_read_cell(cell, type_) for cell, type_ in zip(row.values(), types, strict=True)]
        for row in answer.rows
    ]


def _read_cell(cell: object, type_: str) -> Cell:
    if cell is None:
        return "null", ""
    if isinstance(cell, bool):
        return "bool", str(cell)
    if type_.startswith(_NUMBERS):
        return _read_number(cell)
    if type_.startswith("interval"):
        return _read_span(str(cell))
    if type_.startswith(("timestamp", "date")):
        return _read_moment(str(cell))
    return "text", str(cell)


def _read_number(cell: object) -> Cell:
    try:
        number = Decimal(str(cell))
    except InvalidOperation:
        return "text", str(cell)
    return ("number", float(number)) if number.is_finite() else ("text", str(cell))


def _read_span(written: str) -> Cell:
    found = _SPAN.match(written)
    if found is None:
        return "text", written
    days = sum(
        float(number) * unit for number, unit in zip(found.groups(), _UNIT_DAYS, strict=True) if number
    )
    return "number", days


def _read_moment(written: str) -> Cell:
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        return "moment", written
    is_midnight = moment.time().isoformat() == "00:00:00"
    return "moment", moment.date().isoformat() if is_midnight else moment.isoformat()
