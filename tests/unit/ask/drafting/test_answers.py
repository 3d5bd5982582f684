"""What a model writes, read: fences, chatter, and the two words for a question that has no statement."""

import pytest

from vmk_mcp.ask.drafting.answers import read_answer
from vmk_mcp.ask.model import Draft, Refusal

COUNT = "SELECT count(*) FROM permits"


@pytest.mark.parametrize(
    "text",
    [
        COUNT,
        f"  \n{COUNT}\n",
        f"```sql\n{COUNT}\n```",
        f"```\n{COUNT}\n```",
        f"```postgresql\r\n{COUNT}\r\n```",
        f"Sure! Here is the query:\n\n```sql\n{COUNT}\n```\n\nIt counts all permits.",
        f"Here you go:\n{COUNT}\n\nThis counts the permits.",
        f"```sql\n{COUNT}\n```\nOr, with a name:\n```sql\nSELECT 1\n```",
        f"```python\nprint(1)\n```\n```sql\n{COUNT}\n```",
        f"```sql\n{COUNT}",
    ],
)
def test_the_statement_is_found_in_whatever_stands_around_it(text: str) -> None:
    assert read_answer(text) == Draft(COUNT)


@pytest.mark.parametrize(
    "opening",
    [
        "with a as (select 1) select * from a",
        "(SELECT 1) UNION (SELECT 2)",
        "DROP TABLE permits",
        "values (1)",
    ],
)
def test_a_statement_may_open_with_more_than_select(opening: str) -> None:
    assert read_answer(opening) == Draft(opening)


def test_a_bare_statement_is_taken_with_all_that_follows_for_the_guard_to_refuse() -> None:
    text = "SELECT 1;\n\nDROP TABLE permits;"
    assert read_answer(text) == Draft(text)


@pytest.mark.parametrize(
    "text",
    [
        "AMBIGUOUS: Which records?",
        "**AMBIGUOUS:** Which records?",
        "```\nAMBIGUOUS: Which records?\n```",
        "I cannot tell.\nAMBIGUOUS: Which\n  records?",
        "AMBIGUOUS：Which records?",
    ],
)
def test_a_question_back_becomes_a_refusal_with_that_question(text: str) -> None:
    assert read_answer(text) == Refusal("ambiguous_question", "Which records?")


def test_what_the_data_does_not_hold_is_told_as_unanswerable() -> None:
    answer = read_answer("UNANSWERABLE: There are no salaries in the schema.")
    assert answer == Refusal("unanswerable", "There are no salaries in the schema.")


def test_a_word_within_the_statement_is_no_refusal() -> None:
    sql = "SELECT 'x' AS a\n-- AMBIGUOUS: no\nFROM permits"
    assert read_answer(f"```sql\n{sql}\n```") == Draft(sql)


@pytest.mark.parametrize("text", ["", "   ", "I am sorry, I cannot do that.", "```python\nprint(1)\n```"])
def test_an_answer_without_a_statement_is_told_to_be_none(text: str) -> None:
    answer = read_answer(text)
    assert isinstance(answer, Refusal)
    assert answer.code == "generation_failed"


def test_a_reason_is_one_printable_line_of_bounded_length() -> None:
    answer = read_answer("AMBIGUOUS: a\x1b[31m\n\n" + "b" * 10_000)
    assert isinstance(answer, Refusal)
    assert answer.reason.isprintable()
    assert len(answer.reason) <= 501


def test_a_refusal_without_words_still_says_what_to_do() -> None:
    answer = read_answer("AMBIGUOUS:")
    assert isinstance(answer, Refusal)
    assert answer.reason.endswith(".")
