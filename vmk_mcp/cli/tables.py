"""Results of tools as people read them: tables for lists of objects, lines for the rest."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

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
"""Columns worth a place on a narrow screen, best first."""

_MOST_COLUMNS: Final = 12
_WIDE: Final = 48
_PLAIN_WIDTH: Final = 160
_SMALL: Final = 10


def print_result(result: Mapping[str, Any], console: Console | None = None) -> None:
    """Print a tool's structured content: each list of objects as a table, all else beneath as lines."""
    console = console or _make_console()
    plain = {}
    for name, value in result.items():
        if _is_table(value):
            _print_table(console, name, value)
        else:
            plain[name] = value
    width = max((len(name) for name in plain), default=0)
    for name, value in plain.items():
        if value is not None:
            console.print(Text(f"{name:<{width}}  {_show(value)}"), soft_wrap=True)


def _make_console() -> Console:
    console = Console(highlight=False)
    # Into a pipe there is no screen to fit.
    return console if console.is_terminal else Console(highlight=False, width=_PLAIN_WIDTH)


def _is_table(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _print_table(console: Console, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    columns = _pick_columns(rows)
    table = Table(title=name, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        is_number = all(isinstance(row.get(column), int | float | None) for row in rows)
        table.add_column(
            column,
            justify="right" if is_number else "left",
            max_width=_WIDE,
            overflow="ellipsis",
            no_wrap=is_number,
        )
    for row in rows:
        table.add_row(*(Text(_show(row.get(column))) for column in columns))
    console.print(table)


def _pick_columns(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Every telling column that holds something, then short others as far as there is room for them."""
    filled = [name for name in _union(rows) if any(row.get(name) is not None for row in rows)]
    telling = [name for name in _TELLING if name in filled]
    others = [
        name for name in filled if name not in telling and all(_is_short(row.get(name)) for row in rows)
    ]
    room = max(0, _MOST_COLUMNS - len(telling))
    return [*telling, *others[:room]] or filled[:_MOST_COLUMNS]


def _is_short(value: object) -> bool:
    """Say whether a value takes one line of a column; a listing's description would take twenty."""
    return not isinstance(value, dict) and not _is_table(value) and len(_show(value)) <= _WIDE


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
