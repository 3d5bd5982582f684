"""Names of places in the cases of both languages, and everyday words that look like them."""

import pytest

from tests.unit.listings.interpretation.known_values import VALUES
from vmk_mcp.listings.interpretation.interpreter import interpret
from vmk_mcp.listings.interpretation.names import name_stem, place_names
from vmk_mcp.listings.values import StoredValue, ValueIndex


@pytest.mark.parametrize(
    "forms",
    [
        ("київ", "києва", "києву", "києвом", "києві", "киев", "киеве", "киева"),
        ("харків", "харкова", "харкові", "харьков", "харькове"),
        ("тернопіль", "тернополя", "тернополі", "тернополь", "тернополе"),
        ("одеса", "одеси", "одесі", "одесу"),
        ("трускавець", "трускавця", "трускавці", "трускавец", "трускавце"),
        ("печерський", "печерського", "печерському", "печерский", "печерском"),
        ("лукʼянівська", "лукʼянівській", "лукʼянівської", "лукьяновская", "лукьяновской"),
    ],
)
def test_the_forms_of_a_name_share_one_stem(forms: tuple[str, ...]) -> None:
    assert len({name_stem(form.replace("ї", "і")) for form in forms}) == 1


@pytest.mark.parametrize("city", VALUES.known("city"))
def test_every_town_is_found_after_the_word_town(city: str) -> None:
    assert interpret(f"квартира, місто {city}", VALUES).filters.city == [city]


@pytest.mark.parametrize("station", VALUES.known("metro_station"))
def test_every_station_is_found_after_the_word_underground(station: str) -> None:
    assert interpret(f"2к метро {station}, 5 поверх", VALUES).filters.metro_station == [station]


@pytest.mark.parametrize("district", VALUES.known("district"))
def test_every_district_is_found_after_the_word_district(district: str) -> None:
    assert interpret(f"квартира, район {district}", VALUES).filters.district == [district]


@pytest.mark.parametrize(
    "text",
    [
        "замість гаража", "подалі від дороги", "гречана каша", "броварня поруч", "королівський розмір",
        "солом'яний дах", "вишня у дворі", "самарський час", "на сонячній стороні", "у новому районі",
        "на шахті", "виставка картин", "сума угоди", "у сумі 15000", "рівна ділянка землі біля озера",
        "ровный пол", "бучний сусід", "українка",
    ],
)  # fmt: skip
def test_an_everyday_word_is_no_place(text: str) -> None:
    filters = interpret(text, VALUES).filters
    assert (filters.city, filters.district, filters.metro_station) == (None, None, None)


@pytest.mark.parametrize("text", ["СУМИ ТА РІВНЕ", "квартира рівне", "Рівна стеля"])
def test_a_town_named_by_an_everyday_word_needs_its_capital_letter(text: str) -> None:
    assert interpret(text, VALUES).filters.city is None


def test_a_stored_name_of_several_words_is_found_in_any_case() -> None:
    values = ValueIndex(
        [StoredValue("district", "Стара Дарниця", 1), StoredValue("city", "Нова Каховка", 1)], []
    )
    assert interpret("у Новій Каховці", values).filters.city == ["Нова Каховка"]
    assert interpret("на Старій Дарниці", values).filters.district == ["Стара Дарниця"]


def test_the_names_of_one_index_are_made_once() -> None:
    assert place_names(VALUES) is place_names(VALUES)
