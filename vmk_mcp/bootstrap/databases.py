"""Where the databases are: the operator's, or the embedded server, started and filled when it is needed."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from typing import Any, Final, TypeVar

from msgspec import Struct

from vmk_mcp.bootstrap.beside import beside
from vmk_mcp.database.binaries import find_wheel_binaries
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer, start_embedded
from vmk_mcp.database.pool import Database, PoolLimits, reading_session
from vmk_mcp.database.prepare import prepare_database, prepare_databases
from vmk_mcp.database.scripts import LISTINGS_AFTER_LOAD, STATE, blueprint_listings
from vmk_mcp.database.supervision import keep_running
from vmk_mcp.listings.store import WARM_TEXT_SEARCH
from vmk_mcp.observe import Observer
from vmk_mcp.sample.loading import load_sample
from vmk_mcp.settings import Settings

ResultT = TypeVar("ResultT")

_LISTINGS: Final = "vmk_data"


class ListingsSource(Struct, frozen=True):
    """Where listings are read.

    Attributes:
        dsn: holds a password.
        data_model: name of the model that made the stored vectors.
    """

    dsn: str
    data_model: str


class FilledServer(Struct, frozen=True):
    """The embedded server with its databases made and filled; `data_model` made the vectors of the sample."""

    server: EmbeddedServer
    data_model: str


def open_embedded(settings: Settings, say: Callable[[str], None]) -> FilledServer:
    """Start, prepare and fill the embedded server.

    Raises:
        StartError: it cannot run here; the hint says what to do.
    """
    server = start_embedded(settings.data_dir, find_wheel_binaries(), say)
    try:
        return FilledServer(server, run_apart(_fill(server, say)))
    except BaseException:
        server.close()
        raise


class LazySources:
    """The databases, each found, or started, when it is first asked for.

    Args:
        settings: which of them are the operator's.
        say: is told, line by line, what a person should know.
    """

    def __init__(self, settings: Settings, say: Callable[[str], None]) -> None:
        self._settings = settings
        self._say = say
        self._filled: FilledServer | None = None
        self._held: list[EmbeddedServer] = []

    def listings(self) -> ListingsSource:
        """Say where listings are read; raises `StartError`, see `open_embedded`."""
        foreign = self._settings.database.listings
        if foreign is not None:
            return ListingsSource(foreign.reveal(), self._settings.embedding.data_model or "")
        filled = self._open()
        return ListingsSource(filled.server.dsn(Role.READER, _LISTINGS), filled.data_model)

    def state_dsn(self) -> str:
        """Give the DSN by which our own tables are written; raises `StartError`, see `open_embedded`."""
        foreign = self._settings.database.state
        return foreign.reveal() if foreign is not None else self.embedded().dsn(Role.WRITER, STATE.database)

    def embedded(self) -> EmbeddedServer:
        """Give the embedded server, started and filled; raises `StartError`, see `open_embedded`."""
        return self._open().server

    @property
    def say(self) -> Callable[[str], None]:
        """What is told, line by line, what a person should know."""
        return self._say

    def hold(self, server: EmbeddedServer) -> None:
        """Take over a further server of ours: it is kept running, and let go of at the end."""
        self._held.append(server)

    @asynccontextmanager
    async def kept_running(self, observer: Observer) -> AsyncIterator[None]:
        """Until the end of the block, start again whichever of our servers is gone."""
        async with AsyncExitStack() as stack:
            for server in self._held:
                await stack.enter_async_context(beside(keep_running(server, observer)))
            yield

    def close(self) -> None:
        """Let go of our servers; blocks while they stop."""
        with ExitStack() as stack:
            for server in self._held:
                stack.callback(server.close)

    def _open(self) -> FilledServer:
        if self._filled is None:
            self._filled = open_embedded(self._settings, self._say)
            self.hold(self._filled.server)
        return self._filled


def make_database(source: ListingsSource, settings: Settings, observer: Observer) -> Database:
    """Make the pool that reads listings; it connects when it is opened."""
    wanted = settings.database
    limits = PoolLimits(wanted.pool_max_size, wanted.query_timeout_s, wanted.pool_min_size)
    return Database(
        "listings",
        source.dsn,
        limits=limits,
        session=reading_session(limits),
        warm_up=(WARM_TEXT_SEARCH,),
        observer=observer,
        pooled=wanted.listings is not None and wanted.pooler == "transaction",
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
