"""Brings the embedded server's databases to what this version needs; a current one costs one query."""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import asyncpg
from msgspec import Struct

from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.failures import DRIVER_ERRORS
from vmk_mcp.database.query import Query, Statement, load_query
from vmk_mcp.database.scripts import (
    CLUSTER,
    LEDGER,
    STATE,
    Blueprint,
    Script,
    blueprint_listings,
    find_pending,
)
from vmk_mcp.errors import StartError

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record]"

_MAINTENANCE: Final = "postgres"
_EMPTY_TEMPLATE: Final = "template0"


class NewDatabase(Struct, frozen=True):
    """A database to be made."""

    name: str
    owner: str
    template: str


class RolePassword(Struct, frozen=True):
    """Which role gets which password."""

    role: str
    password: str


class AppliedScript(Struct, frozen=True):
    """A schema script that a database has seen, with the SHA-256 of its text."""

    name: str
    checksum: str


_CREATE: Final = load_query("database/format_create_database", row=Statement)
_SET_PASSWORD: Final = load_query("database/format_role_password", row=Statement)
_LIST_APPLIED: Final = load_query("database/list_applied_scripts", row=AppliedScript)
_RECORD_APPLIED: Final = load_query("database/record_applied_script", row=AppliedScript)

# No script has touched the database.
_UNTOUCHED: Final = (asyncpg.InvalidSchemaNameError, asyncpg.UndefinedTableError)


async def prepare_databases(server: EmbeddedServer, say: Callable[[str], None]) -> None:
    """Make or migrate the databases of listings and of our state, with their roles.

    Several processes may do so at once: one works, the others wait and find it done.

    Raises:
        StartError: a database belongs to another version, or the server fails.
    """
    for blueprint in (blueprint_listings(has_dictionary=server.has_dictionary), STATE):
        await prepare_database(server, blueprint, say)


async def prepare_database(server: EmbeddedServer, blueprint: Blueprint, say: Callable[[str], None]) -> None:
    """Make or migrate one database; see `prepare_databases`."""
    try:
        if find_pending(blueprint.scripts, await _read_applied(server, blueprint.database)):
            await _bring_up(server, blueprint, say)
    except DRIVER_ERRORS as error:
        raise StartError(
            f"The database {blueprint.database} of the embedded Postgres could not be prepared.",
            hint=f"Look into {server.log}.",
        ) from error


async def _bring_up(server: EmbeddedServer, blueprint: Blueprint, say: Callable[[str], None]) -> None:
    maintenance = await _connect(server, _MAINTENANCE)
    try:
        await maintenance.execute(CLUSTER.text)
        for role in Role:
            password = RolePassword(role, server.address.password(role))
            await _run_formatted(maintenance, _SET_PASSWORD, password)
        try:
            await _create(maintenance, NewDatabase(blueprint.database, Role.OWNER, _EMPTY_TEMPLATE))
            say(f"Made the database {blueprint.database}")
        except asyncpg.DuplicateDatabaseError:
            say(f"Bringing the database {blueprint.database} up to date")
        connection = await _connect(server, blueprint.database)
        try:
            await connection.execute(LEDGER.text)
            applied = await _read_applied(server, blueprint.database)
            for script in find_pending(blueprint.scripts, applied):
                await apply_script(connection, script)
                if applied and script.when_late:
                    say(script.when_late)
        finally:
            await connection.close()
    finally:
        await maintenance.close()


async def apply_script(connection: Connection, script: Script) -> None:
    """Run a script and note it in the ledger, both or neither."""
    async with connection.transaction():
        await connection.execute(script.text)
        await note_applied(connection, script)


async def note_applied(connection: Connection, script: Script) -> None:
    """Note in the ledger that the database is as `script` leaves it."""
    record = AppliedScript(script.name, script.checksum)
    await connection.fetchval(_RECORD_APPLIED.sql, *_RECORD_APPLIED.bind(record))


async def read_ledger(connection: Connection) -> dict[str, str]:
    """Give the checksum of each script that the database has seen, by name."""
    try:
        return {row["name"]: row["checksum"] for row in await connection.fetch(_LIST_APPLIED.sql)}
    except _UNTOUCHED:
        return {}


async def _read_applied(server: EmbeddedServer, database: str) -> dict[str, str]:
    """See `read_ledger`; a database that is not there has seen none."""
    try:
        connection = await _connect(server, database)
    except asyncpg.InvalidCatalogNameError:
        return {}
    try:
        return await read_ledger(connection)
    finally:
        await connection.close()


async def _create(connection: Connection, database: NewDatabase) -> None:
    await _run_formatted(connection, _CREATE, database)


async def _run_formatted(connection: Connection, query: Query[Statement], arguments: Struct) -> None:
    statement: Any = await connection.fetchval(query.sql, *query.bind(arguments))
    await connection.execute(statement)


async def _connect(server: EmbeddedServer, database: str) -> Connection:
    connection: Connection = await asyncpg.connect(server.dsn(Role.SUPERUSER, database))
    return connection
