"""Texts in their one form, and the prefixes that models want."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vmk_mcp.embedding.prefixes import Prefixes, prefixes_for
from vmk_mcp.embedding.texts import MAX_CHARACTERS, normalise_text
from vmk_mcp.errors import InvalidArguments

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=200)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("  дві \n\t кімнати ", "дві кімнати"),
        ("a\0b", "a b"),
        ("a\ud800b\udfff", "ab"),
        ("и\u0306", "й"),
        ("Велика Літера", "Велика Літера"),
    ],
)
def test_texts_that_mean_the_same_take_one_form(text: str, normal: str) -> None:
    assert normalise_text(text) == normal


@pytest.mark.parametrize("text", ["", " \n", "\0\0", "\ud800", "\u3000"])
def test_a_text_with_nothing_in_it_is_refused_as_the_callers_mistake(text: str) -> None:
    with pytest.raises(InvalidArguments, match="empty"):
        normalise_text(text)


def test_a_long_text_is_cut() -> None:
    assert normalise_text("д" * (MAX_CHARACTERS + 1)) == "д" * MAX_CHARACTERS
    assert normalise_text(" " * MAX_CHARACTERS + "д") == "д"


@given(ANY_TEXT)
def test_normalising_twice_changes_nothing_more_and_all_can_be_encoded(text: str) -> None:
    try:
        normal = normalise_text(text)
    except InvalidArguments:
        return
    assert normalise_text(normal) == normal
    assert b"\0" not in normal.encode("utf-8")


@pytest.mark.parametrize(
    ("model", "query", "document"),
    [
        ("nomic-embed-text", "search_query: ", "search_document: "),
        ("nomic-embed-text:latest", "search_query: ", "search_document: "),
        ("nomic-ai/nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("nomic-embed-text-v2-moe", "search_query: ", "search_document: "),
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("jeffh/intfloat-multilingual-e5-base:f16", "query: ", "passage: "),
        ("E5-small", "query: ", "passage: "),
        ("embeddinggemma", "task: search result | query: ", "title: none | text: "),
        ("bge-m3", "", ""),
        ("text-embedding-3-small", "", ""),
        ("somee5model", "", ""),
    ],
)
def test_a_model_gets_the_prefixes_it_was_trained_with(model: str, query: str, document: str) -> None:
    assert prefixes_for(model) == Prefixes(query, document)


def test_an_instructed_e5_gets_an_instruction_for_queries_only() -> None:
    prefixes = prefixes_for("intfloat/multilingual-e5-large-instruct")
    assert prefixes.query.startswith("Instruct: ")
    assert prefixes.query.endswith("\nQuery: ")
    assert prefixes.document == ""


def test_prefixes_from_the_settings_win_also_when_empty() -> None:
    assert prefixes_for("nomic-embed-text", query="") == Prefixes("", "search_document: ")
    assert prefixes_for("bge-m3", "q: ", "d: ") == Prefixes("q: ", "d: ")
