"""A Postgres that may be asked: fixed queries about it, and statements that the guard has checked."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import asyncpg
import orjson
from msgspec import Struct

from vmk_mcp.database.ask_connections import AskConnections, AskLogin, NotLetIn
from vmk_mcp.database.failures import CONNECTION_LOST, DRIVER_ERRORS, sqlstate, translate
from vmk_mcp.database.hosts import Connection
from vmk_mcp.database.query import Query, RowT, Statement, load_query
from vmk_mcp.database.selecting import Selection, SelectionLimits, select_rows
from vmk_mcp.errors import StoreUnavailable, VmkError
from vmk_mcp.observe import Observer, QueryFailed, StoreChanged, current_stages

QUERY_CANCELED: Final = "57014"
"""SQLSTATE of a statement that ran past its limit."""
UNREADABLE_CELL: Final = "0A000"
"""SQLSTATE `feature_not_supported`; here of a cell that the driver cannot read."""

_NO_ARGUMENTS: Final = Struct()


class StatementFailed(Exception):
    """Postgres did not run a statement through, and nobody but the statement is at fault."""

    def __init__(self, state: str) -> None:
        super().__init__(state)
        self.sqlstate = state


class AskingRights(Struct, frozen=True):
    """Who asks, and what that role could do but read; see `inspect_asking.sql`."""

    login: str
    role: str
    is_read_only: bool
    powers: list[str]
    writable: list[str]


class _Checked(Struct, frozen=True):
    checked: str


_INSPECT: Final = load_query("database/inspect_asking", row=AskingRights)
_FORMAT_EXPLAIN: Final = load_query("database/format_explain", row=Statement)


class AskedDatabase:
    """Each call is one READ ONLY transaction of the restricted role, and ends within its time.

    Every method raises `StatementFailed`, `StoreUnavailable`, or `NotOffered` where the login may not ask.
    """

    def __init__(self, name: str, login: AskLogin, *, size: int, observer: Observer) -> None:
        """Describe the connections, at most `size`; they are made when first needed.

        Args:
            name: as logs and readiness call it.
            login: who asks.
            size: how many statements run at once.
            observer: told when the database comes or goes.
        """
        self._name = name
        self._connections = AskConnections(login, size=size)
        self._observer = observer
        self._reachable: bool | None = None

    async def close(self) -> None:
        """Close all connections."""
        await self._connections.close()

    async def inspect_rights(self, *, within_s: float) -> AskingRights:
        """Look at the role that asks, in a transaction as questions have it."""
        (rights,) = await self.fetch_all(_INSPECT, within_s=within_s)
        return rights

    async def fetch_all(
        self, query: Query[RowT], arguments: Struct = _NO_ARGUMENTS, *, within_s: float
    ) -> list[RowT]:
        """Run a fixed query as the role that asks, and give its rows."""
        async with self._lend(within_s) as connection:
            records = await connection.fetch(query.sql, *query.bind(arguments))
        return [query.row(*record.values()) for record in records]

    async def fetch_assembled(
        self, query: Query[Statement], arguments: Struct, row: type[RowT], *, within_s: float
    ) -> list[RowT]:
        """Run the statement that `query` has the server put together, and give its rows."""
        async with self._lend(within_s) as connection:
            statement = await connection.fetchval(query.sql, *query.bind(arguments))
            records = await connection.fetch(statement)
        return [row(*record.values()) for record in records]

    async def explain(self, checked: str, *, within_s: float) -> object:
        """Give the decoded JSON of the plan of a statement that the guard has checked."""
        async with self._lend(within_s) as connection:
            bound = _FORMAT_EXPLAIN.bind(_Checked(checked))
            plan = await connection.fetchval(await connection.fetchval(_FORMAT_EXPLAIN.sql, *bound))
        return orjson.loads(plan) if isinstance(plan, str) else plan

    async def select(self, checked: str, limits: SelectionLimits, *, within_s: float) -> Selection:
        """Give the first rows of a statement that the guard has checked."""
        async with self._lend(within_s) as connection:
            selection = await select_rows(connection, checked, limits)
        if (stages := current_stages.get()) is not None:
            stages.rows += len(selection.rows)
        return selection

    @asynccontextmanager
    async def _lend(self, within_s: float) -> AsyncIterator[Connection]:
        started = time.perf_counter()
        try:
            async with self._connections.lend(within_s) as connection:
                self._note_reachable(reachable=True)
                yield connection
        except TimeoutError as error:
            raise StatementFailed(QUERY_CANCELED) from error
        except (asyncpg.UnsupportedClientFeatureError, UnicodeDecodeError, OverflowError) as error:
            raise StatementFailed(UNREADABLE_CELL) from error
        except DRIVER_ERRORS as error:
            if isinstance(error, asyncpg.PostgresError) and not isinstance(error, CONNECTION_LOST):
                raise StatementFailed(sqlstate(error)) from error
            raise self._note_lost(translate(error), error) from error
        except NotLetIn as refusal:
            # No statement was at fault, so this must not look like one that failed.
            failure = StoreUnavailable(
                "The database of this source does not let us in.",
                hint="`vmk-mcp doctor` on the server says why.",
            )
            raise self._note_lost(failure, refusal.__cause__) from refusal.__cause__
        finally:
            if (stages := current_stages.get()) is not None:
                stages.add("database", time.perf_counter() - started)

    def _note_lost(self, failure: VmkError, cause: BaseException | None) -> VmkError:
        state = sqlstate(cause) if cause is not None else ""
        self._observer.observe(QueryFailed(self._name, failure.code, state))
        self._note_reachable(reachable=False)
        return failure

    def _note_reachable(self, *, reachable: bool) -> None:
        if self._reachable is not reachable:
            self._reachable = reachable
            self._observer.observe(StoreChanged(self._name, reachable))
