"""A pool of connections that write our own tables: the knowledge index, the query log."""

from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, Final

import asyncpg
from msgspec import Struct

from vmk_mcp.database.failures import DRIVER_ERRORS, refuse_values, translate
from vmk_mcp.database.pool import PoolLimits
from vmk_mcp.database.query import Query, RowT, Statement
from vmk_mcp.database.vectors import register_vectors
from vmk_mcp.errors import NotOffered

_CONNECT_TIMEOUT_S: Final = 5.0
_NO_ARGUMENTS: Final = Struct()


def writing_session(limits: PoolLimits) -> dict[str, str]:
    """Give the start-up parameters of a connection that writes our own tables."""
    return {
        "application_name": "vmk-mcp",
        "statement_timeout": str(int(limits.query_timeout_s * 1000)),
        "idle_in_transaction_session_timeout": "60000",
        "search_path": "public",
        "plan_cache_mode": "force_custom_plan",
        "jit": "off",
        "hnsw.ef_search": "200",
        "hnsw.iterative_scan": "relaxed_order",
        "hnsw.max_scan_tuples": "200000",
        "hnsw.scan_mem_multiplier": "4",
    }


# All that a statement of ours names is made by `vmk-mcp init-db`, with the rights to it.
_UNPREPARED: Final = (
    asyncpg.InvalidSchemaNameError,
    asyncpg.UndefinedTableError,
    asyncpg.UndefinedColumnError,
    asyncpg.UndefinedFunctionError,
    asyncpg.InsufficientPrivilegeError,
)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except _UNPREPARED as error:
        raise NotOffered(
            "The state database is not prepared for this version, or its login lacks rights: run `vmk-mcp "
            "init-db --state DSN` with the DSN of its owner, then start vmk-mcp again.",
            hint="`vmk-mcp roles --database state` prints what its login needs.",
        ) from error
    except DRIVER_ERRORS as error:
        raise refuse_values(error) or translate(error) from error


class StateSession:
    """One connection, for as long as `StateDatabase` lends it; every failure leaves as a `VmkError`."""

    def __init__(self, connection: "asyncpg.pool.PoolConnectionProxy[asyncpg.Record]") -> None:
        self.connection = connection

    async def fetch_all(self, query: Query[RowT], arguments: Struct = _NO_ARGUMENTS) -> list[RowT]:
        """Run a statement with the fields of `arguments` and give its rows."""
        with _translated():
            records = await self.connection.fetch(query.sql, *query.bind(arguments))
        return [query.row(*record.values()) for record in records]

    async def fetch_one(self, query: Query[RowT], arguments: Struct = _NO_ARGUMENTS) -> RowT | None:
        """Run a statement that gives at most one row."""
        rows = await self.fetch_all(query, arguments)
        return rows[0] if rows else None

    async def run_assembled(self, query: Query[Statement], arguments: Struct) -> bool:
        """Run the statement that `query` has the server put together; gives False where it gives none."""
        assembled = await self.fetch_one(query, arguments)
        if assembled is not None:
            with _translated():
                await self.connection.execute(assembled.statement)
        return assembled is not None

    async def write_all(self, query: Query[Any], rows: Iterable[Struct]) -> None:
        """Run `query` once for each struct, all or none, in one round trip."""
        with _translated():
            await self.connection.executemany(query.sql, [query.bind(row) for row in rows])


class StateDatabase:
    """Our own Postgres behind a pool that writes; every failure leaves as a `VmkError`.

    Unlike `Database`, nothing is tried a second time on another connection: a write may have happened.
    """

    def __init__(self, dsn: str, *, limits: PoolLimits) -> None:
        """Describe the pool; `open` makes it, and connections come about when first needed."""
        self._dsn = dsn
        self._limits = limits
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None

    async def open(self) -> None:
        """Make the pool."""
        self._pool = await asyncpg.create_pool(
            self._dsn,
            min_size=0,
            max_size=self._limits.size,
            max_cacheable_statement_size=0,
            init=register_vectors,
            server_settings=writing_session(self._limits),
            timeout=_CONNECT_TIMEOUT_S,
        )

    async def close(self) -> None:
        """Close the connections, waiting for what is under way."""
        if self._pool is not None:
            await self._pool.close()
            self._pool = None

    @asynccontextmanager
    async def session(self) -> AsyncIterator[StateSession]:
        """Lend a connection; each statement is a transaction of its own.

        Raises:
            StoreUnavailable: the database cannot be reached.
        """
        if self._pool is None:
            raise RuntimeError("the state database is used before open() or after close()")
        with _translated():
            async with self._pool.acquire() as connection:
                yield StateSession(connection)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[StateSession]:
        """Lend a connection in a transaction: all that is written in the block is kept, or nothing is."""
        async with self.session() as session, session.connection.transaction():
            yield session

    async def fetch_all(self, query: Query[RowT], arguments: Struct = _NO_ARGUMENTS) -> list[RowT]:
        """See `StateSession.fetch_all`."""
        async with self.session() as session:
            return await session.fetch_all(query, arguments)

    async def fetch_one(self, query: Query[RowT], arguments: Struct = _NO_ARGUMENTS) -> RowT | None:
        """See `StateSession.fetch_one`."""
        async with self.session() as session:
            return await session.fetch_one(query, arguments)

    async def write_all(self, query: Query[Any], rows: Iterable[Struct]) -> None:
        """See `StateSession.write_all`."""
        async with self.session() as session:
            await session.write_all(query, rows)
