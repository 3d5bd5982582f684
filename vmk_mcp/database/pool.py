"""A fixed pool of read-only connections that runs fixed queries and turns rows into structs."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import UNSET, Struct

from vmk_mcp.database.connections import Connections
from vmk_mcp.database.failures import CONNECTION_LOST, DRIVER_ERRORS, sqlstate, translate
from vmk_mcp.database.hosts import Connection
from vmk_mcp.database.query import HeadT, PageQuery, Query, RowT
from vmk_mcp.database.sessions import (
    DirectSession,
    PooledSession,
    Records,
    Session,
    find_other_settings,
)
from vmk_mcp.errors import StoreUnavailable, VmkError
from vmk_mcp.observe import Observer, QueryFailed, StoreChanged, Warned, current_stages

# Room for the server's own statement_timeout to fire first, so that the caller gets its clean cancel.
_CLIENT_GRACE_S: Final = 2.0

_NO_ARGUMENTS: Final = Struct()


class PoolLimits(Struct, frozen=True):
    """Sizes and times of one pool.

    Attributes:
        size: most connections; all that were opened are kept.
        query_timeout_s: seconds a statement may run; the server itself enforces it.
        opened_at_start: how many are opened and warmed without a call that needs them; None: all.
    """

    size: int = 5
    query_timeout_s: float = 30.0
    opened_at_start: int | None = None


def plain_reading_session(limits: PoolLimits) -> dict[str, str]:
    """Give the start-up parameters of a connection that only reads, and no vectors.

    `force_custom_plan`: a generic plan of a query with optional filters took 305 ms where a custom one took
    2.2 ms, and with HNSW it silently loses rows.
    """
    return {
        "application_name": "vmk-mcp",
        "default_transaction_read_only": "on",
        "statement_timeout": str(int(limits.query_timeout_s * 1000)),
        "idle_in_transaction_session_timeout": "10000",
        "search_path": "public",
        "plan_cache_mode": "force_custom_plan",
        "jit": "off",
    }


def reading_session(limits: PoolLimits) -> dict[str, str]:
    """Give the start-up parameters of a connection that only reads, vectors among it.

    The `hnsw.*` ones make filtered vector search complete: see `listings/sql/find_similar_approximate.sql`.
    """
    return plain_reading_session(limits) | {
        "hnsw.ef_search": "200",
        "hnsw.iterative_scan": "relaxed_order",
        "hnsw.max_scan_tuples": "200000",
        "hnsw.scan_mem_multiplier": "4",
    }


class Database:
    """One Postgres, read over a few connections; every failure leaves as a `VmkError`.

    Nothing that a call does outlives it, so connections go back without a reset round trip.
    """

    def __init__(  # noqa: PLR0913 (the composition root names each)
        self,
        name: str,
        dsn: str,
        *,
        limits: PoolLimits,
        session: Mapping[str, str],
        warm_up: Sequence[Query[Any]],
        observer: Observer,
        pooled: bool = False,
    ) -> None:
        """Describe the pool; nothing connects yet.

        Args:
            name: as logs, metrics and readiness call it.
            dsn: where to connect.
            limits: sizes and times.
            session: settings of each connection; they are read back, and a difference is told.
            warm_up: run on each new connection; for what is slow on first use, such as a dictionary.
            observer: told of failures and of a store that comes or goes.
            pooled: a pooler in transaction mode stands before the database.
        """
        self._name = name
        self._settings = dict(session)
        self._observer = observer
        self._warm_up = warm_up
        self._opened_at_start = limits.opened_at_start or limits.size
        kind = PooledSession if pooled else DirectSession
        timeout_s = limits.query_timeout_s + _CLIENT_GRACE_S
        self._session: Session = kind(dsn, session, timeout_s=timeout_s)
        self._connections = Connections(self._connect, size=limits.size, wait_s=timeout_s)
        self._is_open = False
        self._reachable: bool | None = None

    async def open(self) -> None:
        """Let calls in; connections are opened when first needed, or by `warm`."""
        self._is_open = True

    async def warm(self, count: int | None = None) -> None:
        """Open `count` connections, all at once, and warm them; None: as many as are opened at start.

        Raises:
            VmkError: the database cannot be reached; later calls try again by themselves.
        """
        wanted = self._opened_at_start if count is None else count
        taking = [asyncio.ensure_future(self._connections.take()) for _ in range(wanted)]
        try:
            await asyncio.gather(*taking)
        except DRIVER_ERRORS as error:
            raise self._failed("connect", error) from error
        finally:
            # When one fails, or the caller gives up, the others are still on their way.
            for outcome in await asyncio.gather(*taking, return_exceptions=True):
                if not isinstance(outcome, BaseException):
                    self._connections.give_back(outcome)
        self._note_reachable()

    async def warm_rest(self) -> None:
        """Open and warm what is still missing of the connections that are opened at start, one by one.

        Raises: as `warm` does.
        """
        try:
            await self._connections.open_more(self._opened_at_start)
        except DRIVER_ERRORS as error:
            raise self._failed("connect", error) from error

    async def close(self) -> None:
        """Close the connections, waiting for calls in flight."""
        await self._connections.close()

    @property
    def idle_connections(self) -> int:
        """How many open connections wait for work."""
        return self._connections.idle_count

    @property
    def open_connections(self) -> int:
        """How many connections are open."""
        return self._connections.open_count

    async def fetch_all(self, query: Query[RowT], arguments: Struct = _NO_ARGUMENTS) -> list[RowT]:
        """Run `query` with the fields of `arguments` and give its rows.

        Raises:
            StoreUnavailable: the database cannot be reached.
            TooSlow: the statement ran past its limit.
            NotOffered: the database lacks what the query names.
        """
        row = query.row
        return [row(*record.values()) for record in await self._run(query, arguments)]

    async def fetch_one(self, query: Query[RowT], arguments: Struct = _NO_ARGUMENTS) -> RowT | None:
        """Run a query that gives at most one row; see `fetch_all`."""
        rows = await self.fetch_all(query, arguments)
        return rows[0] if rows else None

    async def fetch_page(
        self, query: PageQuery[HeadT, RowT], arguments: Struct, *, first: int | None = None
    ) -> tuple[HeadT, list[RowT]]:
        """Run a query that gives one page, and give its head and its rows; see `fetch_all`.

        With `first`, rows are made of that many columns alone, and nulls are left unset.
        """
        records = await self._run(query, arguments)
        width = len(query.head.__struct_fields__)
        found = [record for record in records if record[width] is not None]
        row = query.row
        if first is None:
            rows = [row(*record[width:]) for record in found]
        else:
            end = width + first
            rows = [row(*[UNSET if v is None else v for v in record[width:end]]) for record in found]
        return query.head(*records[0][:width]), rows

    async def _run(self, query: Query[Any] | PageQuery[Any, Any], arguments: Struct) -> Records:
        values = query.bind(arguments)
        started = time.perf_counter()
        try:
            records = await self._fetch(query.sql, values)
        except DRIVER_ERRORS as error:
            raise self._failed(query.name, error) from error
        except StoreUnavailable as busy:
            self._observer.observe(QueryFailed(query.name, busy.code, ""))
            raise
        if not self._reachable:
            self._note_reachable()
        if (stages := current_stages.get()) is not None:
            stages.add("database", time.perf_counter() - started)
            stages.rows += len(records)
        return records

    async def _fetch(self, sql: str, values: Sequence[Any]) -> Records:
        if not self._is_open:
            raise RuntimeError("the database is used before open()")
        try:
            return await self._fetch_on(await self._connections.take(), sql, values)
        except CONNECTION_LOST as error:
            if isinstance(error, ValueError):
                raise  # an argument that asyncpg cannot encode: no other connection takes it either
            # A connection that died while idle is found out only now; reads may safely run twice.
            return await self._fetch_on(await self._connections.take_new(), sql, values)

    async def _fetch_on(self, connection: Connection, sql: str, values: Sequence[Any]) -> Records:
        try:
            return await self._session.fetch(connection, sql, values)
        except TimeoutError:
            # The server did not even end the statement itself: there is nobody at the other end.
            connection.terminate()
            raise
        finally:
            self._connections.give_back(connection)

    async def _connect(self) -> Connection:
        connection = await self._session.connect()
        try:
            for name, held in (await find_other_settings(self._session, connection, self._settings)).items():
                self._warn_of_setting(name, self._settings[name], held)
            for query in self._warm_up:
                await self._session.fetch(connection, query.sql, ())
        except BaseException:
            connection.terminate()
            raise
        return connection

    def _warn_of_setting(self, name: str, wanted: str, held: str | None) -> None:
        self._observer.observe(
            Warned(self._name, f"session setting {name} is {held or 'unknown'} here, {wanted} was asked for")
        )

    def _failed(self, query: str, error: BaseException) -> VmkError:
        translated = translate(error)
        self._observer.observe(QueryFailed(query, translated.code, sqlstate(error)))
        is_gone = translated.code == "store_unavailable" and isinstance(error, (*CONNECTION_LOST, OSError))
        if is_gone and self._reachable is not False:
            self._reachable = False
            self._observer.observe(StoreChanged(self._name, reachable=False))
        return translated

    def _note_reachable(self) -> None:
        if self._reachable is not True:
            self._reachable = True
            self._observer.observe(StoreChanged(self._name, reachable=True))
