"""When two answers hold the same rows."""

from collections.abc import Sequence
from typing import Any

import pytest

from vmk_mcp.ask.evaluation.comparing import match_rows
from vmk_mcp.ask.evaluation.model import Truth
from vmk_mcp.ask.results import AnswerColumn, AskAnswer


def answer(types: Sequence[str], *rows: Sequence[Any]) -> AskAnswer:
    names = [f"c{number}" for number in range(len(types))]
    return AskAnswer(
        sql="",
        rows=[dict(zip(names, row, strict=True)) for row in rows],
        columns=[AnswerColumn(name, type_) for name, type_ in zip(names, types, strict=True)],
        backend="played",
        row_count=len(rows),
        elapsed_ms=0.0,
    )


def same(found: AskAnswer, gold: AskAnswer, *, ordered: bool = False) -> bool:
    return match_rows(found, Truth(gold, ordered)) is not None


def test_order_counts_only_where_it_is_asked_for() -> None:
    one, other = answer(["text"], ["a"], ["b"]), answer(["text"], ["b"], ["a"])
    assert same(one, other)
    assert not same(one, other, ordered=True)
    assert same(one, one, ordered=True)


def test_columns_are_matched_by_what_they_hold() -> None:
    gold = answer(["text", "bigint"], ["a", 2], ["b", 1])
    assert same(answer(["bigint", "text"], [1, "b"], [2, "a"]), gold)
    assert not same(answer(["bigint", "text"], [2, "b"], [1, "a"]), gold)


def test_further_columns_do_no_harm_and_missing_ones_do() -> None:
    gold = answer(["text"], ["a"], ["b"])
    assert same(answer(["integer", "text"], [7, "b"], [8, "a"]), gold)
    assert not same(gold, answer(["integer", "text"], [7, "b"], [8, "a"]))


def test_each_row_counts_as_often_as_it_stands_there() -> None:
    gold = answer(["text"], ["a"], ["a"], ["b"])
    assert not same(answer(["text"], ["a"], ["b"], ["b"]), gold)
    assert not same(answer(["text"], ["a"], ["b"]), gold)


@pytest.mark.parametrize(
    ("types", "one", "other", "equal"),
    [
        (("numeric(10,2)", "double precision"), "0.3333333333333333333", 1 / 3, True),
        (("numeric", "numeric"), 856750.0, 856750.01, False),
        (("bigint", "bigint"), 3, "3", True),
        (("timestamp with time zone", "date"), "2024-05-01T00:00:00Z", "2024-05-01", True),
        (("timestamp with time zone", "date"), "2024-05-01T01:00:00Z", "2024-05-01", False),
        (("interval", "numeric"), "P1DT12H", 1.5, True),
        (("text", "text"), None, "", False),
        (("text", "text"), "1", "1.0", False),
        (("boolean", "text"), True, "true", False),
        (("numeric", "numeric"), "NaN", "NaN", True),
    ],
)
def test_cells_are_compared_by_what_they_are(
    types: tuple[str, str], one: object, other: object, *, equal: bool
) -> None:
    found, gold = answer([types[0]], [one]), answer([types[1]], [other])
    assert same(found, gold) is equal


def test_no_rows_equal_only_no_rows() -> None:
    assert same(answer(["text"]), answer(["bigint"]))
    assert not same(answer(["text"]), answer(["text"], ["a"]))


@pytest.mark.parametrize(
    ("found", "gold", "leniencies"),
    [
        (answer(["text", "bigint"], ["a", 1]), answer(["text", "bigint"], ["a", 1]), []),
        (answer(["text"]), answer(["text"]), ["no_rows"]),
        (answer(["bigint", "text"], [1, "a"]), answer(["text"], ["a"]), ["further_columns"]),
        (answer(["bigint", "text"], [1, "a"]), answer(["text", "bigint"], ["a", 1]), ["column_order"]),
        (answer(["numeric"], ["0.33333333333333"]), answer(["numeric"], [1 / 3]), ["tolerance"]),
        (
            answer(["numeric", "text", "bigint"], ["0.33333333333333", "a", 1]),
            answer(["text", "numeric"], ["a", 1 / 3]),
            ["further_columns", "column_order", "tolerance"],
        ),
        (answer(["text"], ["b"], ["a"]), answer(["text"], ["a"], ["b"]), []),
        (answer(["text"], ["b"]), answer(["text"], ["a"]), None),
    ],
)
def test_what_a_match_rests_on_is_told(
    found: AskAnswer, gold: AskAnswer, leniencies: Sequence[str] | None
) -> None:
    told = match_rows(found, Truth(gold, ordered=False))
    assert (told if told is None else list(told)) == leniencies
