"""Where the databases are: the operator's, or the embedded server, started and filled when it is needed."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext
from typing import Any, Final, TypeVar

from msgspec import Struct

from vmk_mcp.bootstrap.beside import beside
from vmk_mcp.database.binaries import find_wheel_binaries
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer, start_embedded
from vmk_mcp.database.pool import Database, PoolLimits, reading_session
from vmk_mcp.database.prepare import prepare_database, prepare_databases
from vmk_mcp.database.scripts import LISTINGS_AFTER_LOAD, blueprint_listings
from vmk_mcp.database.supervision import keep_running
from vmk_mcp.listings.store import WARM_TEXT_SEARCH
from vmk_mcp.observe import Observer
from vmk_mcp.sample.loading import load_sample
from vmk_mcp.settings import Settings

ResultT = TypeVar("ResultT")

_LISTINGS: Final = "vmk_data"


class Sources(Struct, frozen=True):
    """The databases that the service reads.

    Attributes:
        listings_dsn: where listings are read; holds a password.
        data_model: name of the model that made the stored vectors.
        embedded: our own server, or None where every database is the operator's.
    """

    listings_dsn: str
    data_model: str
    embedded: EmbeddedServer | None = None


def open_sources(settings: Settings, say: Callable[[str], None]) -> Sources:
    """Find the databases; starts, prepares and fills the embedded server where one of them is ours.

    Raises:
        StartError: the embedded server cannot run here; the hint says what to do.
    """
    foreign = settings.database.listings
    if foreign is not None:
        return Sources(foreign.reveal(), settings.embedding.data_model or "")
    server = start_embedded(settings.data_dir, find_wheel_binaries(), say)
    try:
        model = run_apart(_fill(server, say))
    except BaseException:
        server.close()
        raise
    return Sources(server.dsn(Role.READER, _LISTINGS), model, server)


class LazySources:
    """The sources, opened when they are first asked for.

    Args:
        settings: see `open_sources`.
        say: see `open_sources`.
    """

    def __init__(self, settings: Settings, say: Callable[[str], None]) -> None:
        self._settings = settings
        self._say = say
        self._found: Sources | None = None

    def find(self) -> Sources:
        """Give the sources; see `open_sources`."""
        if self._found is None:
            self._found = open_sources(self._settings, self._say)
        return self._found

    @asynccontextmanager
    async def kept_running(self, observer: Observer) -> AsyncIterator[None]:
        """Until the end of the block, start the embedded server again whenever it is gone, if it is used."""
        server = self._found.embedded if self._found is not None else None
        async with beside(keep_running(server, observer)) if server is not None else nullcontext():
            yield

    def close(self) -> None:
        """Let go of the embedded server, if it was started; blocks while it stops."""
        if self._found is not None and self._found.embedded is not None:
            self._found.embedded.close()


def make_database(sources: Sources, settings: Settings, observer: Observer) -> Database:
    """Make the pool that reads listings; it connects when it is opened."""
    wanted = settings.database
    limits = PoolLimits(wanted.pool_max_size, wanted.query_timeout_s, wanted.pool_min_size)
    return Database(
        "listings",
        sources.listings_dsn,
        limits=limits,
        session=reading_session(limits),
        warm_up=(WARM_TEXT_SEARCH,),
        observer=observer,
    )


def run_apart(work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Run `work` in an event loop of its own thread: uvicorn's factory is called inside a running loop."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, work).result()


async def _fill(server: EmbeddedServer, say: Callable[[str], None]) -> str:
    listings = blueprint_listings(has_dictionary=server.has_dictionary)
    await prepare_database(server, listings.without(*LISTINGS_AFTER_LOAD), say)
    configuration = "ukrainian" if server.has_dictionary else "simple"
    recorded = await load_sample(server.dsn(Role.OWNER, _LISTINGS), configuration=configuration, say=say)
    await prepare_databases(server, say)
    return recorded.model
