"""The families that are served: each one an offer, a readiness check and what it opens and closes."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial

from msgspec import Struct

from vmk_mcp.bootstrap.databases import Sources, make_database
from vmk_mcp.bootstrap.embedders import check_until_told, compare_embedder, make_embedder
from vmk_mcp.database.pool import Database
from vmk_mcp.diagnostics.tools import OFFER as DIAGNOSTICS
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
from vmk_mcp.web.app import Lifespan
from vmk_mcp.web.health import CheckReadiness
from vmk_mcp.web.metrics import MetricsObserver


class Family(Struct, frozen=True):
    """One family, ready to be served.

    Attributes:
        check_readiness: None for a family that needs nothing: it must not make `/ready` look good.
        lifespan: opens and closes what the family needs.
    """

    offer: Offer
    check_readiness: CheckReadiness | None = None
    lifespan: Lifespan | None = None


MakeFamily = Callable[[Settings, Sources, Observers, MetricsObserver], Family]


def make_listings(
    settings: Settings, sources: Sources, observers: Observers, metrics: MetricsObserver
) -> Family:
    """Make the listings family.

    Raises:
        StartError: the embedder is of another model than the stored vectors.
    """
    standing = EmbedderStanding()
    observer = Observers(observers, standing)
    database = make_database(sources, settings, observer)
    embedder = make_embedder(settings.embedding, observer)
    refuse_other_model(embedder, sources.data_model)
    store = PostgresListingStore(database)
    values = LiveValues(store, clock=time.monotonic, prepare=place_names)
    rules = ListingRules(
        max_limit=settings.listings.max_limit,
        price_currency=settings.listings.price_currency,
        rates=_rates(settings),
        data_model=sources.data_model,
        today=_today,
    )
    service = ListingService(store, values, embedder, standing, rules)
    metrics.watch(
        "pool_open", "Open connections to the listings database.", lambda: database.open_connections
    )
    metrics.watch(
        "pool_idle", "Idle connections to the listings database.", lambda: database.idle_connections
    )

    @asynccontextmanager
    async def open_and_close() -> AsyncIterator[None]:
        compare = partial(compare_embedder, embedder, store, sources.data_model)
        async with (
            _opened(database, embedder, values),
            _beside(check_until_told(compare, standing, observer)),
        ):
            yield

    return Family(offer_listings(service, values), service.readiness, open_and_close)


def make_diagnostics(
    settings: Settings, sources: Sources, observers: Observers, metrics: MetricsObserver
) -> Family:
    """Make the diagnostics family, which needs nothing."""
    del settings, sources, observers, metrics
    return Family(DIAGNOSTICS)


FAMILIES: dict[str, MakeFamily] = {
    "listings": make_listings,
    "diagnostics": make_diagnostics,
}
"""Adding a family is adding its room and a line here."""


def make_families(
    settings: Settings, sources: Sources, observers: Observers, metrics: MetricsObserver
) -> Sequence[Family]:
    """Make the families that the settings name, in a fixed order."""
    return [
        make(settings, sources, observers, metrics)
        for name, make in FAMILIES.items()
        if name in settings.families
    ]


@asynccontextmanager
async def _opened(database: Database, embedder: Embedder, values: LiveValues) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        # Pushed before anything is opened: one that fails to open or to close keeps no other from closing.
        stack.push_async_callback(embedder.close)
        stack.push_async_callback(database.close)
        stack.push_async_callback(values.close)
        await database.open()
        # A database that is down at start is no reason not to start: its calls say so until it is back.
        with suppress(VmkError):
            await database.warm()
            await values.get()
        yield


@asynccontextmanager
async def _beside(work: Coroutine[object, object, None]) -> AsyncIterator[None]:
    """Run `work` beside the block, and let it end before the block's own things are closed."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


def _rates(settings: Settings) -> ExchangeRates | None:
    given = settings.listings.fx_rates
    if given is not None:
        return ExchangeRates(given.date, {name: Decimal(str(rate)) for name, rate in given.per_usd.items()})
    if settings.database.listings is not None:
        return None
    return ExchangeRates(REFERENCE_DATE, dict(RATES_PER_USD))


def _today() -> date:
    return datetime.now(tz=UTC).date()
