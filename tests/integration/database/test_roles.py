"""What each role may do, tried: nothing that it was not granted."""

import asyncpg
import pytest

from tests.integration.servers import Dsn, drop_database, run_script
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.scripts import print_roles

_WRITES = [
    "INSERT INTO property_listings (id, title) VALUES (1, 'x')",
    "UPDATE property_listings SET title = 'x'",
    "DELETE FROM property_listings",
    "TRUNCATE property_listings",
    "CREATE TABLE mine (n int)",
    "CREATE SCHEMA mine",
    "CREATE TEMP TABLE mine (n int)",
    "SELECT 1 AS n INTO TEMP mine",
    "SELECT lo_create(0)",
    "SELECT lo_from_bytea(0, 'x')",
    "SELECT pg_logical_emit_message(false, 'x', 'x')",
    "COPY property_types TO PROGRAM 'true'",
    "COPY property_types TO '/tmp/vmk-mcp-never'",
    "SELECT pg_read_file('/etc/passwd')",
    "CREATE EXTENSION hstore",
    "DO $$ BEGIN LOCK property_listings IN EXCLUSIVE MODE; END $$",
    "SET ROLE vmk_owner",
]

_CLOSED_TO_ASK = [
    "SELECT contact_phone FROM property_listings",
    "SELECT contact_name FROM property_listings",
    "SELECT raw_data_id FROM property_listings",
    "SELECT embedding FROM property_listings",
    "SELECT search_vector FROM property_listings",
    "SELECT * FROM property_listings",
    "SELECT row_to_json(l) FROM property_listings AS l",
    "SELECT * FROM vmk_mcp.applied_scripts",
]

_OPEN = "SELECT id, title FROM property_listings"
_PUBLIC_RIGHTS = """
SELECT has_database_privilege('public', current_database(), 'TEMPORARY')::text
    || has_database_privilege('public', current_database(), 'CONNECT')
    || has_schema_privilege('public', 'public', 'USAGE')
    || has_function_privilege('public', 'lo_create(oid)', 'EXECUTE')
"""


async def run(dsn: str, *statements: str) -> object:
    connection = await asyncpg.connect(dsn)
    try:
        for statement in statements[:-1]:
            await connection.execute(statement)
        return await connection.fetchval(statements[-1])
    finally:
        await connection.close()


@pytest.mark.parametrize("role", [Role.READER, Role.ASK])
async def test_a_reading_role_can_write_nothing_even_where_its_session_is_not_read_only(
    role: Role, listings_dsn: Dsn
) -> None:
    await run(listings_dsn(Role.OWNER), "INSERT INTO property_types (id, slug, name) VALUES (1, 'a', 'A')")
    for statement in _WRITES:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await run(listings_dsn(role), "SET default_transaction_read_only = off", statement)


async def test_the_reader_sees_both_tables_and_what_is_added_later(listings_dsn: Dsn) -> None:
    await run(listings_dsn(Role.OWNER), "CREATE TABLE later AS SELECT 1 AS n")
    for table in ("property_listings", "property_types", "vmk_mcp.embedding_model", "later"):
        await run(listings_dsn(Role.READER), f"TABLE {table}")


async def test_ask_sees_the_open_columns_and_no_contact(listings_dsn: Dsn) -> None:
    await run(listings_dsn(Role.ASK), "SELECT count(price) + count(address_raw) FROM property_listings")
    await run(listings_dsn(Role.ASK), "SELECT count(name) FROM property_types")
    for statement in _CLOSED_TO_ASK:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await run(listings_dsn(Role.ASK), statement)


async def test_a_role_enters_no_database_but_its_own(
    cluster: EmbeddedServer, listings_dsn: Dsn, state_dsn: Dsn
) -> None:
    closed = [
        state_dsn(Role.READER),
        state_dsn(Role.ASK),
        listings_dsn(Role.WRITER),
        *(
            cluster.dsn(role, name)
            for role in (Role.READER, Role.WRITER)
            for name in ("postgres", "template1")
        ),
    ]
    for dsn in closed:
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await run(dsn, "SELECT 1")


async def test_the_writer_makes_and_fills_tables_in_the_state_database(state_dsn: Dsn) -> None:
    made = await run(
        state_dsn(Role.WRITER),
        "CREATE TABLE generation_1 (id int PRIMARY KEY, embedding vector(3))",
        "INSERT INTO generation_1 VALUES (1, '[1,2,3]')",
        "SELECT count(*) FROM generation_1",
    )
    assert made == 1
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await run(state_dsn(Role.WRITER), "CREATE TEMP TABLE mine (n int)")


async def test_a_foreign_database_with_fewer_and_further_columns_gets_its_grants_and_nothing_else(
    cluster: EmbeddedServer,
) -> None:
    superuser = cluster.dsn(Role.SUPERUSER, "foreign_listings")
    await run_script(cluster, "postgres", "CREATE DATABASE foreign_listings")
    try:
        await run_script(
            cluster,
            "foreign_listings",
            """
            CREATE EXTENSION vector;
            CREATE TABLE property_listings (id bigint, title text, contact_phone text, owner_email text);
            CREATE TABLE payroll (name text);
            """,
        )
        before = await run(superuser, _PUBLIC_RIGHTS)
        await run_script(cluster, "foreign_listings", print_roles("listings"))
        await run_script(cluster, "foreign_listings", print_roles("listings"))
        assert await run(superuser, _PUBLIC_RIGHTS) == before
        for role, allowed in ((Role.READER, "TABLE property_listings"), (Role.ASK, _OPEN)):
            await run(cluster.dsn(role, "foreign_listings"), allowed)
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await run(cluster.dsn(role, "foreign_listings"), "TABLE payroll")
        for column in ("contact_phone", "owner_email"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await run(cluster.dsn(Role.ASK, "foreign_listings"), f"{_OPEN} ORDER BY {column}")
    finally:
        await drop_database(cluster, "foreign_listings")


async def test_reading_roles_carry_their_limits_for_poolers_that_drop_them(listings_dsn: Dsn) -> None:
    shown = {
        name: await run(listings_dsn(Role.READER), f"SHOW {name}")
        for name in (
            "default_transaction_read_only",
            "plan_cache_mode",
            "statement_timeout",
            "hnsw.ef_search",
        )
    }
    assert shown == {
        "default_transaction_read_only": "on",
        "plan_cache_mode": "force_custom_plan",
        "statement_timeout": "30s",
        "hnsw.ef_search": "200",
    }
