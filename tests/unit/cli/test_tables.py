"""Which columns of a result people see."""

import io
from typing import Any

from rich.console import Console

from vmk_mcp.cli.tables import _TELLING, print_result


def heads_of(*rows: dict[str, Any]) -> list[str]:
    """Give the names of the columns shown."""
    stream = io.StringIO()
    print_result({"rows": list(rows)}, Console(file=stream, width=400, highlight=False))
    above, _, _ = stream.getvalue().partition("\u2500")
    return above.splitlines()[-2].split()


def test_columns_that_are_not_known_stand_after_those_that_are() -> None:
    row = {"tools": ["listings"], "name": "bob", "profile": "fixed", "id": 7}
    assert heads_of(row) == ["id", "name", "tools", "profile"]


def test_known_columns_are_never_pushed_out_and_others_fill_up_to_twelve() -> None:
    row = {f"c{number}": number for number in range(20)} | {"title": "x", "price": 3}
    assert heads_of(row) == ["title", "price", *(f"c{number}" for number in range(10))]


def test_all_known_columns_are_shown_however_many() -> None:
    known = list(_TELLING)
    assert heads_of(dict.fromkeys(["other", *known], 1)) == known


def test_long_texts_are_left_out() -> None:
    assert heads_of({"title": "x", "description": "y" * 49, "city": "z"}) == ["title", "city"]


def test_empty_and_nested_columns_are_left_out() -> None:
    assert heads_of({"a": None, "b": {"x": 1}, "c": 1}, {"a": None, "b": None, "c": 2}) == ["c"]


def test_a_row_of_nested_columns_alone_shows_them() -> None:
    assert heads_of({"b": {"x": 1}}) == ["b"]
