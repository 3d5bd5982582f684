"""A mutated corpus: whatever the guard lets through, the server reads as the guard did.

`GUARD_FUZZ_SECONDS` makes it run longer than its few seconds, `GUARD_FUZZ_SEED` on other statements.
"""

import os
import re
import time
from collections.abc import AsyncIterator
from typing import Final

import asyncpg
import pytest

from tests.integration.ask.guard_mutations import Mutator
from tests.integration.servers import Dsn
from tests.unit.ask.guard.open_city import CITY, ask_guard
from vmk_mcp.ask.guard import CheckedSelect
from vmk_mcp.ask.guard.lists import read_calls
from vmk_mcp.database.credentials import Role

STATEMENTS: Final = 4_000
SECONDS: Final = float(os.environ.get("GUARD_FUZZ_SECONDS", "0"))
SEED: Final = int(os.environ.get("GUARD_FUZZ_SEED", "20261130"))
LISTED: Final = {name for group in read_calls("functions").values() for name in group} | {"similar_to_escape"}
# What the server itself calls for casts, operators' helpers and the words of its grammar.
OWN: Final = re.compile(
    r"(?:text|numeric|int[248]|float[48]|date|timestamptz?|interval|bpchar|varchar|bool|jsonb?|char|time|timetz|"
    r"json_scalar|like_escape|array_subscript_handler|jsonb_subscript_handler|btrim|money)"
)


@pytest.fixture
async def owner(municipal: Dsn) -> AsyncIterator[asyncpg.Connection]:
    """A session that may make temporary views, which the server resolves in full."""
    connection = await asyncpg.connect(municipal(Role.SUPERUSER))
    yield connection
    await connection.close()


async def seen_by_server(owner: asyncpg.Connection, sql: str) -> tuple[set[str], set[str]] | None:
    """Give the relations and functions that the server finds in a statement; None where it refuses it."""
    transaction = owner.transaction()
    await transaction.start()
    try:
        await owner.execute("SET LOCAL search_path = pg_catalog")
        await owner.execute(f"CREATE TEMP VIEW asked AS SELECT * FROM ({sql.rstrip(';')}) AS asked")
        tree = await owner.fetchval(
            "SELECT ev_action::text FROM pg_rewrite WHERE ev_class = 'asked'::regclass"
        )
        relations = {int(oid) for oid in re.findall(r":relid (\d+)", tree)}
        functions = {int(oid) for oid in re.findall(r":(?:funcid|aggfnoid|winfnoid) (\d+)", tree)}
        named = await owner.fetch("SELECT relname FROM pg_class WHERE oid = ANY ($1::oid[])", list(relations))
        called = await owner.fetch(
            "SELECT pronamespace::regnamespace::text AS s, proname FROM pg_proc WHERE oid = ANY ($1::oid[])",
            list(functions),
        )
        return {row["relname"] for row in named}, {
            row["proname"] if row["s"] == "pg_catalog" else f"{row['s']}.{row['proname']}" for row in called
        }
    except asyncpg.PostgresError:
        return None
    finally:
        await transaction.rollback()


async def test_what_is_let_through_is_read_by_the_server_as_by_the_guard(owner: asyncpg.Connection) -> None:
    mutator, end = Mutator(SEED), time.monotonic() + SECONDS
    tables = {table.name for table in CITY.tables}
    tried = compared = 0
    while tried < STATEMENTS or time.monotonic() < end:
        tried += 1
        sql = mutator.make()
        checked = ask_guard(sql)
        seen = await seen_by_server(owner, checked.sql) if isinstance(checked, CheckedSelect) else None
        if not isinstance(checked, CheckedSelect) or seen is None:
            continue
        compared += 1
        relations, functions = seen
        assert relations <= tables & set(checked.relations), sql
        assert {name for name in functions - LISTED if not OWN.fullmatch(name)} == set(), sql
    assert compared > tried / 100, f"only {compared} of {tried} were honest enough to compare"
