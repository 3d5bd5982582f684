"""The ask family: its sources, its drafter, its log and the service over them."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, date, datetime
from typing import Any, Final, cast

import msgspec
from msgspec import Struct

from vmk_mcp.ask.guard import GuardLimits
from vmk_mcp.ask.log import PostgresQueryLog
from vmk_mcp.ask.ports import AskedQuery, QueryRecorder
from vmk_mcp.ask.service import AskRules, AskService, OfferedSource, Outside
from vmk_mcp.ask.sources.catalog import PostgresCatalog
from vmk_mcp.ask.sources.files import SHIPPED, SourceFile
from vmk_mcp.ask.sources.live import Calendar, LiveSource
from vmk_mcp.ask.store import PostgresAskStore
from vmk_mcp.ask.tools import offer_ask
from vmk_mcp.bootstrap.asked_databases import FoundSource, FoundSources, find_sources
from vmk_mcp.bootstrap.beside import beside
from vmk_mcp.bootstrap.databases import LazySources
from vmk_mcp.bootstrap.drafters import ChosenDrafter, choose_drafter
from vmk_mcp.bootstrap.surroundings import Family, Room, Surroundings
from vmk_mcp.database.asking import AskedDatabase
from vmk_mcp.database.pool import PoolLimits
from vmk_mcp.database.selecting import SelectionLimits
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.errors import VmkError
from vmk_mcp.observe import Observer, Warned
from vmk_mcp.settings import Settings
from vmk_mcp.tool import Offer, Readiness

_LOG_LIMITS: Final = PoolLimits(size=1, query_timeout_s=10.0)


class NoLog:
    """See `QueryRecorder`; for where there is no state database."""

    async def record(self, query: AskedQuery) -> None:
        """Keep nothing."""


class OpenLog(Struct, frozen=True):
    """The query log and its database."""

    log: PostgresQueryLog
    state: StateDatabase


class AskParts(Struct, frozen=True):
    """A service, and what has to be opened and closed around it; `kept` is None where nothing is logged."""

    service: AskService
    databases: Sequence[AskedDatabase]
    chosen: ChosenDrafter
    readers: Sequence[LiveSource]
    kept: OpenLog | None = None


def show_ask() -> Offer:
    """Give the tools as they are listed; there is nothing behind them."""
    return offer_ask(cast(Any, None), SHIPPED)


def make_ask(around: Surroundings) -> Family:
    """Make the ask family; sources that cannot be had are named by readiness, with the reason.

    Raises:
        SettingsError: a source or a drafter is set that cannot be.
    """
    chosen = choose_drafter(around.settings.ask)
    found = find_sources(around.settings, around.sources)
    parts = join_parts(
        found, chosen, around.settings, around.observers, open_log(around.sources, around.observers)
    )

    @asynccontextmanager
    async def open_and_close() -> AsyncIterator[None]:
        async with opened(parts), beside(_warm(parts)):
            yield

    async def check_readiness() -> Readiness:
        found = await parts.service.readiness()
        trouble = parts.kept.log.trouble if parts.kept is not None else ""
        if not trouble:
            return found
        status = "degraded" if found.status == "ok" else found.status
        return Readiness(status, (*found.reasons, trouble))

    names = [source.name for source in found.sources]
    return Family(offer_ask(parts.service, names), check_readiness, open_and_close)


ASK: Final = Room(show_ask, make_ask)


def open_log(sources: LazySources, observer: Observer) -> OpenLog | None:
    """Give the query log; None, with a warning, where there is no state database."""
    try:
        state = StateDatabase(sources.state_dsn(), limits=_LOG_LIMITS)
    except VmkError as error:
        observer.observe(Warned("query log", f"Nothing that is asked is put on record: {error.message}"))
        return None
    return OpenLog(PostgresQueryLog(state, observer), state)


def join_parts(
    found: FoundSources,
    chosen: ChosenDrafter,
    settings: Settings,
    observer: Observer,
    kept: OpenLog | None = None,
) -> AskParts:
    """Join sources, drafter and log into a service; nothing connects yet."""
    recorder: QueryRecorder = kept.log if kept is not None else NoLog()
    databases, readers, offered = [], [], []
    for source in found.sources:
        database = _make_database(source, settings, observer)
        reader = LiveSource(
            source.name, source.file, PostgresCatalog(database), Calendar(time.monotonic, _today)
        )
        store = PostgresAskStore(database, SelectionLimits(rows=source.file.limits.rows))
        limits = _guard_limits(source.file, settings.ask.max_cost)
        offered.append(OfferedSource(source.name, reader, store, limits, source.file.needs_all_towns))
        databases.append(database)
        readers.append(reader)
    service = AskService(
        offered,
        Outside(chosen.drafter, recorder, observer),
        AskRules(settings.ask.timeout_s, settings.ask.repair_tries, time.monotonic, _now),
        found.troubles,
    )
    return AskParts(service, databases, chosen, readers, kept)


@asynccontextmanager
async def opened(parts: AskParts) -> AsyncIterator[AskParts]:
    """Open what the service needs; close all of it at the end, the log last, whatever fails."""
    async with AsyncExitStack() as stack:
        if parts.kept is not None:
            await parts.kept.state.open()
            stack.push_async_callback(parts.kept.state.close)
            await parts.kept.log.open()
            stack.push_async_callback(parts.kept.log.close)
        stack.push_async_callback(parts.chosen.close)
        for database in parts.databases:
            stack.push_async_callback(database.close)
        for reader in parts.readers:
            stack.push_async_callback(reader.close)
        yield parts


async def _warm(parts: AskParts) -> None:
    """Look at the log, and read all sources once, so that the first question need not wait for it."""
    if parts.kept is not None:
        await parts.kept.log.check(_now())
    for reader in parts.readers:
        # A source that is away at start is read when it is asked.
        with suppress(VmkError):
            await reader.get()


def _make_database(source: FoundSource, settings: Settings, observer: Observer) -> AskedDatabase:
    size = settings.database.pool_max_size
    return AskedDatabase(f"ask {source.name}", source.login, size=size, observer=observer)


def _guard_limits(file: SourceFile, max_cost: float) -> GuardLimits:
    limits, usual = file.limits, GuardLimits()
    return msgspec.structs.replace(
        usual,
        plan_cost=limits.max_cost or max_cost,
        large_table_rows=limits.large_table_rows or usual.large_table_rows,
    )


def _today() -> date:
    return datetime.now(tz=UTC).date()


def _now() -> datetime:
    return datetime.now(tz=UTC)
