"""The spatial family: its database, which may be a PostGIS cluster of our own, and the service over it."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any, Final, cast

from vmk_mcp.bootstrap.county import NoCounty, open_county
from vmk_mcp.bootstrap.surroundings import Family, Room, Surroundings
from vmk_mcp.database.pool import Database, PoolLimits, plain_reading_session
from vmk_mcp.errors import VmkError
from vmk_mcp.observe import Observer
from vmk_mcp.settings import Settings
from vmk_mcp.spatial.service import SpatialService
from vmk_mcp.spatial.standing import LiveAudit
from vmk_mcp.spatial.store import PostgisStore
from vmk_mcp.spatial.tools import FAMILY, offer_spatial
from vmk_mcp.tool import Offer, Readiness
from vmk_mcp.web.metrics import MetricsObserver

_SESSION: Final = {
    # Of every invalid geometry that is met PostGIS says so in a notice.
    "client_min_messages": "warning",
}


def show_spatial() -> Offer:
    """Give the tools as they are listed; there is nothing behind them."""
    nothing = cast(Any, None)
    return offer_spatial(SpatialService(nothing, nothing))


def make_spatial(around: Surroundings) -> Family:
    """Make the spatial family; where no PostGIS can be had it offers nothing, and readiness says why."""
    source = find_county(around)
    if isinstance(source, NoCounty):
        return _make_absent(source)
    database = make_spatial_database(source, around.settings, around.observers)
    store = PostgisStore(database)
    audit = LiveAudit(store, clock=time.monotonic)
    service = SpatialService(store, audit)
    _watch_pool(around.metrics, database)

    @asynccontextmanager
    async def open_and_close() -> AsyncIterator[None]:
        async with opened(database, audit):
            yield

    return Family(offer_spatial(service), service.readiness, open_and_close)


SPATIAL: Final = Room(show_spatial, make_spatial, is_apart=True)


def find_county(around: Surroundings) -> str | NoCounty:
    """Give the DSN of the operator's database, or of the cluster of our own, which is started and filled."""
    foreign = around.settings.database.spatial
    if foreign is not None:
        return foreign.reveal()
    county = open_county(around.settings.data_dir, around.sources.say)
    if isinstance(county, NoCounty):
        return county
    around.sources.hold(county.server)
    return county.dsn


def make_spatial_database(dsn: str, settings: Settings, observer: Observer) -> Database:
    """Make the pool that reads the eight tables; it connects when it is opened."""
    wanted = settings.database
    limits = PoolLimits(wanted.pool_max_size, wanted.query_timeout_s, wanted.pool_min_size)
    session = plain_reading_session(limits) | _SESSION
    return Database(
        FAMILY,
        dsn,
        limits=limits,
        session=session,
        warm_up=(),
        observer=observer,
        pooled=wanted.spatial is not None and wanted.pooler == "transaction",
    )


@asynccontextmanager
async def opened(database: Database, audit: LiveAudit) -> AsyncIterator[None]:
    """Open and warm the pool and look at the tables; close all of it at the end, whatever fails."""
    async with AsyncExitStack() as stack:
        stack.push_async_callback(database.close)
        stack.push_async_callback(audit.close)
        await database.open()
        # A database that is down at start is no reason not to start: its calls say so until it is back.
        with suppress(VmkError):
            await database.warm()
            await audit.get()
        yield


def _make_absent(why: NoCounty) -> Family:
    async def say_why() -> Readiness:
        return Readiness("unavailable", (why.reason, why.hint))

    return Family(Offer(family=FAMILY), say_why)


def _watch_pool(metrics: MetricsObserver, database: Database) -> None:
    metrics.watch(
        "spatial_pool_open", "Open connections to the spatial database.", lambda: database.open_connections
    )
    metrics.watch(
        "spatial_pool_idle", "Idle connections to the spatial database.", lambda: database.idle_connections
    )
