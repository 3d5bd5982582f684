"""Names in filters that are stored otherwise: what they can only mean is taken, and told."""

import pytest

from tests.unit.listings.interpretation.known_values import VALUES
from vmk_mcp.listings.criteria import Resolved, resolve_filters
from vmk_mcp.listings.filters import Filters


def resolve(filters: Filters) -> Resolved:
    return resolve_filters(filters, VALUES, price_currency="USD", rates=None)


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("Киев", "Київ"), ("Kyiv", "Київ"), ("kiev", "Київ"), ("ОДЕССА", "Одеса"), ("Odesa", "Одеса"),
        ("Чернигов", "Чернігів"), ("Николаев", "Миколаїв"), ("Белая Церковь", "Біла Церква"),
        ("м. Київ", "Київ"), ("г. Днепр", "Дніпро"),
    ],
)  # fmt: skip
def test_a_russian_or_latin_name_of_a_town_finds_the_stored_one_and_is_told(
    written: str, stored: str
) -> None:
    resolved = resolve(Filters(city=[written]))
    assert resolved.criteria.cities == [stored]
    assert resolved.hints == [f"city {written!r} was read as {stored!r}"]


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("Печерский", "Печерський"), ("Печерський район", "Печерський"), ("Соломенский р-н", "Солом'янський"),
        ("Шевченковский", "Шевченківський"),
    ],
)  # fmt: skip
def test_a_district_may_be_russian_and_bring_the_word_for_one(written: str, stored: str) -> None:
    assert resolve(Filters(district=[written])).criteria.districts == [stored]


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("Лукьяновская", "Лук'янівська"), ("метро Осокорки", "Осокорки"), ("ст. м. Дарница", "Дарниця"),
        ("КПИ", "Політехнічний інститут"),
    ],
)  # fmt: skip
def test_a_station_may_be_russian_and_bring_the_word_for_one(written: str, stored: str) -> None:
    assert resolve(Filters(metro_station=[written])).criteria.metro_stations == [stored]


@pytest.mark.parametrize("written", ["Київ, Львів", "Київ Львів", "Нью-Йорк", "київська", "!!!", "м.", ""])
def test_what_is_no_one_name_matches_nothing(written: str) -> None:
    resolved = resolve(Filters(city=[written]))
    assert resolved.criteria.cities == [written]
    assert [hint.partition("'")[0] for hint in resolved.hints] == ["no listing has city "]


@pytest.mark.parametrize("written", ["Троєщина", "Печерськ"])
def test_an_everyday_name_that_tells_of_a_town_or_a_part_is_no_name_of_a_district(written: str) -> None:
    assert resolve(Filters(district=[written])).criteria.districts == [written]


def test_a_stored_spelling_is_taken_as_it_is_and_nothing_is_told() -> None:
    resolved = resolve(Filters(city=["КИЇВ"], metro_station=["Осокорки"]))
    assert (resolved.criteria.cities, resolved.criteria.metro_stations) == (["Київ"], ["Осокорки"])
    assert resolved.hints == []
