"""The listings family: its database, its embedder and the service over both."""

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from typing import Any, Final, cast

from vmk_mcp.bootstrap.beside import beside
from vmk_mcp.bootstrap.databases import make_database
from vmk_mcp.bootstrap.embedders import check_until_told, compare_embedder, make_embedder
from vmk_mcp.bootstrap.surroundings import Family, Room, Surroundings
from vmk_mcp.database.pool import Database
from vmk_mcp.embedding.port import Embedder
from vmk_mcp.embedding.standing import EmbedderStanding
from vmk_mcp.embedding.verify import refuse_other_model
from vmk_mcp.errors import VmkError
from vmk_mcp.listings.framing import ListingRules
from vmk_mcp.listings.interpretation.names import place_names
from vmk_mcp.listings.money import ExchangeRates
from vmk_mcp.listings.service import ListingService
from vmk_mcp.listings.store import PostgresListingStore
from vmk_mcp.listings.tools import offer_listings
from vmk_mcp.listings.values import LiveValues
from vmk_mcp.observe import Observers
from vmk_mcp.sample.listings import RATES_PER_USD, REFERENCE_DATE
from vmk_mcp.settings import Settings
from vmk_mcp.tool import Offer
from vmk_mcp.web.metrics import MetricsObserver


def show_listings() -> Offer:
    """Give the tools as they are listed; there is nothing behind them."""
    nothing = cast(Any, None)
    return offer_listings(nothing, nothing)


def make_listings(around: Surroundings) -> Family:
    """Make the listings family.

    Raises:
        StartError: the embedder cannot be had or is of another model than the stored vectors, or the embedded
            server cannot run here.
    """
    settings, standing = around.settings, EmbedderStanding()
    observer = Observers(around.observers, standing)
    # Before the database: what is wrong with it is found out without a wait for the embedded server.
    embedder = make_embedder(settings.embedding, observer, around.local_model)
    source = around.sources.listings()
    refuse_other_model(embedder, source.data_model)
    database = make_database(source, settings, observer)
    store = PostgresListingStore(database)
    values = LiveValues(store, clock=time.monotonic, prepare=place_names)
    service = ListingService(store, values, embedder, standing, _rules(settings, source.data_model))
    _watch_pool(around.metrics, database)

    @asynccontextmanager
    async def open_and_close() -> AsyncIterator[None]:
        compare = partial(compare_embedder, embedder, store, source.data_model)
        async with opened(database, embedder, values), beside(check_until_told(compare, standing, observer)):
            yield

    return Family(offer_listings(service, values), service.readiness, open_and_close)


LISTINGS: Final = Room(show_listings, make_listings)


@asynccontextmanager
async def opened(database: Database, embedder: Embedder, values: LiveValues) -> AsyncIterator[None]:
    """Open and warm what the family needs; close all of it at the end, whatever fails."""
    async with AsyncExitStack() as stack:
        # Pushed before anything is opened: one that fails to open or to close keeps no other from closing.
        stack.push_async_callback(embedder.close)
        stack.push_async_callback(database.close)
        stack.push_async_callback(values.close)
        await database.open()
        # A database that is down at start is no reason not to start: its calls say so until it is back.
        with suppress(VmkError):
            # Loading the dictionary takes a connection a third of a second of Postgres' time: one will do to
            # begin with, and the others come one by one beside the first calls.
            await database.warm(1)
            await values.get()
        await stack.enter_async_context(beside(_warm_rest(database)))
        yield


async def _warm_rest(database: Database) -> None:
    with suppress(VmkError):
        await database.warm_rest()


def _watch_pool(metrics: MetricsObserver, database: Database) -> None:
    metrics.watch(
        "pool_open", "Open connections to the listings database.", lambda: database.open_connections
    )
    metrics.watch(
        "pool_idle", "Idle connections to the listings database.", lambda: database.idle_connections
    )


def _rules(settings: Settings, data_model: str) -> ListingRules:
    return ListingRules(
        max_limit=settings.listings.max_limit,
        price_currency=settings.listings.price_currency,
        rates=_rates(settings),
        data_model=data_model,
        today=_today,
    )


def _rates(settings: Settings) -> ExchangeRates | None:
    given = settings.listings.fx_rates
    if given is not None:
        return ExchangeRates(given.date, {name: Decimal(str(rate)) for name, rate in given.per_usd.items()})
    if settings.database.listings is not None:
        return None
    return ExchangeRates(REFERENCE_DATE, dict(RATES_PER_USD))


def _today() -> date:
    return datetime.now(tz=UTC).date()
