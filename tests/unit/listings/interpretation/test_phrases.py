"""What people type, each phrase with exactly the filters that it means; the tables lie beside this module."""

import tomllib
from typing import Any, Final

import pytest

from tests.unit.listings.interpretation.known_values import HERE, VALUES, set_filters
from vmk_mcp.listings.interpretation.interpreter import interpret


def read_table(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / f"{name}.toml").read_text("utf-8"))


PHRASES: Final = [
    pytest.param(phrase, filters, id=f"{subject}: {phrase}")
    for subject, table in read_table("phrases").items()
    for phrase, filters in table.items()
]
SENTENCES: Final = read_table("sentences")["wish"]
NOTHING: Final = read_table("nothing")["phrases"]


@pytest.mark.parametrize(("phrase", "filters"), PHRASES)
def test_a_phrase_means_its_filters_and_nothing_else(phrase: str, filters: dict[str, object]) -> None:
    assert set_filters(interpret(phrase, VALUES).filters) == filters


@pytest.mark.parametrize("wish", SENTENCES, ids=lambda wish: wish["text"])
def test_a_sentence_gives_its_filters_and_leaves_the_rest_to_search_for(wish: dict[str, Any]) -> None:
    read = interpret(wish["text"], VALUES)
    assert set_filters(read.filters) == wish["filters"]
    assert read.rest == wish["rest"]


@pytest.mark.parametrize("phrase", NOTHING)
def test_a_phrase_that_no_filter_says_gives_none_and_stays(phrase: str) -> None:
    read = interpret(phrase, VALUES)
    assert set_filters(read.filters) == {}
    assert read.understood == ()
    assert read.rest == phrase.replace("'", "\u02bc")


@pytest.mark.parametrize(
    "rewrite", [str.upper, str.lower, lambda text: f"  {text}\n", lambda text: f"{text}!"]
)
@pytest.mark.parametrize(
    "phrase",
    ["2к квартира у Києві", "не перший поверх", "до 15 тис. грн", "65 кв.м", "на Оболоні", "біля метро"],
)
def test_letter_case_and_stray_signs_make_no_difference(phrase: str, rewrite: Any) -> None:
    assert interpret(rewrite(phrase), VALUES).filters == interpret(phrase, VALUES).filters


@pytest.mark.parametrize("apostrophe", "'\u2019\u02bc`")
def test_every_apostrophe_finds_the_district(apostrophe: str) -> None:
    assert interpret(f"Солом{apostrophe}янський район", VALUES).filters.district == ["Солом'янський"]


@pytest.mark.parametrize("text", ["двокiмнатна", "двокімнaтна", "дв\u00adокімнатна"])
def test_look_alikes_and_unseen_characters_are_read_through(text: str) -> None:
    assert interpret(text, VALUES).filters.rooms_count == [2]
