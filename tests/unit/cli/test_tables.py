"""Which columns of a result people see."""

import io
from typing import Any, Final

from rich.console import Console

from vmk_mcp.cli.tables import _HEADS, _TELLING, print_result

FLAT: Final = {
    "id": 2649,
    "title": "Продам двокімнатну квартиру у Києві, без ремонту, поруч зі станцією метро",
    "price": 115000.0,
    "currency": "USD",
    "price_per_m2": 2572.71,
    "city": "Кам'янець-Подільський",
    "district": "Шевченківський",
    "rooms_count": 2,
    "total_area": 44.7,
    "floor": 5,
    "metro_station": "Арсенальна",
    "similarity_score": 0.95,
}


def shown(result: dict[str, Any], width: int = 400) -> list[str]:
    """Give the lines that a screen of `width` characters shows."""
    stream = io.StringIO()
    print_result(result, Console(file=stream, width=width, highlight=False))
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def heads_of(*rows: dict[str, Any], width: int = 400) -> list[str]:
    """Give the names of the columns shown."""
    lines = shown({"rows": list(rows)}, width)
    rule = next(number for number, line in enumerate(lines) if "\u2500" in line)
    return lines[rule - 1].split()


def test_columns_that_are_not_known_stand_after_those_that_are() -> None:
    row = {"tools": ["listings"], "name": "bob", "profile": "fixed", "id": 7}
    assert heads_of(row) == ["id", "name", "tools", "profile"]


def test_known_columns_are_never_pushed_out_and_others_fill_up_to_twelve() -> None:
    row = {f"c{number}": number for number in range(20)} | {"title": "x", "price": 3}
    assert heads_of(row) == ["title", "price", *(f"c{number}" for number in range(10))]


def test_all_known_columns_are_shown_however_many() -> None:
    known = list(_TELLING)
    assert heads_of(dict.fromkeys(["other", *known], 1)) == [_HEADS.get(name, name) for name in known]


def test_long_texts_are_left_out() -> None:
    assert heads_of({"title": "x", "description": "y" * 49, "city": "z"}) == ["title", "city"]


def test_empty_and_nested_columns_are_left_out() -> None:
    assert heads_of({"a": None, "b": {"x": 1}, "c": 1}, {"a": None, "b": None, "c": 2}) == ["c"]


def test_a_row_of_nested_columns_alone_shows_them() -> None:
    assert heads_of({"b": {"x": 1}}) == ["b"]


def test_on_a_narrow_screen_the_least_telling_columns_give_way() -> None:
    assert heads_of(FLAT, width=80) == ["id", "title", "price", "city"]
    assert heads_of(FLAT, width=100) == ["id", "title", "price", "city", "district", "rooms"]


def test_a_narrow_screen_shows_id_price_and_city_whole() -> None:
    lines = shown({"listings": [FLAT]}, width=80)
    assert max(map(len, lines)) <= 80
    assert any(
        line.split()[0] == "2649" and "115,000 USD" in line and "Кам'янець-Подільський" in line
        for line in lines
        if line
    )


def test_where_nothing_else_can_give_way_texts_are_folded_and_not_cut() -> None:
    text = "".join(shown({"listings": [FLAT]}, width=50))
    assert "…" not in text
    assert "115,000" in text


def test_a_price_without_currency_stands_alone() -> None:
    assert any("115,000" in line for line in shown({"rows": [FLAT | {"currency": None}]}))


def test_a_market_is_a_row_for_each_group_with_its_name() -> None:
    figures = {"count": 9, "lower_quartile": 72000.0, "median": 112500.0, "upper_quartile": 167000.0}
    group = {"group": "Івано-Франківськ", "currency": "USD", "listings": 271, "price": figures}
    per_m2 = {"price_per_m2": {"median": 1678.59}}
    lines = shown({"group_by": "city", "groups": [group | per_m2, {**group, "group": None}]}, width=90)
    assert next(line for line in lines if "Франківськ" in line).split() == [
        "Івано-Франківськ",
        "USD",
        "271",
        "72,000",
        "112,500",
        "167,000",
        "1,678.59",
    ]
    assert any(line.startswith(" (not known)") for line in lines)


def test_a_comparison_has_a_row_for_each_field_that_differs() -> None:
    lines = shown({"listings": [FLAT, FLAT | {"id": 7, "floor": 9}], "missing": [], "differing": ["floor"]})
    assert [line.split() for line in lines if line and "\u2500" not in line] == [
        ["differing"],
        ["field", "2649", "7"],
        ["floor", "5", "9"],
    ]


def test_indexes_of_a_table_are_shown_by_name() -> None:
    made = "CREATE UNIQUE INDEX pk_listings ON public.property_listings USING btree (id)"
    lines = shown({"tables": [{"name": "property_listings", "row_count": 3, "indexes": [made]}]})
    assert any(line.split() == ["property_listings", "3", "pk_listings"] for line in lines)


def test_what_a_query_was_taken_to_mean_and_hints_stand_a_line_each() -> None:
    account = {
        "applied": {"max_metro_distance_meters": 1000, "max_price": 15000.0, "not_first_floor": True},
        "from": {
            "max_metro_distance_meters": "біля метро",
            "max_price": "до 15000",
            "not_first_floor": "не перший",
        },
        "search_text": "квартира",
        "ignored": [{"words": "дешево", "reason": "no price is named"}],
    }
    assert shown({"total": 1, "query_interpretation": account, "hints": ["lower it"]}) == [
        "total  1",
        "understood: «біля метро» -> max_metro_distance_meters 1000",
        "understood: «до 15000» -> max_price 15000",
        "understood: «не перший» -> not_first_floor yes",
        "not applied: «дешево»: no price is named",
        "searched for: «квартира»",
        "hint: lower it",
    ]
