"""What is told beside the filters, and what holds for every text."""

import re
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.listings.interpretation.known_values import VALUES, set_filters
from vmk_mcp.listings.criteria import resolve_filters
from vmk_mcp.listings.filters import Filters
from vmk_mcp.listings.interpretation.interpreter import LONGEST_WISH, interpret
from vmk_mcp.listings.interpretation.outcome import Ignored, Understood
from vmk_mcp.listings.normalize import mend_letters
from vmk_mcp.listings.values import PropertyType, StoredValue, ValueIndex

_PIECES: Final = (
    "2к", "двокімнатна", "квартира", "будинок", "гараж", "у", "Києві", "Київ", "Дніпро", "Суми", "на",
    "Оболоні", "метро", "Арсенальна", "біля", "не", "без", "можна", "перший", "останній", "поверх",
    "поверху", "до", "від", "15000", "50-70", "тис", "грн", "$", "65", "м²", "кухня", "балкон",
    "ремонт", "євро", "продаж", "оренда", "подобово", "або", "і", ",", ".", "район", "Печерський",
    "Троєщина", "Центр", "рік", "2015", "після", "новий", "цегла", "хвилин", "5", "більше", "менше",
    "к", "кімнат", "кімната", "світла", "з", "-", "/", "площа", "вул", "м", "потрібна",
)  # fmt: skip


def test_each_filter_is_told_with_the_words_it_came_from() -> None:
    read = interpret("2к у Києві до 15 тис. грн", VALUES)
    assert read.understood == (
        Understood("rooms_count", [2], "2к"),
        Understood("city", ["Київ"], "Києві"),
        Understood("max_price", 15000.0, "до 15 тис. грн"),
        Understood("currency", "UAH", "до 15 тис. грн"),
    )


@pytest.mark.parametrize(
    ("text", "ignored"),
    [
        ("не Троєщина", Ignored("не Троєщина", "no filter leaves this out")),
        ("2к, не панель", Ignored("не панель", "no filter leaves this out")),
        ("можна перший поверх", Ignored("можна перший поверх", "allowed, not asked for")),
        ("не дорожче 60000", Ignored("не дорожче 60000", "a price without a currency")),
        ("до 1000 $ за м²", Ignored("до 1000 $ за м²", "the price of a square metre is no filter")),
        ("останній поверх", Ignored("останній поверх", "the last floor is no filter")),
        ("50-70 000 $", Ignored("50-70 000 $", "the bounds of the price are unclear")),
        ("не 5 поверх", Ignored("не 5 поверх", "of floors only the first and the last can be left out")),
    ],
)
def test_a_wish_without_a_filter_is_told_with_its_reason(text: str, ignored: Ignored) -> None:
    assert interpret(text, VALUES).ignored == (ignored,)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("2к, не панель, біля метро", "2к, біля метро"),
        ("світла квартира не в центрі Львова", "світла квартира, Львова"),
        ("дача, крім Печерського району", "дача"),
        ("двокімнатна, не потребує ремонту", "двокімнатна, не потребує ремонту"),
        ("не студія", "не студія"),
    ],
)
def test_what_is_not_wanted_is_not_searched_for_unless_it_is_all_that_is_said(text: str, asked: str) -> None:
    assert interpret(text, VALUES).asked == asked


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ('"квартира"', ""),
        ("«квартира»", ""),
        ("„двокімнатна квартира“…", ""),
        ('"двокімнатна квартира" біля парку', "біля парку"),
        ('біля парку "двокімнатна квартира"', "біля парку"),
        ('"Київ" (квартира) "з терасою"', '"з терасою"'),
        ('квартира "Сонячна Брама" Київ', '"Сонячна Брама"'),
        ('"Сонячна Брама", квартира', '"Сонячна Брама"'),
        ('"квартира на Сонячній"', "на Сонячній"),
        ("квартира $ Київ", ""),
        ('"', '"'),
        ("?!", "?!"),
    ],
)
def test_quotes_and_signs_round_what_became_a_filter_are_no_words_to_search_for(text: str, rest: str) -> None:
    assert interpret(text, VALUES).rest == rest


def test_two_prices_that_contradict_each_other_are_told_and_not_applied() -> None:
    read = interpret("до 500 $, до 700 $", VALUES)
    assert set_filters(read.filters) == {}
    assert [entry.reason for entry in read.ignored] == ["said in two ways that contradict each other"]
    assert read.rest == "до 500 $, до 700 $"


def test_bounds_that_exclude_each_other_are_not_applied() -> None:
    assert set_filters(interpret("від 700 $, до 500 $", VALUES).filters) == {}


def test_selling_and_letting_without_or_between_them_are_not_applied() -> None:
    read = interpret("продаж квартира оренда", VALUES)
    assert read.filters.deal_type is None
    assert read.rest == "продаж; оренда"


def test_a_name_is_taken_from_the_live_values_only() -> None:
    elsewhere = ValueIndex([StoredValue("city", "Ромни", 1)], [])
    assert interpret("2к у Ромнах", elsewhere).filters.city == ["Ромни"]
    assert interpret("2к у Ромнах", VALUES).filters.city is None
    assert interpret("2к у Києві на Оболоні", elsewhere).filters == Filters(rooms_count=[2])


def test_a_kind_of_property_goes_by_the_slug_or_name_that_is_stored() -> None:
    elsewhere = ValueIndex([], [PropertyType(7, None, "Будинок"), PropertyType(8, "flat", "Помешкання")])
    assert interpret("купити будинок", elsewhere).filters.property_type == ["Будинок"]
    assert interpret("квартира", elsewhere).filters.property_type == ["flat"]
    assert interpret("гараж", elsewhere).rest == "гараж"


def test_an_everyday_name_of_a_district_gives_way_to_another_town() -> None:
    assert set_filters(interpret("Львів, Оболонь", VALUES).filters) == {"city": ["Львів"]}


def test_a_text_as_long_as_a_description_is_not_interpreted() -> None:
    text = ("двокімнатна квартира " * LONGEST_WISH)[: LONGEST_WISH + 1].strip() + "!!"
    read = interpret(text, VALUES)
    assert (read.filters, read.rest) == (Filters(), text)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from(_PIECES), max_size=14).map(" ".join)))
def test_any_text_is_read_and_its_rest_is_its_own_words_and_means_nothing_more(text: str) -> None:
    read = interpret(text, VALUES)
    again = interpret(read.rest, VALUES)
    assert again.rest == read.rest
    assert [
        entry.field for entry in read.understood if getattr(read.filters, entry.field) != entry.value
    ] == []
    own = re.findall(r"\w+", mend_letters(text))
    left = re.findall(r"\w+", read.rest)
    iterator = iter(own)
    assert all(word in iterator for word in left), "in the order of the text"


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=14).map(" ".join))
def test_whatever_is_understood_can_be_applied(text: str) -> None:
    resolve_filters(interpret(text, VALUES).filters, VALUES, price_currency="USD", rates=None)
