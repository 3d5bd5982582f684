"""The file of labelled queries: enough of every kind, of sound wishes, with right answers."""

import re
from collections import Counter
from functools import cache

import pytest

from tests.bench.eval.facts import Facts, read_active
from tests.bench.eval.labelled import read_queries
from tests.bench.eval.phrases import phrase_names
from tests.bench.eval.rules import FITS_HARD, TEXTUAL, LabelledQuery, Wanted, grade, holds
from vmk_mcp.sample.listings import make_listings

CATEGORIES = {"structured", "detail", "place", "mixed", "negation", "crossing", "vague", "empty"}
QUERIES = [query for queries in read_queries().values() for query in queries]

TOO_MANY_RIGHT = 600
"""Of 2,776: a query that so many fit tells searches apart no longer."""


@cache
def known() -> list[Facts]:
    return read_active(make_listings())


def parts(query: LabelledQuery) -> list[tuple[str, Wanted]]:
    return [*query.must.items(), *query.should.items(), *query.near.items()]


def entries(value: Wanted) -> list[str]:
    return [str(entry) for entry in value] if isinstance(value, list) else [str(value)]


def test_there_are_queries_enough_of_every_category() -> None:
    counts = {category: len(queries) for category, queries in read_queries().items()}
    assert counts.keys() == CATEGORIES
    assert sum(counts.values()) >= 140
    assert min(counts.values()) >= 12


def test_no_query_is_asked_twice() -> None:
    assert [
        text for text, count in Counter(query.text.casefold() for query in QUERIES).items() if count > 1
    ] == []


def test_queries_are_written_in_both_languages() -> None:
    ukrainian = sum(bool(re.search("[іїєґ]", query.text.casefold())) for query in QUERIES)
    russian = sum(bool(re.search("[ыэёъ]", query.text.casefold())) for query in QUERIES)
    assert ukrainian >= 90
    assert russian >= 20


def test_every_key_is_one_that_rules_know() -> None:
    fields = known()[0].fields.keys() | TEXTUAL | {"price"}
    assert {key for query in QUERIES for key, _ in parts(query)} <= fields


def test_every_phrase_is_one_of_the_banks() -> None:
    said = {name for query in QUERIES for key, value in parts(query) if key == "says"
            for entry in entries(value) for name in entry.split("|")}  # fmt: skip
    assert said <= phrase_names()


def test_every_value_of_a_column_occurs_in_the_sample_unless_nothing_shall_fit() -> None:
    unheard = [
        (query.text, key, value)
        for query in QUERIES
        if not query.empty
        for key, value in parts(query)
        if key not in TEXTUAL and not isinstance(value, dict) and not _occurs(key, value)
    ]
    assert unheard == []


def _occurs(key: str, value: Wanted) -> bool:
    each = value if isinstance(value, list) else [value]
    return all(any(holds(key, entry, facts) for facts in known()) for entry in each)


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.text)
def test_a_query_has_right_answers_unless_it_is_meant_to_have_none(query: LabelledQuery) -> None:
    right = sum(grade(query, facts) >= FITS_HARD for facts in known())
    assert right == 0 if query.empty else 0 < right < TOO_MANY_RIGHT
