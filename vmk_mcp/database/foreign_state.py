"""Brings a state database that the operator names to what this version needs."""

from collections.abc import Callable
from typing import Final

import asyncpg

from vmk_mcp.database.failures import DRIVER_ERRORS, explain_connection
from vmk_mcp.database.prepare import Connection, apply_script, note_applied, read_ledger
from vmk_mcp.database.scripts import LEDGER, STATE, Script, find_pending
from vmk_mcp.errors import StartError

# What is private to a server of ours is left as its owner has it.
_SCRIPTS: Final = STATE.without("private").scripts
_EXTENSION: Final = "state_001_extensions"
_ROLES: Final = Script("roles_state", repeatable=True)

_CONNECT_TIMEOUT_S: Final = 10.0
_SESSION: Final = {"application_name": "vmk-mcp", "search_path": "public", "client_min_messages": "error"}

# The role is not there, or the login may not take it on or make what is missing.
_NO_RIGHT: Final = (
    asyncpg.InsufficientPrivilegeError,
    asyncpg.UndefinedObjectError,
    asyncpg.InvalidParameterValueError,
)
_NO_PGVECTOR: Final = (asyncpg.UndefinedFileError, asyncpg.FeatureNotSupportedError)


async def prepare_state(dsn: str, say: Callable[[str], None]) -> None:
    """Make or migrate our tables in a database of the operator's; may be run again at any time.

    Args:
        dsn: of a superuser, or of `vmk_owner` as `vmk-mcp roles --database state` makes it.
        say: is told what was done.

    Raises:
        StartError: the database cannot be reached or belongs to another version, or the login lacks a right.
    """
    try:
        connection = await asyncpg.connect(dsn, timeout=_CONNECT_TIMEOUT_S, server_settings=_SESSION)
    except DRIVER_ERRORS as error:
        sentence, advice = explain_connection(error)
        raise StartError(f"The state database cannot be prepared: {sentence}.", hint=advice) from error
    try:
        await _bring_up(connection, say)
    except _NO_RIGHT as error:
        raise StartError(
            "The login for the state database may not make our roles or tables there.",
            hint="As a superuser run there what `vmk-mcp roles --database state` prints, then run `vmk-mcp "
            "init-db --state DSN` with the DSN of vmk_owner, or of the superuser.",
        ) from error
    except DRIVER_ERRORS as error:
        raise StartError(
            "The state database could not be prepared.", hint="The log of that Postgres says why."
        ) from error
    finally:
        await connection.close()


async def _bring_up(connection: Connection, say: Callable[[str], None]) -> None:
    applied = await read_ledger(connection)
    pending = find_pending(_SCRIPTS, applied)
    if not pending:
        say("The state database is up to date.")
        return
    await connection.execute(_ROLES.text)
    await connection.execute(LEDGER.text)
    for script in pending:
        if script.name == _EXTENSION:
            await _make_extension(connection, script)
        else:
            await apply_script(connection, script)
    say("Brought the state database up to date." if applied else "Made our tables in the state database.")
    say("The service writes there as vmk_writer: STATE_DATABASE_URL is the DSN of that login.")


async def _make_extension(connection: Connection, script: Script) -> None:
    """Make what the vectors are stored by, or take what is there; both are noted as made."""
    try:
        await apply_script(connection, script)
    except asyncpg.DuplicateObjectError:
        await note_applied(connection, script)
    except asyncpg.InsufficientPrivilegeError as error:
        raise StartError(
            "The state database lacks the extension vector, which this login may not make.",
            hint="As a superuser run there `CREATE EXTENSION vector;`, then `vmk-mcp init-db` again.",
        ) from error
    except _NO_PGVECTOR as error:
        raise StartError(
            "The Postgres of the state database does not have pgvector.",
            hint="Install the package pgvector for that Postgres, then run `vmk-mcp init-db` again.",
        ) from error
