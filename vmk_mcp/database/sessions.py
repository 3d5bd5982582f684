"""How the settings of a reading connection come into force: once at its start, or anew for each statement."""

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias

import asyncpg
from msgspec import Struct

from vmk_mcp.database.failures import DRIVER_ERRORS
from vmk_mcp.database.hosts import Connection, connect_first
from vmk_mcp.database.query import Statement, load_query
from vmk_mcp.database.scripts import Script
from vmk_mcp.database.search_path import extend_search_path, find_search_path
from vmk_mcp.database.vectors import register_vectors

Records: TypeAlias = "list[asyncpg.Record]"

# A connection whose transaction does not end within this time is not worth waiting for.
_END_TIMEOUT_S: Final = 2.0


class SettingNames(Struct, frozen=True):
    """Which session settings to read back."""

    names: list[str]


class SettingValue(Struct, frozen=True):
    """A session setting as the server holds it; null when the server does not know it."""

    name: str
    value: str | None


class _Settings(Struct, frozen=True):
    names: list[str]
    values: list[str]


_READ_SETTINGS: Final = load_query("database/read_settings", row=SettingValue)
_FORMAT_SETTINGS: Final = load_query("database/format_settings", row=Statement)
_BEGIN_READING: Final = Script("begin_reading", repeatable=True)
_END_READING: Final = Script("end_reading", repeatable=True)


class Session(Protocol):
    """Connects, and runs statements with all settings in force."""

    async def connect(self) -> Connection:
        """Open a connection that `fetch` can use; raises one of `DRIVER_ERRORS`."""

    def fetch(self, connection: Connection, sql: str, values: Sequence[Any]) -> Awaitable[Records]:
        """Run one statement; nothing that it sets is seen by the next one's caller."""


class DirectSession:
    """Settings are start-up parameters, which the server holds for as long as the connection lasts."""

    def __init__(self, dsn: str, settings: Mapping[str, str], *, timeout_s: float) -> None:
        """Describe the connections.

        Args:
            dsn: holds the password.
            settings: by name, as Postgres writes them.
            timeout_s: after this the client itself gives up a statement.
        """
        self._dsn = dsn
        self._settings = dict(settings)
        self._timeout_s = timeout_s

    async def connect(self) -> Connection:
        """See `Session.connect`."""
        connection = await connect_first(
            self._dsn,
            server_settings=self._settings,
            command_timeout=self._timeout_s,
            # A hybrid search's text passes asyncpg's usual limit, and would be prepared anew for each call.
            max_cacheable_statement_size=0,
        )
        try:
            await register_vectors(connection)
            await extend_search_path(connection, self._settings["search_path"])
        except BaseException:
            connection.terminate()
            raise
        return connection

    def fetch(self, connection: Connection, sql: str, values: Sequence[Any]) -> Awaitable[Records]:
        """See `Session.fetch`."""
        return connection.fetch(sql, *values)


class PooledSession:
    """Each statement is a READ ONLY transaction that sets its own limits first.

    A pooler in transaction mode refuses or silently drops start-up parameters, and lends another server
    connection to each transaction, so nothing is kept at the server: no setting, no prepared statement.
    """

    def __init__(self, dsn: str, settings: Mapping[str, str], *, timeout_s: float) -> None:
        """Describe the connections; see `DirectSession`."""
        self._dsn = dsn
        self._settings = dict(settings)
        self._timeout_s = timeout_s
        self._beginning = _BEGIN_READING.text

    async def connect(self) -> Connection:
        """See `Session.connect`."""
        connection = await connect_first(self._dsn, command_timeout=self._timeout_s, statement_cache_size=0)
        try:
            async with connection.transaction(readonly=True):
                # Loads the library of vectors, whose settings the server knows only then.
                await register_vectors(connection)
                path = await find_search_path(connection, self._settings["search_path"])
                settings = self._settings | {"search_path": path}
                bound = _FORMAT_SETTINGS.bind(_Settings(list(settings), list(settings.values())))
                formatted = await connection.fetchval(_FORMAT_SETTINGS.sql, *bound)
            self._beginning = f"{_BEGIN_READING.text}\n{formatted}"
        except BaseException:
            connection.terminate()
            raise
        return connection

    async def fetch(self, connection: Connection, sql: str, values: Sequence[Any]) -> Records:
        """See `Session.fetch`; four round trips."""
        try:
            await connection.execute(self._beginning)
            return await connection.fetch(sql, *values)
        finally:
            await _end_reading(connection)


async def find_other_settings(
    session: Session, connection: Connection, wanted: Mapping[str, str]
) -> dict[str, str | None]:
    """Read settings back, and give those that the server holds otherwise: its value, or None if unknown."""
    bound = _READ_SETTINGS.bind(SettingNames(list(wanted)))
    held: list[tuple[str, str | None]] = [
        (name, value) for name, value in await session.fetch(connection, _READ_SETTINGS.sql, bound)
    ]
    return {name: value for name, value in held if value is None or not _same_setting(wanted[name], value)}


async def _end_reading(connection: Connection) -> None:
    """End the transaction; a connection that cannot is given up, and what the statement gave stands."""
    try:
        await connection.execute(_END_READING.text, timeout=_END_TIMEOUT_S)
    except DRIVER_ERRORS:
        connection.terminate()
    except BaseException:
        connection.terminate()
        raise


def _same_setting(wanted: str, held: str) -> bool:
    """Say whether the server's way of writing a value (`30s`) means what was sent (`30000`).

    Behind a search path stand the schemas of extensions, which `connect` has added.
    """
    if held == wanted or held.startswith(f"{wanted}, "):
        return True
    units = {"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000}
    for unit, factor in units.items():
        number = held.removesuffix(unit)
        if number != held and number.isdigit():
            return wanted == str(int(number) * factor)
    return False
