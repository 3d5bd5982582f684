"""One writing connection to a database of our own; the service itself never has one."""

from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from types import TracebackType
from typing import Any, Final, Self

import asyncpg
from msgspec import Struct

from vmk_mcp.database.failures import DRIVER_ERRORS, translate
from vmk_mcp.database.query import Query, RowT
from vmk_mcp.database.scripts import Script
from vmk_mcp.database.vectors import register_vectors

_ANALYZE: Final = Script("analyze", repeatable=True)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except DRIVER_ERRORS as error:
        raise translate(error) from error


class Writer:
    """A connection that writes; an async context manager. Every failure leaves as a `VmkError`."""

    def __init__(self, dsn: str) -> None:
        """Describe the connection; entering it connects."""
        self._dsn = dsn
        self._connection: asyncpg.Connection[asyncpg.Record] | None = None

    async def __aenter__(self) -> Self:
        """Connect; raises `StoreUnavailable`."""
        try:
            self._connection = await asyncpg.connect(self._dsn)
            await register_vectors(self._connection)
        except DRIVER_ERRORS as error:
            await self._close()
            raise translate(error) from error
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        await self._close()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[None]:
        """Make all or nothing of what is written inside."""
        with _translated():
            async with self._open.transaction():
                yield

    async def fetch_all(self, query: Query[RowT]) -> list[RowT]:
        """Run a query without parameters and give its rows."""
        with _translated():
            return [query.row(*record.values()) for record in await self._open.fetch(query.sql)]

    async def write_all(self, query: Query[Any], rows: Iterable[Struct]) -> None:
        """Run `query` once for each struct, in one round trip after another's back."""
        with _translated():
            await self._open.executemany(query.sql, [query.bind(row) for row in rows])

    async def analyze(self) -> None:
        """Bring the planner's statistics up to date, by which searches are routed."""
        with _translated():
            await self._open.execute(_ANALYZE.text)

    async def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            # A connection that is already broken has nothing left to say.
            with suppress(*DRIVER_ERRORS):
                await connection.close()

    @property
    def _open(self) -> "asyncpg.Connection[asyncpg.Record]":
        if self._connection is None:
            raise RuntimeError("the writer is used outside of its context")
        return self._connection
