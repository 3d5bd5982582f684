"""Folders and starts of embedded servers for tests that need one of their own."""

import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import msgspec

from vmk_mcp.database.binaries import find_postgis_binaries, find_wheel_binaries
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import POSTGIS_NAME, EmbeddedServer, start_embedded
from vmk_mcp.database.scripts import Blueprint

MakeDatabase = Callable[[Blueprint], Awaitable[str]]
"""Makes a fresh copy of a prepared database for one test, and gives its name."""

Dsn = Callable[[Role], str]
"""Gives the DSN by which a role connects to this test's database."""


def quiet(line: str) -> None:
    """Take a line for people that no test reads."""


@contextmanager
def open_folder() -> Iterator[Path]:
    """Give a new folder that the server's account can enter; pytest's own are closed to it."""
    folder = Path(tempfile.mkdtemp(prefix="vmk-mcp-test-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


@contextmanager
def started(folder: Path, say: Callable[[str], None] = quiet) -> Iterator[EmbeddedServer]:
    """Start the server in `folder` and let go of it at the end."""
    server = start_embedded(folder, find_wheel_binaries(), say)
    try:
        yield server
    finally:
        server.close()


@contextmanager
def started_postgis(folder: Path) -> Iterator[EmbeddedServer]:
    """Start the PostGIS cluster in `folder`, or raise `StartError`; let go of it at the end."""
    server = start_embedded(folder, find_postgis_binaries(), quiet, name=POSTGIS_NAME)
    try:
        yield server
    finally:
        server.close()


def named(source: Blueprint, database: str) -> Blueprint:
    """Give the same blueprint for a database of another name."""
    return msgspec.structs.replace(source, database=database)


async def copy_database(server: EmbeddedServer, source: Blueprint, name: str) -> None:
    """Make the database `name` as a copy of `source`, into which nobody may be connected."""
    await run_script(server, "postgres", f"CREATE DATABASE {name} OWNER vmk_owner TEMPLATE {source.database}")
    # A copy takes over all but the rights on the database itself.
    rights = "\n".join(script.text for script in source.scripts if script.repeatable)
    await run_script(server, name, rights)


async def drop_database(server: EmbeddedServer, name: str) -> None:
    """Drop the database `name`, with the sessions that are left in it."""
    await run_script(server, "postgres", f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


async def run_script(server: EmbeddedServer, database: str, script: str) -> None:
    """Run `script` in `database` as the superuser."""
    connection = await asyncpg.connect(server.dsn(Role.SUPERUSER, database))
    try:
        await connection.execute(script)
    finally:
        await connection.close()
