"""Connections for statements that nobody wrote in a file: few, of a restricted role, closed when in doubt."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeAlias

import asyncpg
from msgspec import Struct

from vmk_mcp.database.cells import register_cells
from vmk_mcp.database.failures import CONNECTION_LOST, DRIVER_ERRORS
from vmk_mcp.database.hosts import Connection, connect_first
from vmk_mcp.database.query import load_query
from vmk_mcp.errors import NotOffered, StoreUnavailable

Transaction: TypeAlias = "asyncpg.transaction.Transaction"

_CONNECT_TIMEOUT_S: Final = 5.0
_CLOSE_TIMEOUT_S: Final = 1.0
# Room for the server's own statement_timeout to fire first: then the connection stays good.
_SERVER_FIRST_S: Final = 0.2
_LEAST_TIMEOUT_S: Final = 0.05

_SETTINGS: Final = {
    "application_name": "vmk-mcp ask",
    "lock_timeout": "1000",
    "idle_in_transaction_session_timeout": "10000",
    # The server looks whether the client is still there while it computes.
    "client_connection_check_interval": "500",
    # Functions and operators are Postgres' own and no others; the guard writes relations with their schema.
    "search_path": "pg_catalog, pg_temp",
    "timezone": "UTC",
    "jit": "off",
}
"""Of each transaction, not of the connection: a pooler in transaction mode keeps nothing for the next one."""


class NotLetIn(Exception):
    """Postgres answers and lets the login in nowhere; its own error is the cause."""


class AskLogin:
    """Who asks; keeps the password out of its `repr`.

    Attributes:
        dsn: holds the password.
        role: which role the login takes on; "" where the login itself is the restricted one.
    """

    def __init__(self, dsn: str, role: str = "") -> None:
        self.dsn = dsn
        self.role = role


class _LoginRole(Struct, frozen=True):
    role: str


class _LoginFacts(Struct, frozen=True):
    login: str
    is_superuser: bool
    may_take_role: bool


class _Settings(Struct, frozen=True):
    names: list[str]
    values: list[str]


class _Setting(Struct, frozen=True):
    name: str
    value: str


_INSPECT: Final = load_query("database/inspect_login", row=_LoginFacts)
_LIMIT: Final = load_query("database/limit_asking", row=_Setting)


class AskConnections:
    """At most `size` connections, each lent in a READ ONLY transaction of its own."""

    def __init__(self, login: AskLogin, *, size: int) -> None:
        self._login = login
        self._slots = asyncio.Semaphore(size)
        self._idle: list[Connection] = []
        self._leaving: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """Close all connections that are not lent, and wait for those that are being closed."""
        idle, self._idle = self._idle, []
        for connection in idle:
            with suppress(*DRIVER_ERRORS):
                await connection.close(timeout=_CLOSE_TIMEOUT_S)
        if self._leaving:
            await asyncio.wait(self._leaving)

    @asynccontextmanager
    async def lend(self, within_s: float) -> AsyncIterator[Connection]:
        """Lend a connection for as long as the time lasts; nothing that its statements do outlives the block.

        When the block ends in anything but an error that Postgres told of, what still goes on at the server
        is stopped and the connection closed; its place stays taken until that is done.

        Raises:
            StoreUnavailable: all connections are lent, or none can be begun, for all of the time.
            NotOffered: the login may not ask.
            NotLetIn: the password, the database's name or the right to connect is at fault.
            TimeoutError: the time is over; and whatever else `DRIVER_ERRORS` names, as it comes.
        """
        deadline = asyncio.get_running_loop().time() + within_s
        await self._take_slot(within_s)
        try:
            async with asyncio.timeout_at(deadline):
                connection, transaction = await self._begin(deadline)
        except TimeoutError:
            self._slots.release()
            # No statement ran yet, so none is to blame.
            raise StoreUnavailable(
                "The database of this source does not answer.", hint="Try again in a few seconds."
            ) from None
        except BaseException:
            self._slots.release()
            raise
        try:
            async with asyncio.timeout_at(deadline):
                yield connection
                # Nothing was written: to roll back is as good as to commit.
                await transaction.rollback()
        except asyncpg.PostgresError:
            await self._roll_back(connection, transaction)
            raise
        except BaseException:
            self._leave(connection)
            raise
        else:
            self._give_back(connection)

    async def _take_slot(self, within_s: float) -> None:
        try:
            async with asyncio.timeout(within_s):
                await self._slots.acquire()
        except TimeoutError:
            raise StoreUnavailable(
                "All connections of this source are busy with other questions.",
                hint="Try again in a few seconds.",
            ) from None

    async def _begin(self, deadline: float) -> tuple[Connection, Transaction]:
        if self._idle:
            with suppress(*CONNECTION_LOST):
                return await self._begin_on(self._idle.pop(), deadline)
            # It died while idle, and so, most likely, did the others.
            self._idle.clear()
        return await self._begin_on(await self._connect(), deadline)

    async def _begin_on(self, connection: Connection, deadline: float) -> tuple[Connection, Transaction]:
        try:
            transaction = connection.transaction(readonly=True)
            await transaction.start()
            left_s = max(_LEAST_TIMEOUT_S, deadline - asyncio.get_running_loop().time() - _SERVER_FIRST_S)
            settings = {**_SETTINGS, "statement_timeout": str(round(left_s * 1000))}
            if self._login.role:
                settings["role"] = self._login.role
            bound = _LIMIT.bind(_Settings(list(settings), list(settings.values())))
            await connection.fetch(_LIMIT.sql, *bound)
        except BaseException:
            connection.terminate()
            raise
        return connection, transaction

    async def _connect(self) -> Connection:
        # No statement comes twice, and a kept one would take memory at the server.
        try:
            connection = await connect_first(self._login.dsn, statement_cache_size=0)
        except asyncpg.PostgresError as error:
            raise NotLetIn from error
        try:
            await self._look_at_login(connection)
            await register_cells(connection)
        except BaseException:
            connection.terminate()
            raise
        return connection

    async def _look_at_login(self, connection: Connection) -> None:
        bound = _INSPECT.bind(_LoginRole(self._login.role))
        facts = _LoginFacts(*(await connection.fetch(_INSPECT.sql, *bound))[0].values())
        if facts.is_superuser:
            raise NotOffered(
                f"The login {facts.login} is a superuser, which no question is ever asked as.",
                hint="Give a login that may only read: `vmk-mcp roles` prints a script that makes vmk_ask.",
            )
        if self._login.role and not facts.may_take_role:
            raise NotOffered(
                f"The login {facts.login} may not take on the role {self._login.role}, which asks.",
                hint=f"Set ASK_DATABASE_URL, or run there: GRANT {self._login.role} TO {facts.login}.",
            )

    async def _roll_back(self, connection: Connection, transaction: Transaction) -> None:
        """Give back a connection whose statement failed, if it is fit for another one."""
        try:
            async with asyncio.timeout(_CLOSE_TIMEOUT_S):
                await transaction.rollback()
        except BaseException as error:
            self._leave(connection)
            if not isinstance(error, DRIVER_ERRORS):
                raise
        else:
            self._give_back(connection)

    def _give_back(self, connection: Connection) -> None:
        self._idle.append(connection)
        self._slots.release()

    def _leave(self, connection: Connection) -> None:
        """Stop what a connection does and close it, while the caller goes on."""
        task = asyncio.create_task(self._close(connection))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _close(self, connection: Connection) -> None:
        try:
            # It waits until the server was told to cancel what it does; cut off after the timeout.
            with suppress(*DRIVER_ERRORS):
                await connection.close(timeout=_CLOSE_TIMEOUT_S)
        finally:
            connection.terminate()
            self._slots.release()
