"""The guard beside the real server: its lists exist there, and what it wrote gives what was asked."""

import json
from collections.abc import AsyncIterator
from typing import Final

import asyncpg
import pytest

from tests.integration.servers import Dsn
from tests.unit.ask.guard.open_city import CITY, LIMITS, ask_guard, read_cases
from vmk_mcp.ask.guard import CheckedSelect, PlanVerdict, check_plan
from vmk_mcp.ask.guard.lists import read_calls, read_file, read_list
from vmk_mcp.database.credentials import Role

LISTED: Final = {
    name: most for group in read_calls("functions").values() for name, (_, most) in group.items()
}
# What a function of the list may be told besides values: the name of a text search configuration.
CATALOG_TYPES: Final = {
    "regclass",
    "regproc",
    "regprocedure",
    "regrole",
    "regnamespace",
    "regtype",
    "regoper",
    "regoperator",
    "regcollation",
    "regdictionary",
    "refcursor",
    "internal",
    "cstring",
    "xml",
}
OPEN_SERVER: Final = (
    "query_to_xml",
    "table_to_xml",
    "ts_stat",
    "ts_rewrite",
    "dblink",
    "pg_read_file",
    "pg_ls_dir",
    "lo_get",
    "lo_import",
    "pg_sleep",
    "pg_advisory_lock",
    "set_config",
    "current_setting",
    "nextval",
    "setval",
    "pg_terminate_backend",
    "pg_notify",
    "xpath",
    "random",
    "array_fill",
    "factorial",
    "to_regclass",
    "version",
    "pg_stat_get_activity",
)


@pytest.fixture
async def asker(municipal: Dsn) -> AsyncIterator[asyncpg.Connection]:
    """A session of the role that asks, as closed as the service's."""
    settings = {"default_transaction_read_only": "on", "statement_timeout": "5s"}
    connection = await asyncpg.connect(municipal(Role.ASK), server_settings=settings)
    yield connection
    await connection.close()


async def test_each_function_of_the_list_is_there_and_does_not_change_what_it_says(
    asker: asyncpg.Connection,
) -> None:
    rows = await asker.fetch(
        "SELECT proname, provolatile::text, proargtypes::regtype[]::text[] AS args FROM pg_proc "
        "WHERE pronamespace = 'pg_catalog'::regnamespace AND proname = ANY ($1)",
        list(LISTED),
    )
    assert set(LISTED) - {row["proname"] for row in rows} == set()
    assert [row["proname"] for row in rows if row["provolatile"] == "v"] == []
    assert [row["proname"] for row in rows if CATALOG_TYPES & set(row["args"])] == []


@pytest.mark.parametrize("name", OPEN_SERVER)
def test_a_function_that_does_more_than_reckon_is_not_on_the_list(name: str) -> None:
    assert name not in LISTED


async def test_the_types_operators_and_collations_of_the_lists_are_there(asker: asyncpg.Connection) -> None:
    types = [name for names in read_file("types").values() for name in names]
    known = await asker.fetch(
        "SELECT typname AS n FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace "
        "UNION ALL SELECT oprname FROM pg_operator UNION ALL SELECT collname FROM pg_collation"
    )
    names = {row["n"] for row in known}
    worded = {name for name in read_list("operators") if "BETWEEN" in name} | {"!="}
    assert set(types) - names == set()
    assert read_list("operators") - worded - names == set()
    # A server may be built without ICU: it then refuses its collations itself.
    assert {name for name in read_list("collations") if not name.endswith("-icu")} - names == set()


async def test_what_the_guard_wrote_gives_the_rows_and_names_of_what_was_asked(
    asker: asyncpg.Connection,
) -> None:
    for case in read_cases("legitimate"):
        checked = ask_guard(case.sql)
        assert isinstance(checked, CheckedSelect), case
        asked = await asker.fetch(case.sql)
        async with asker.transaction(readonly=True):
            await asker.execute("SET LOCAL search_path = pg_catalog")
            given = await asker.fetch(checked.sql)
            plan = json.loads(await asker.fetchval(f"EXPLAIN (FORMAT JSON) {checked.sql}"))
        assert [list(row.keys()) for row in given[:1]] == [list(row.keys()) for row in asked[:1]], case.sql
        assert sorted(map(repr, map(tuple, given))) == sorted(map(repr, map(tuple, asked))), case.sql
        assert isinstance(check_plan(plan, checked, LIMITS), PlanVerdict), case.sql


async def test_the_schema_that_unit_tests_show_the_guard_is_that_of_the_sample(
    asker: asyncpg.Connection,
) -> None:
    rows = await asker.fetch(
        "SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) AS kind FROM pg_attribute a "
        "JOIN pg_class c ON c.oid = a.attrelid "
        "WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0"
    )
    shown = {(table.name, column.name, column.type) for table in CITY.tables for column in table.columns}
    assert shown - {tuple(row) for row in rows} == set()
