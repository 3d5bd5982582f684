"""Cells of every kind of type, as Postgres gives them, become JSON values that lose nothing."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from tests.fakes import RecordingObserver
from tests.integration.servers import Dsn
from vmk_mcp.database.ask_connections import AskLogin
from vmk_mcp.database.asking import UNREADABLE_CELL, AskedDatabase, StatementFailed
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.selecting import SelectionLimits

LIMITS = SelectionLimits()


@pytest.fixture
async def database(municipal: Dsn) -> AsyncIterator[AskedDatabase]:
    """The municipal database, asked as vmk_ask."""
    database = AskedDatabase("city", AskLogin(municipal(Role.ASK)), size=1, observer=RecordingObserver())
    yield database
    await database.close()


async def cell(database: AskedDatabase, expression: str) -> Any:
    selection = await database.select(f"SELECT {expression}", LIMITS, within_s=5.0)
    value = selection.rows[0][0]
    # Whatever it is, it goes out as JSON and comes back the same.
    assert msgspec.json.decode(msgspec.json.encode(value)) == value
    return value


CELLS: list[tuple[str, object]] = [
    ("NULL", None),
    ("TRUE", True),
    ("7", 7),
    ("9007199254740991", 9007199254740991),
    ("9007199254740992", "9007199254740992"),
    ("-9223372036854775808", "-9223372036854775808"),
    ("1.50::numeric", 1.5),
    ("2600.00::numeric(14,2)", 2600.0),
    ("12345678901234567890.5::numeric", "12345678901234567890.5"),
    ("0.1234567890123456789::numeric", "0.1234567890123456789"),
    ("'NaN'::numeric", "NaN"),
    ("'-Infinity'::numeric", "-Infinity"),
    ("0.1::real", 0.1),
    ("16777217::real", 16777216.0),
    ("'NaN'::real", "NaN"),
    ("0.1::float8", 0.1),
    ("'NaN'::float8", "NaN"),
    ("'Infinity'::float8", "Infinity"),
    ("'привіт'::text", "привіт"),
    ("chr(1)", "\x01"),
    ("'ab'::char(4)", "ab  "),
    ("DATE '2024-02-29'", "2024-02-29"),
    ("'infinity'::date", "infinity"),
    ("'-infinity'::date", "-infinity"),
    ("'0044-03-15 BC'::date", "-000043-03-15"),
    ("'5874897-12-31'::date", "+5874897-12-31"),
    ("TIMESTAMP '2024-02-29 10:20:30.5'", "2024-02-29T10:20:30.5"),
    ("TIMESTAMPTZ '2024-02-29 10:20:30+02'", "2024-02-29T08:20:30Z"),
    ("'infinity'::timestamptz", "infinity"),
    ("'10000-01-01'::timestamp", "+010000-01-01T00:00:00"),
    ("TIME '24:00'", "24:00:00"),
    ("'10:00:01.25+02'::timetz", "10:00:01.25+02:00"),
    ("INTERVAL '1 year 2 months 3 days 4 hours 5 minutes 6.5 seconds'", "P1Y2M3DT4H5M6.5S"),
    ("INTERVAL '-1 year -2 mons +3 days -04:05:06.7'", "P-1Y-2M3DT-4H-5M-6.7S"),
    ("INTERVAL '0'", "PT0S"),
    ("'\\x00ff'::bytea", "\\x00ff"),
    ("""'{"a": [1, null, "б"]}'::jsonb""", {"a": [1, None, "б"]}),
    ("""'{"b": 1}'::json""", {"b": 1}),
    ("'null'::jsonb", None),
    ("ARRAY[1.5, NULL]::numeric[]", [1.5, None]),
    ("ARRAY[ARRAY[1, 2], ARRAY[3, 4]]", [[1, 2], [3, 4]]),
    ("ARRAY['2024-01-01'::date, 'infinity']", ["2024-01-01", "infinity"]),
    ("ARRAY['{}'::jsonb]", [{}]),
    ("int4range(1, 5)", "[1,5)"),
    ("numrange(1.5, NULL)", "[1.5,)"),
    ("daterange('2024-01-01', '2024-02-01')", "[2024-01-01,2024-02-01)"),
    ("'empty'::int8range", "empty"),
    ("'{[1,3),[5,8)}'::int4multirange", ["[1,3)", "[5,8)"]),
    ("ROW(1, 'a'::text, 1.5, DATE '2024-01-01', '{}'::jsonb)", [1, "a", 1.5, "2024-01-01", {}]),
    ("'10.0.0.1/8'::inet", "10.0.0.1/8"),
    ("'10.0.0.0/8'::cidr", "10.0.0.0/8"),
    ("'08:00:2b:01:02:03'::macaddr", "08:00:2b:01:02:03"),
    ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("point(1, 2)", "(1,2)"),
    ("'101'::bit(3)", "101"),
    ("12.5::money", "$12.50"),
    ("to_tsvector('simple', 'a b')", "'a':1 'b':2"),
]


@pytest.mark.parametrize(("expression", "expected"), CELLS, ids=[expression for expression, _ in CELLS])
async def test_a_cell_is_written_as_the_table_in_the_module_says(
    database: AskedDatabase, expression: str, expected: object
) -> None:
    value = await cell(database, expression)
    assert value == expected
    assert type(value) is type(expected)


async def test_a_composite_type_is_an_object(database: AskedDatabase) -> None:
    value = await cell(database, "d FROM public.departments AS d ORDER BY d.department_id LIMIT 1")
    assert value["name"] == "Building Safety"
    assert isinstance(value["annual_budget"], int | float)


async def test_json_that_no_reader_takes_stays_text(database: AskedDatabase) -> None:
    deep = await cell(database, "(repeat('[', 600) || repeat(']', 600))::jsonb")
    assert deep.startswith("[[[[")
    huge = await cell(database, """'{"a": 1e999}'::jsonb""")
    assert huge.startswith('{"a": 1000')


async def test_a_text_of_half_a_megabyte_is_cut_and_said_to_be(database: AskedDatabase) -> None:
    selection = await database.select("SELECT repeat('x', 500000), 1", LIMITS, within_s=5.0)
    assert len(selection.rows[0][0]) == LIMITS.text_length + 1
    assert selection.rows[0][1] == 1
    assert selection.truncated


async def test_a_row_that_is_too_large_even_so_is_left_out(database: AskedDatabase) -> None:
    wide = ", ".join(["repeat('x', 60000)"] * 10)
    selection = await database.select(f"SELECT {wide}", LIMITS, within_s=5.0)
    assert (len(selection.rows), selection.truncated) == (0, True)


async def test_rows_end_where_their_bytes_pass_the_limit(database: AskedDatabase) -> None:
    sql = "SELECT repeat('x', 10000) FROM generate_series(1, 100)"
    selection = await database.select(sql, LIMITS, within_s=5.0)
    assert (len(selection.rows), selection.truncated) == (26, True)


async def test_exactly_as_many_rows_as_fit_are_not_said_to_be_cut(database: AskedDatabase) -> None:
    whole = await database.select("SELECT generate_series(1, 200)", LIMITS, within_s=5.0)
    assert (len(whole.rows), whole.truncated) == (200, False)
    more = await database.select("SELECT generate_series(1, 201)", LIMITS, within_s=5.0)
    assert (len(more.rows), more.truncated) == (200, True)


async def test_no_rows_and_no_columns_are_answers_too(database: AskedDatabase) -> None:
    none = await database.select("SELECT 1 AS one WHERE FALSE", LIMITS, within_s=5.0)
    assert (none.columns, none.rows, none.truncated) == ([("one", "integer")], [], False)
    bare = await database.select("SELECT FROM generate_series(1, 2)", LIMITS, within_s=5.0)
    assert (bare.columns, bare.rows) == ([], [[], []])


async def test_columns_bear_the_types_as_postgres_writes_them(database: AskedDatabase) -> None:
    sql = "SELECT 1::int8 AS a, 'x'::varchar AS b, now() AS c, ARRAY[1.5::float8] AS d, 'x'::char(3) AS e"
    selection = await database.select(sql, LIMITS, within_s=5.0)
    assert selection.columns == [
        ("a", "bigint"),
        ("b", "character varying"),
        ("c", "timestamp with time zone"),
        ("d", "double precision[]"),
        ("e", "character"),
    ]


async def test_a_cell_that_cannot_be_read_is_told_and_the_next_statement_works(
    database: AskedDatabase,
) -> None:
    with pytest.raises(StatementFailed) as caught:
        await database.select("SELECT ROW(point(1, 2))", LIMITS, within_s=5.0)
    assert caught.value.sqlstate == UNREADABLE_CELL
    assert await cell(database, "1") == 1
