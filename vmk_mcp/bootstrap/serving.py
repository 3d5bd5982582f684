"""Starts the service: as an ASGI application, over HTTP with uvicorn, or on stdin and stdout."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

import uvicorn
from msgspec import Struct
from starlette.applications import Starlette

from vmk_mcp.bootstrap.databases import LazySources
from vmk_mcp.bootstrap.door import (
    find_owner,
    make_parts,
    make_protocol,
    note_address,
    open_access,
    refuse_broken_tokens,
    start_watching,
)
from vmk_mcp.bootstrap.families import make_families, open_families
from vmk_mcp.bootstrap.greeting import Greet, Greeting, LostStores
from vmk_mcp.bootstrap.listening import BACKLOG, leave_on_signals, listen
from vmk_mcp.bootstrap.surroundings import Surroundings
from vmk_mcp.configuration.dsn import name_place
from vmk_mcp.notices import LogNotices
from vmk_mcp.observe import Observer, Observers
from vmk_mcp.settings import Settings, read_settings
from vmk_mcp.stdio import LineReader, LineWriter, StdioDoor
from vmk_mcp.web.app import Lifespan, Service
from vmk_mcp.web.app import create_app as join_app
from vmk_mcp.web.http_bounds import bound_http
from vmk_mcp.web.local_access import endpoint_url

# Longer than clients and proxies keep theirs (httpx 5 s, aiohttp 15 s, nginx 60 s): where we close first, a
# call that is just being sent is lost.
_IDLE_S: Final = 65
_PORT_HINT: Final = "Stop what listens there, or set MCP_PORT (0 takes any free port) or MCP_HOST."


class _Assembled(Struct, frozen=True):
    app: Service
    observer: Observer
    lost_stores: LostStores
    local_token: str | None
    tools: Sequence[str]


def create_app() -> Starlette:
    """Make the application from the environment."""
    return _assemble(read_settings(), _ignore).app


def serve(settings: Settings, *, say: Callable[[str], None], greet: Greet) -> None:
    """Serve over HTTP until SIGINT or SIGTERM, then finish what is under way.

    Raises:
        SettingsError: a setting or the tokens file cannot be.
        StartError: the service cannot start on this machine as it is.
    """
    leave_on_signals()
    listening = listen(settings.server.host, settings.server.port, hint=_PORT_HINT)
    assembled = _assemble(settings, say)
    config = uvicorn.Config(
        assembled.app,
        loop="uvloop",
        http=bound_http(assembled.observer),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=_IDLE_S,
        timeout_graceful_shutdown=max(1, round(settings.server.shutdown_grace_s)),
    )
    _Server(config, settings, assembled, greet).run(sockets=[listening])


def serve_stdio(settings: Settings, token: str | None, *, say: Callable[[str], None]) -> None:
    """Serve one client on stdin and stdout until its end; logs go to stderr.

    Args:
        settings: what is served.
        token: name of the token whose rights the process owner has; None: those of the local token.
        say: is told what is being done at start.

    Raises:
        NotFound: no token of that name is on record.
    """
    leave_on_signals()
    watching, notices = start_watching(settings), LogNotices()
    observers = Observers(watching.observers, notices)
    caller = find_owner(settings, token)
    sources = LazySources(settings, say)
    try:
        families = make_families(Surroundings(settings, sources, observers, watching.metrics))
        protocol = make_protocol(settings, families, sends_logs=True)
        max_running = settings.server.max_concurrent_calls
        door = StdioDoor(protocol, caller, observers, max_running=max_running, notices=notices)
        lifespans = [_keeping(sources, observers), open_families(families)]
        asyncio.run(_run_stdio(door, lifespans, settings.server.max_body_bytes))
    finally:
        sources.close()


async def _run_stdio(door: StdioDoor, lifespans: Sequence[Lifespan], max_bytes: int) -> None:
    async with AsyncExitStack() as stack:
        for lifespan in lifespans:
            await stack.enter_async_context(lifespan())
        reader = LineReader(sys.stdin.buffer, max_bytes)
        await door.serve(reader.next_line, LineWriter(sys.stdout.buffer).write_line)


class _Server(uvicorn.Server):
    """uvicorn, with a word to the person who started it once it listens."""

    def __init__(
        self, config: uvicorn.Config, settings: Settings, assembled: _Assembled, greet: Greet
    ) -> None:
        super().__init__(config)
        self._settings = settings
        self._assembled = assembled
        self._greet = greet
        self._forget_address: Callable[[], None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server.startup`."""
        await super().startup(sockets)
        if self.started and sockets:
            url = endpoint_url(self._settings.server.host, sockets[0].getsockname()[1])
            self._forget_address = note_address(self._settings, url, self._assembled.observer)
            self._greet(self._greeting(url))

    def _greeting(self, url: str) -> Greeting:
        foreign = self._settings.database.listings
        return Greeting(
            url=url,
            token=self._assembled.local_token,
            tools=self._assembled.tools,
            asks_token=self._settings.server.auth,
            absent_postgres=name_place(foreign.parts) if foreign and self._assembled.lost_stores else "",
        )

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """See `uvicorn.Server.shutdown`."""
        self._assembled.app.close_streams()
        await super().shutdown(sockets)
        if self._forget_address is not None:
            self._forget_address()


def _assemble(settings: Settings, say: Callable[[str], None]) -> _Assembled:
    watching = start_watching(settings)
    refuse_broken_tokens(settings, watching.observers)
    sources, lost = LazySources(settings, say), LostStores()
    observers = Observers(watching.observers, lost)
    try:
        families = make_families(Surroundings(settings, sources, observers, watching.metrics))
        access = open_access(settings, [family.offer for family in families], watching.observers)
        parts = make_parts(settings, watching, families, access, _keeping(sources, watching.observers))
    except BaseException:
        sources.close()
        raise
    tools = [tool.name for family in families for tool in family.offer.tools]
    return _Assembled(join_app(parts), watching.observers, lost, access.local_token, tools)


def _keeping(sources: LazySources, observer: Observer) -> Lifespan:
    @asynccontextmanager
    async def keep_and_close() -> AsyncIterator[None]:
        try:
            async with sources.kept_running(observer):
                yield
        finally:
            # Postgres takes seconds to stop, in which other lifespans and signals still want the loop.
            await asyncio.to_thread(sources.close)

    return keep_and_close


def _ignore(line: str) -> None:
    """Take a line that nobody reads."""
