"""One writing connection, for loading and embedding; the service itself never has one."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from operator import attrgetter
from types import TracebackType
from typing import Any, Final, Self

import asyncpg
from msgspec import Struct

from vmk_mcp.database.failures import DRIVER_ERRORS, refuse_values, translate
from vmk_mcp.database.query import Query, RowT, Statement
from vmk_mcp.database.scripts import Script
from vmk_mcp.database.search_path import extend_search_path
from vmk_mcp.database.vectors import register_vectors

_ANALYZE: Final = Script("analyze", repeatable=True)
_ANALYZE_LISTINGS: Final = Script("analyze_listings", repeatable=True)
_ANALYZE_COUNTY: Final = Script("analyze_county", repeatable=True)
_NO_ARGUMENTS: Final = Struct()
_SESSION: Final = {"application_name": "vmk-mcp", "search_path": "public"}
"""Where the readers look for the tables is where they are written."""


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
            self._connection = await asyncpg.connect(self._dsn, server_settings=_SESSION)
            await register_vectors(self._connection)
            await extend_search_path(self._connection, _SESSION["search_path"])
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
        """Make all or nothing of what is written inside; inside another one, undo no more than this."""
        with _translated():
            async with self._open.transaction():
                yield

    async def fetch_all(self, query: Query[RowT], arguments: Struct = _NO_ARGUMENTS) -> list[RowT]:
        """Run a query with the fields of `arguments` and give its rows.

        Raises:
            ValuesRefused: a value does not fit its column, or breaks a rule of the table.
        """
        try:
            records = await self._open.fetch(query.sql, *query.bind(arguments))
        except DRIVER_ERRORS as error:
            raise refuse_values(error) or translate(error) from error
        return [query.row(*record.values()) for record in records]

    async def assemble(
        self, query: Query[Statement], arguments: Struct, parameters: Sequence[str], row: type[RowT]
    ) -> Query[RowT]:
        """Let the server put a statement together, for a table whose columns only it knows.

        Args:
            query: gives the statement, in one row.
            arguments: of `query`.
            parameters: fields of the statement's own arguments, at least two, in the order of its parameters.
            row: struct of its rows.
        """
        (assembled,) = await self.fetch_all(query, arguments)
        return Query(query.name, assembled.statement, (), (), row, attrgetter(*parameters))

    async def write_all(self, query: Query[Any], rows: Iterable[Struct]) -> None:
        """Run `query` once for each struct, in one round trip after another's back."""
        with _translated():
            await self._open.executemany(query.sql, map(query.bind, rows))

    async def copy_all(self, table: str, rows: Sequence[Struct]) -> None:
        """Write many rows at once by COPY, into a table of ours; the structs' fields are its columns.

        Args:
            table: its name, as the search path finds it.
            rows: at least one, all of one struct.

        Raises:
            ValuesRefused: a value does not fit its column, or breaks a rule of the table.
        """
        columns = rows[0].__struct_fields__
        records = map(attrgetter(*columns), rows)
        try:
            await self._open.copy_records_to_table(table, columns=columns, records=records)
        except DRIVER_ERRORS as error:
            raise refuse_values(error) or translate(error) from error

    async def analyze(self) -> None:
        """Bring the planner's statistics up to date, by which searches are routed."""
        with _translated():
            await self._open.execute(_ANALYZE.text)

    async def analyze_listings(self) -> None:
        """Do so for the two tables of listings alone, in a database that holds others too."""
        with _translated():
            await self._open.execute(_ANALYZE_LISTINGS.text)

    async def analyze_county(self) -> None:
        """Do so for the county's eight tables alone."""
        with _translated():
            await self._open.execute(_ANALYZE_COUNTY.text)

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
