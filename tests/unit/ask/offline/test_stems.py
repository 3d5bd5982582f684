"""Forms of a word, and the keys that they share."""

import pytest

from vmk_mcp.ask.drafting.offline.stems import stem_keys


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("issued", "issue"),
        ("expires", "expired"),
        ("cities", "city"),
        ("addresses", "address"),
        ("planning", "planned"),
        ("paid", "pay"),
        ("inspected", "inspecting"),
        ("properties", "property"),
        ("Київ".lower(), "Києві".lower()),
        ("Львові".lower(), "Львів".lower()),
        ("Одеса".lower(), "Одесі".lower()),
        ("гаражів", "гараж"),
        ("будинків", "будинок"),
        ("квартира", "квартир"),
    ],
)
def test_forms_of_a_word_share_a_key(one: str, other: str) -> None:
    assert set(stem_keys(one)) & set(stem_keys(other))


@pytest.mark.parametrize(("one", "other"), [("status", "state"), ("permit", "payment"), ("Київ", "Харків")])
def test_different_words_share_none(one: str, other: str) -> None:
    assert not set(stem_keys(one.lower())) & set(stem_keys(other.lower()))
