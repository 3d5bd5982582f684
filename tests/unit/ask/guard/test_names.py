"""What names mean: closed columns stay closed, and what was meant is written out."""

import pytest

from tests.unit.ask.guard.open_city import CITY, ask_guard, close_columns, code_of, text_of
from vmk_mcp.ask.guard import CheckedSelect
from vmk_mcp.ask.model import Refusal

CLOSED = close_columns("contractors", "phone", "email", "license_number")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT phone FROM contractors",
        "SELECT c.phone FROM contractors c",
        "SELECT contractors.email FROM contractors",
        "SELECT public.contractors.email FROM contractors",
        "SELECT c FROM contractors c",
        "SELECT row_to_json(c) FROM contractors c",
        "SELECT to_jsonb(c.*) FROM contractors c",
        "SELECT (c).phone FROM contractors c",
        "SELECT a3 FROM contractors AS c(a1, a2, a3)",
        "SELECT a.phone FROM contractors a JOIN contractors b USING (phone)",
        "SELECT name FROM contractors ORDER BY phone",
        "SELECT count(*) FROM contractors GROUP BY phone",
        "SELECT count(*) FROM contractors WHERE phone LIKE '1%'",
        "SELECT s.phone FROM (SELECT * FROM contractors) s",
        "WITH s AS (SELECT * FROM contractors) SELECT phone FROM s",
        "SELECT j.phone FROM (contractors JOIN licenses USING (contractor_id)) AS j",
        "SELECT (SELECT phone) FROM contractors",
        "SELECT x.phone FROM contractors c, LATERAL (SELECT c.*) x",
        "SELECT x FROM contractors c, LATERAL (SELECT c) x",
    ],
)
def test_a_closed_column_cannot_be_read(sql: str) -> None:
    assert code_of(sql, CLOSED) == "unknown_column"


def test_a_star_stands_for_the_open_columns_alone() -> None:
    text = text_of("SELECT * FROM contractors LIMIT 1", CLOSED)
    assert "phone" not in text
    assert "*" not in text
    assert "contractors.trade" in text


def test_a_natural_join_compares_open_columns_alone() -> None:
    text = text_of("SELECT a.name FROM contractors a NATURAL JOIN contractors b", CLOSED)
    assert "NATURAL" not in text
    assert "phone" not in text
    assert "USING (contractor_id, name" in text


def test_counting_whole_rows_counts_the_key() -> None:
    assert text_of("SELECT count(c.*) FROM contractors c", CLOSED) == (
        "SELECT count(c.contractor_id) FROM public.contractors c"
    )


def test_tables_get_their_schema_and_steps_do_not() -> None:
    assert text_of("WITH permits AS (SELECT 1 AS n) SELECT n FROM permits") == (
        "WITH permits AS (SELECT 1 AS n) SELECT n FROM permits"
    )
    assert "FROM public.permits" in text_of("SELECT count(*) FROM permits")


def test_a_step_is_not_seen_by_itself_without_recursive() -> None:
    assert code_of("WITH api_tokens AS (SELECT * FROM api_tokens) SELECT 1") == "unknown_table"


def test_a_sub_query_sees_its_neighbours_by_lateral_alone() -> None:
    assert code_of("SELECT 1 FROM departments d, (SELECT d.name) s") == "unknown_table"
    assert code_of("SELECT 1 FROM departments d, LATERAL (SELECT d.name) s") == ""


@pytest.mark.parametrize(
    ("sql", "hint"),
    [
        ("SELECT count(*) FROM permit", 'Did you mean "permits"?'),
        ("SELECT statuss FROM permits LIMIT 1", 'Did you mean "status"?'),
        ("SELECT p.statuss FROM permits p LIMIT 1", 'Did you mean "status"?'),
        ("SELECT date_trun('day', now())", 'Did you mean "date_trunc"?'),
    ],
)
def test_a_refusal_names_what_was_nearest(sql: str, hint: str) -> None:
    verdict = ask_guard(sql)
    assert isinstance(verdict, Refusal)
    assert verdict.reason.endswith(hint)


def test_the_relations_that_are_read_are_named_once_each() -> None:
    verdict = ask_guard(
        "SELECT 1 FROM permits a JOIN permits b USING (permit_id) JOIN payments USING (permit_id)"
    )
    assert isinstance(verdict, CheckedSelect)
    assert verdict.relations == ("payments", "permits")


@pytest.mark.parametrize(
    ("sql", "bounded"),
    [
        ("SELECT count(*) FROM permits", True),
        ("SELECT status FROM permits LIMIT 5", True),
        ("SELECT status FROM permits WHERE permit_id > 5", False),
    ],
)
def test_whether_the_rows_are_few_for_certain_is_said(sql: str, *, bounded: bool) -> None:
    verdict = ask_guard(sql, CITY)
    assert isinstance(verdict, CheckedSelect)
    assert verdict.is_bounded == bounded
