"""Columns to fields, and rows through them."""

import pytest

from vmk_mcp.errors import InvalidArguments
from vmk_mcp.listings.loading.mapping import ColumnMapping, MappingRules
from vmk_mcp.listings.loading.reading import RowReader
from vmk_mcp.listings.loading.rows import RawRow, RowFault
from vmk_mcp.listings.loading.types import PropertyTypes
from vmk_mcp.listings.writing import PropertyTypeRecord

FLAT = PropertyTypeRecord(1, "apartment", "Квартира")
LAND = PropertyTypeRecord(10, "land", "Земельна ділянка")


def map_columns(*columns: str, **rules: object) -> ColumnMapping:
    return ColumnMapping(columns, MappingRules(**rules))  # type: ignore[arg-type]  # rules by name, for brevity


def reader(mapping: ColumnMapping, types: PropertyTypes | None = None) -> RowReader:
    return RowReader(mapping, types or PropertyTypes([FLAT, LAND]))


@pytest.mark.parametrize(
    ("columns", "fields"),
    [
        (["ID", "Title", "PRICE"], {"id": "ID", "title": "Title", "price": "PRICE"}),
        (["id", "title", "total-area"], {"id": "id", "title": "title", "total_area": "total-area"}),
        (["Код", "Назва", "К-сть кімнат"], {"id": "Код", "title": "Назва", "rooms_count": "К-сть кімнат"}),
        (["id", "name", "title"], {"id": "id", "title": "title"}),
        (["id", "title", "Ціна", "cost"], {"id": "id", "title": "title", "price": "Ціна"}),
    ],
)
def test_columns_are_found_by_their_names(columns: list[str], fields: dict[str, str]) -> None:
    mapping = map_columns(*columns)
    assert mapping.fields == fields
    assert sorted(mapping.left_out) == sorted(set(columns) - set(fields.values()))


def test_a_column_asked_for_wins_over_one_of_the_same_name() -> None:
    mapping = map_columns("id", "title", "name", "cena", fields={"title": "name", "price": "CENA"})
    assert mapping.fields == {"id": "id", "title": "name", "price": "cena"}
    assert mapping.left_out == ["title"]


@pytest.mark.parametrize(
    ("columns", "rules", "message"),
    [
        (["title"], {}, "'id'"),
        (["id"], {}, "'title'"),
        (["id", "title"], {"fields": {"cost": "title"}}, "no field 'cost'"),
        (["id", "title"], {"fields": {"price": "cena"}}, "no column 'cena'"),
        (["id", "title"], {"id_from": "url"}, "no column 'url'"),
        (["id", "title", "x"], {"fields": {"latitude": "x"}, "absent": frozenset({"latitude"})}, "latitude"),
    ],
)
def test_what_cannot_be_mapped_is_named(columns: list[str], rules: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidArguments, match=message):
        map_columns(*columns, **rules)


def test_a_field_without_a_column_in_the_table_is_left_out() -> None:
    assert map_columns("id", "title", "lat", absent=frozenset({"latitude"})).left_out == ["lat"]


def test_a_column_that_turns_up_later_fills_a_field_that_is_free() -> None:
    mapping = map_columns("id", "title")
    assert mapping.field_of("ціна") == "price"
    assert mapping.field_of("cost") is None


def test_ids_are_made_of_a_text_and_are_always_the_same() -> None:
    rows = reader(map_columns("title", "url", id_from="url"))
    first, again, other = (
        rows.read(RawRow(n, {"title": "x", "url": url})).row for n, url in enumerate(("a", "a ", "b"))
    )
    assert first is not None
    assert again is not None
    assert other is not None
    assert first.id == again.id != other.id
    assert 0 < first.id < 2**53
    assert first.values["url_source"] == "a"


def test_all_faults_of_a_row_are_named_at_once() -> None:
    reading = reader(map_columns("id", "title", "Ціна", "тип")).read(
        RawRow(7, {"id": "x", "title": "", "Ціна": "дорого", "тип": "замок"})
    )
    assert reading.row is None
    assert [(fault.number, fault.field, fault.column, fault.given) for fault in reading.faults] == [
        (7, "id", "id", "x"),
        (7, "price", "Ціна", "дорого"),
        (7, "property_type", "тип", "замок"),
        (7, "title", "title", ""),
    ]


def test_a_row_that_could_not_be_read_keeps_its_reason() -> None:
    reading = reader(map_columns("id", "title")).read(RawRow(3, {}, "a line of JSON"))
    assert reading.faults == [RowFault(3, "", "", "", "a line of JSON")]


def test_a_currency_of_its_own_goes_before_that_of_the_price() -> None:
    rows = reader(map_columns("id", "title", "price", "currency"))
    both = rows.read(RawRow(1, {"id": 1, "title": "x", "price": "5 $", "currency": "грн"})).row
    alone = rows.read(RawRow(2, {"id": 1, "title": "x", "price": "5 $", "currency": ""})).row
    assert both is not None
    assert alone is not None
    assert (both.values["currency"], alone.values["currency"]) == ("UAH", "USD")


@pytest.mark.parametrize("given", [1, "1", 1.0, "apartment", "Apartment", "КВАРТИРА", "flat"])
def test_a_kind_of_property_is_found_by_id_slug_name_or_a_usual_word(given: object) -> None:
    assert PropertyTypes([FLAT, LAND]).find_id(given) == 1


def test_an_unknown_kind_is_made_once_where_that_was_asked_for() -> None:
    types = PropertyTypes([FLAT, LAND], makes_unknown=True)
    assert [types.find_id("Готель"), types.find_id("готель")] == [11, 11]
    assert types.made == [PropertyTypeRecord(11, "hotel", "Готель")]
    assert types.name_of(11) == "Готель"
