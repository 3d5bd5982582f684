"""Results of tools as people read them: tables for lists of objects, lines for the rest."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from vmk_mcp.cli.arrangement import arrange, explain_query

_TELLING: Final[tuple[str, ...]] = (
    "id",
    "name",
    "title",
    "price",
    "currency",
    "city",
    "district",
    "rooms_count",
    "total_area",
    "floor",
    "metro_station",
    "similarity_score",
    "rank_score",
    "distance",
)
"""Columns worth a place, in the order in which they stand."""

_LEAST_TELLING: Final = (
    "distance",
    "rank_score",
    "similarity_score",
    "floor",
    "total_area",
    "metro_station",
    "rooms_count",
    "district",
)
"""Columns that give way on a narrow screen, the first one first; columns not known by name go before them."""

_HEADS: Final[Mapping[str, str]] = {
    "rooms_count": "rooms",
    "total_area": "m2",
    "metro_station": "metro",
    "similarity_score": "similarity",
    "rank_score": "rank",
}
"""Column -> its head, where its name is wider than what stands under it."""

_WHOLE: Final = frozenset({"id", "price", "city"})
"""Columns that are never broken into lines where the screen allows it."""

_NAMES: Final = frozenset({"id", "name", "title"})
_IN_LINES: Final = frozenset({"query_interpretation", "hints"})
_MOST_COLUMNS: Final = 12
_WIDE: Final = 48
_READABLE: Final = 20
"""Columns are not narrowed below this as long as there is a less telling one to leave out."""
_SMALLEST: Final = 8
_BETWEEN: Final = 3
"""Characters between two columns."""
_PLAIN_WIDTH: Final = 160
_SMALL: Final = 10


def print_result(result: Mapping[str, Any], console: Console | None = None) -> None:
    """Print a tool's structured content: each list of objects as a table, all else beneath as lines."""
    console = console or _make_console()
    plain = {}
    for name, value in arrange(result).items():
        if _is_table(value):
            _print_table(console, name, value)
        elif value not in (None, [], {}) and name not in _IN_LINES:
            plain[name] = value
    width = max((len(name) for name in plain), default=0)
    for name, value in plain.items():
        console.print(Text(f"{name:<{width}}  {_show(value)}"), soft_wrap=True)
    for line in _remarks(result):
        console.print(Text(line), soft_wrap=True)


def _remarks(result: Mapping[str, Any]) -> list[str]:
    """Give what the answer says in sentences, one a line."""
    account = result.get("query_interpretation")
    lines = explain_query(account) if isinstance(account, dict) else []
    return [*lines, *(f"hint: {hint}" for hint in result.get("hints") or ())]


def _make_console() -> Console:
    console = Console(highlight=False)
    # Into a pipe there is no screen to fit.
    return console if console.is_terminal else Console(highlight=False, width=_PLAIN_WIDTH)


def _is_table(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _print_table(console: Console, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    table = Table(title=name, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    widths = _fit({column: _width(column, rows) for column in _pick_columns(rows)}, console.width)
    for column, width in widths.items():
        is_right = column == "price" or _is_number(column, rows)
        table.add_column(
            _HEADS.get(column, column),
            justify="right" if is_right else "left",
            width=width,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(_show(row.get(column))) for column in widths))
    console.print(table)


def _is_number(column: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    return all(isinstance(row.get(column), int | float | None) for row in rows)


def _width(column: str, rows: Sequence[Mapping[str, Any]]) -> int:
    """Give the width at which nothing of a column breaks but its head, and that only between words."""
    lines = [line for row in rows for line in _show(row.get(column)).split("\n")]
    return min(_WIDE, max(len(line) for line in (*lines, *_HEADS.get(column, column).split())))


def _fit(widths: Mapping[str, int], room: int) -> dict[str, int]:
    """Leave out the least telling columns of listings until the others fit, then narrow the widest ones."""
    kept = dict(widths)
    least = {name: width if name in _WHOLE else min(width, _READABLE) for name, width in widths.items()}
    unknown = [name for name in reversed(list(widths)) if name not in _TELLING]
    for name in (*unknown, *_LEAST_TELLING) if "id" in widths else ():
        if _total(least) <= room:
            break
        kept.pop(name, None)
        least.pop(name, None)
    floor = least if _total(least) <= room else {name: min(_SMALLEST, least[name]) for name in least}
    while _total(kept) > room:
        widest = max(kept, key=lambda name: kept[name] - floor[name])
        if kept[widest] == floor[widest]:
            break
        kept[widest] -= 1
    return kept


def _total(widths: Mapping[str, int]) -> int:
    return sum(widths.values()) + _BETWEEN * len(widths) - 1


def _pick_columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Every telling column that holds something, then short others as far as there is room for them.

    Rows without a name of their own, such as those of a comparison, keep their order.
    """
    filled = [name for name in _union(rows) if any(row.get(name) is not None for row in rows)]
    if not _NAMES.intersection(filled):
        return [name for name in filled if all(_is_short(row.get(name)) for row in rows)] or filled
    telling = [name for name in _TELLING if name in filled]
    others = [
        name for name in filled if name not in telling and all(_is_short(row.get(name)) for row in rows)
    ]
    room = max(0, _MOST_COLUMNS - len(telling))
    return [*telling, *others[:room]]


def _is_short(value: object) -> bool:
    """Say whether a value takes narrow lines of a column; a listing's description would take twenty."""
    if isinstance(value, dict) or _is_table(value):
        return False
    return max(len(line) for line in _show(value).split("\n")) <= _WIDE


def _union(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: value for row in rows for name, value in row.items()}


def _show(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return (
            f"{value:.3f}".rstrip("0").rstrip(".")
            if abs(value) < _SMALL
            else f"{value:,.2f}".removesuffix(".00")
        )
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_show(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return ", ".join(_show(inner) for inner in value)
    return str(value)
