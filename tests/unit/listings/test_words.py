"""The words of a query, each once and not too many."""

import re

from hypothesis import given
from hypothesis import strategies as st

from vmk_mcp.listings.words import MOST_WORDS, shortening_hints, words_of


def test_a_query_of_few_words_is_searched_as_it_is() -> None:
    words = words_of("квартира з терасою, 2 поверхи")
    assert words.query == "квартира з терасою, 2 поверхи"
    assert words.raw_query == ""


def test_the_raw_form_is_searched_too_where_it_differs() -> None:
    words = words_of("сiм'я")
    assert words.query != words.raw_query == "сiм'я"


def test_a_word_said_a_thousand_times_is_searched_once() -> None:
    assert words_of("квартира " * 1000).query == "квартира"


def test_numbers_run_together_are_words_of_their_own() -> None:
    text = ",".join(str(number) for number in range(1000, 3000))
    assert len(words_of(text).query.split()) == MOST_WORDS


def test_a_long_query_is_cut_and_says_so() -> None:
    text = " ".join(f"слово{number}" for number in range(100))
    assert words_of(text).query.split()[0] == "слово0"
    assert shortening_hints(text)
    assert not shortening_hints("квартира " * 1000)


@given(st.text(alphabet="абв12 ,-'", max_size=500))
def test_no_text_gives_more_than_the_most_words(text: str) -> None:
    words = words_of(text)
    for searched in (words.query, words.raw_query):
        assert len(re.findall(r"\w+", searched)) <= MOST_WORDS
