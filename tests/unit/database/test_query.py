"""A SQL file's header is checked against its body and the structs: each rule is broken once."""

from collections.abc import Callable

import pytest
from msgspec import Struct

from vmk_mcp.database.query import Column, Parameter, QueryFileError, load_page_query, load_query, parse_query
from vmk_mcp.listings.model import Listing
from vmk_mcp.listings.queries import LiveIndex, Matched, RowCounts

GOOD = """\
-- rooms/find_places: places of a town.
--
-- Notes may say more; $9 is nothing here.
--
-- parameters
--   $1 town     text     stored spelling
--   $2 limits   int4[]
-- columns
--   id          int8
--   name        text     null: unnamed
SELECT
    p.id,
    p.name
FROM places AS p
WHERE p.town = $1::text AND p.number = ANY($2::int4[]) AND p.other <> $1::text;
"""


class Place(Struct, frozen=True):
    id: int
    name: str | None


class PlaceQuery(Struct, frozen=True):
    limits: list[int]
    town: str
    other: int = 0


def test_a_good_file_gives_its_statement_parameters_and_columns() -> None:
    query = parse_query("rooms/find_places", GOOD, Place)
    assert query.sql.startswith("SELECT\n    p.id,")
    assert query.sql.endswith("$1::text")
    assert query.parameters == (Parameter("town", "text"), Parameter("limits", "int4[]"))
    assert query.columns == (Column("id", "int8"), Column("name", "text"))


def test_arguments_are_taken_by_name_in_the_order_of_the_parameters() -> None:
    query = parse_query("rooms/find_places", GOOD, Place)
    assert tuple(query.bind(PlaceQuery(limits=[1], town="Київ"))) == ("Київ", [1])


def test_one_parameter_and_none_are_bound_as_sequences() -> None:
    one = "-- a/b_c: x.\n-- parameters\n--   $1 town   text\n-- columns\n--   id   int8\nSELECT $1::text;\n"
    none = "-- a/b_c: x.\n-- columns\n--   id   int8\nSELECT 1;\n"

    class Row(Struct):
        id: int

    assert tuple(parse_query("a/b_c", one, Row).bind(PlaceQuery([1], "Київ"))) == ("Київ",)
    assert tuple(parse_query("a/b_c", none, Row).bind(PlaceQuery([1], "Київ"))) == ()


def test_a_column_of_the_servers_own_name_meets_a_field() -> None:
    class Plan(Struct):
        query_plan: str

    text = '-- a/b_c: x.\n-- columns\n--   "QUERY PLAN"   json\nEXPLAIN (FORMAT JSON) SELECT 1;\n'
    assert parse_query("a/b_c", text, Plan).columns == (Column("QUERY PLAN", "json"),)


def _replace(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, 1)


FAULTS: dict[str, tuple[Callable[[str], str], str]] = {
    "another name": (_replace("rooms/find_places:", "rooms/find_place:"), "the first line must be"),
    "no full stop": (_replace("of a town.", "of a town"), "the first line must be"),
    "no header": (lambda text: text[text.index("SELECT") :], "the first line must be"),
    "an empty file": (lambda _: "", "the first line must be"),
    "no semicolon": (lambda text: text.rstrip(";\n"), "one statement a file"),
    "two statements": (lambda text: text + "SELECT 1;\n", "one statement a file"),
    "a line after the end": (lambda text: text + "-- the end\n", "one statement a file"),
    "parameters out of order": (_replace("$2 limits", "$3 limits"), "parameter $3 is out of order"),
    "a parameter twice": (_replace("$2 limits", "$1 limits"), "parameter $1 is out of order"),
    "an unreadable parameter": (_replace("$1 town     text", "$1 Town"), "cannot read the header line"),
    "an unreadable column": (_replace("id          int8", "id"), "cannot read the header line"),
    "a type of two words": (_replace("int8", "double precision"), "cannot read the header line"),
    "no columns": (
        lambda text: text[: text.index("-- columns")] + text[text.index("SELECT") :],
        "names no columns",
    ),
    "a number that is not there": (_replace("<> $1::text", "<> $3::text"), "$3 is not in the header"),
    "a number below one": (_replace("<> $1::text", "<> $0::text"), "$0 is not in the header"),
    "no cast": (_replace("<> $1::text", "<> $1"), "must be cast, as $1::text"),
    "another cast": (_replace("<> $1::text", "<> $1::varchar"), "must be cast, as $1::text"),
    "a cast to one, not many": (_replace("$2::int4[]", "$2::int4"), "must be cast, as $2::int4[]"),
    "an unused parameter": (_replace(" AND p.number = ANY($2::int4[])", ""), "does not use $2"),
    "columns in another order": (
        lambda text: text.replace("--   id          int8\n", "").replace(
            "null: unnamed\n", "null: unnamed\n--   id          int8\n"
        ),
        "differ from the fields",
    ),
    "a column more": (_replace("--   id  ", "--   no          int8\n--   id  "), "differ from the fields"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_of_a_file_is_named_with_the_file(fault: str) -> None:
    spoil, said = FAULTS[fault]
    with pytest.raises(QueryFileError) as raised:
        parse_query("rooms/find_places", spoil(GOOD), Place)
    assert str(raised.value).startswith("rooms/find_places: ")
    assert said in str(raised.value)


def test_a_file_of_the_package_is_found_by_its_name() -> None:
    assert load_query("listings/count_rows", row=RowCounts).name == "listings/count_rows"


def test_a_row_struct_that_does_not_fit_its_file_is_refused() -> None:
    with pytest.raises(QueryFileError, match="listings/count_rows: columns"):
        load_query("listings/count_rows", row=LiveIndex)


def test_a_page_is_checked_against_its_head_and_its_row() -> None:
    page = load_page_query("listings/find_by_filters", head=Matched, row=Listing)
    assert [column.name for column in page.columns[:2]] == ["total", "id"]
    with pytest.raises(QueryFileError, match="differ from the fields"):
        load_page_query("listings/find_by_filters", head=RowCounts, row=Listing)
