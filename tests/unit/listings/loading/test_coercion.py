"""Values as people write them, and what each field takes of them."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from vmk_mcp.listings.loading.coercion import UNKNOWN, UNPRICED, UNREADABLE, Coerced, coerce
from vmk_mcp.listings.loading.mapping import FIELDS, PROPERTY_TYPE
from vmk_mcp.listings.loading.numbers import DecimalMark, parse_number
from vmk_mcp.listings.loading.rows import Unfit
from vmk_mcp.listings.loading.words import fold_word, read_words
from vmk_mcp.listings.model import ENUMERATIONS


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("65000", "65000"),
        ("65 000", "65000"),
        ("65\u00a0000,50", "65000.50"),
        ("1'234'567", "1234567"),
        ("1,234,567.89", "1234567.89"),
        ("1.234.567,89", "1234567.89"),
        ("1.234.567", "1234567"),
        ("54,3", "54.3"),
        ("54.300", "54.300"),
        ("0,125", "0.125"),
        ("-2", "-2"),
        ("\u22122", "-2"),
        ("6.5e4", "65000"),
        (".5", "0.5"),
    ],
)
def test_a_number_is_read_as_people_write_it(text: str, number: str) -> None:
    assert parse_number(text) == Decimal(number)


@pytest.mark.parametrize(
    ("mark", "text", "number"),
    [
        ("comma", "65,000", "65"),
        ("comma", "65.000", "65000"),
        ("point", "65,000", "65000"),
        ("point", "1.5", "1.5"),
    ],
)
def test_the_decimal_mark_that_was_named_decides(mark: DecimalMark, text: str, number: str) -> None:
    assert parse_number(text, mark) == Decimal(number)


def test_a_comma_before_three_digits_could_be_either_and_is_refused() -> None:
    with pytest.raises(Unfit, match="write 65000 or use --decimal"):
        parse_number("65,000")


@pytest.mark.parametrize(
    "given", ["abc", "12 5", "65 00", "1,2,3", "1.2.3", "--5", "1e999", "", "9" * 41, True, [1], float("inf")]
)
def test_what_is_no_number_is_refused(given: object) -> None:
    with pytest.raises(Unfit):
        parse_number(given)


@pytest.mark.parametrize("field", [field for field in FIELDS if field != PROPERTY_TYPE])
@pytest.mark.parametrize("given", [None, "", "  ", "NULL", "\\N", "NaN", "n/a", "\u2014", float("nan")])
def test_what_stands_for_nothing_becomes_null_in_every_field(field: str, given: object) -> None:
    assert coerce(field, given).value is None


@pytest.mark.parametrize(
    ("given", "price", "currency"),
    [
        ("65 000 $", 65000, "USD"),
        ("$65000", 65000, "USD"),
        ("15000 грн/міс.", 15000, "UAH"),
        ("15 000 грн. за місяць", 15000, "UAH"),
        ("1 200 EUR", 1200, "EUR"),
        ("900€", 900, "EUR"),
        ("800 у.е.", 800, "USD"),
        (700, 700, None),
    ],
)
def test_a_price_takes_its_currency_along(given: object, price: int, currency: str | None) -> None:
    coerced = coerce("price", given)
    assert coerced.value == price
    assert coerced.beside.get("currency") == currency


@pytest.mark.parametrize(
    ("field", "given", "value"),
    [
        ("currency", "гривень", "UAH"),
        ("currency", "usd", "USD"),
        ("deal_type", "Продаж", "sale"),
        ("deal_type", "RENT-LONG", "rent_long"),
        ("building_type", "Цегляний", "brick"),
        ("heating_type", "none", "none"),
        ("total_area", "54,3 м²", 54.3),
        ("total_area", "54.3 кв. м", 54.3),
        ("kitchen_area", 9, 9.0),
        ("rooms_count", "2-кімнатна", 2),
        ("rooms_count", 2.0, 2),
        ("balcony_count", "так", 1),
        ("balcony_count", False, 0),
        ("balcony_count", "2", 2),
        ("floor", "-1", -1),
        ("metro_distance_meters", "1,2 км", 1200),
        ("metro_distance_meters", "850 м", 850),
        ("building_year", "1975 р.", 1975),
        ("publish_date", "2026-01-31", date(2026, 1, 31)),
        ("publish_date", "31.01.2026", date(2026, 1, 31)),
        ("publish_date", "31.01.2026 10:15", date(2026, 1, 31)),
        ("publish_date", "2026-01-31T23:59:59.5+02:00", date(2026, 1, 31)),
        ("publish_date", datetime(2026, 1, 31, 23, tzinfo=UTC), date(2026, 1, 31)),
        ("contact_phone", 380501234567.0, "380501234567"),
        ("title", "  Квартира ", "Квартира"),
        ("id", "9007199254740993", 9007199254740993),
    ],
)
def test_a_value_is_brought_to_what_its_field_takes(field: str, given: object, value: object) -> None:
    assert coerce(field, given).value == value


def test_a_floor_of_so_many_fills_both_fields() -> None:
    coerced = coerce("floor", "3/9")
    assert (coerced.value, coerced.beside) == (3, {"floors_count": 9})


@pytest.mark.parametrize(
    ("field", "given", "wanted"),
    [
        ("rooms_count", "2.5", "a whole number"),
        ("rooms_count", "-1", "from 0"),
        ("rooms_count", True, "a number"),
        ("id", "A-15", "--id-from"),
        ("id", 2**63, "a whole number from"),
        ("price", "-5", "0 or more"),
        ("price", "65000 песо", "such as 65000"),
        ("latitude", "95", "from -90 to 90"),
        ("publish_date", "31.02.2026", "no such day"),
        ("publish_date", "01/31/2026", "a date"),
        ("publish_date", 20260131, "a date"),
        ("currency", "золоті", "three letters"),
        ("title", ["a"], "a text"),
    ],
)
def test_what_a_field_does_not_take_is_refused_with_what_it_wants(
    field: str, given: object, wanted: str
) -> None:
    with pytest.raises(Unfit, match=wanted):
        coerce(field, given)


def test_an_unknown_value_of_an_enumeration_is_kept_and_noticed() -> None:
    assert coerce("building_type", "Солома").value == "Солома"
    assert coerce("building_type", "Солома").noticed == UNKNOWN
    assert coerce("currency", "pln").value == "PLN"


def test_characters_that_no_database_holds_are_taken_out_and_noticed() -> None:
    coerced = coerce("description", "a\x00b\ud800c\ufffd")
    assert (coerced.value, coerced.noticed) == ("abc", UNREADABLE)


def test_no_word_stands_for_two_columns_or_two_values() -> None:
    words = read_words()
    assert set(words.columns.values()) == set(FIELDS)
    assert set(words.values) == {*ENUMERATIONS, PROPERTY_TYPE}
    for field, known in ENUMERATIONS.items():
        meant = {value: words.values[field][fold_word(value)] for value in known}
        assert meant == {value: value for value in known}, field
    for field in FIELDS:
        assert words.columns[fold_word(field)] == field


@pytest.mark.parametrize(
    "given", ["договірна", " Договірна ", "Ціна договірна", "по договорённости", "negotiable"]
)
def test_a_price_that_is_to_be_agreed_is_no_price_and_is_told(given: str) -> None:
    assert coerce("price", given) == Coerced(None, noticed=UNPRICED)
