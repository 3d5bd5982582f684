"""Joins the door's parts, built elsewhere, into one Starlette application."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from time import monotonic

from msgspec import Struct
from prometheus_client import CollectorRegistry
from starlette.applications import Starlette
from starlette.routing import Mount, Route
from starlette.types import ASGIApp

from vmk_mcp.observe import Observer
from vmk_mcp.protocol.server import Protocol
from vmk_mcp.running import Running
from vmk_mcp.web.endpoint import McpEndpoint
from vmk_mcp.web.exchange import Answering
from vmk_mcp.web.guard import Guard
from vmk_mcp.web.health import CheckReadiness, HealthPage, MetricsPage, ReadyPage
from vmk_mcp.web.idle_stream import IdleStream
from vmk_mcp.web.pages import Page, Render, refuse_path

Lifespan = Callable[[], AbstractAsyncContextManager[object]]
"""Opens something before the first request and closes it after the last."""


class Parts(Struct, frozen=True, kw_only=True):
    """All that the door is made of.

    Attributes:
        observer: is told of every call and refusal.
        registry: what `/metrics` shows.
        families: how each family's readiness is asked.
        idle_stream: answers `GET /mcp`, or None where that is 405.
        lifespans: entered in order at start, left in the opposite order at the end.
    """

    guard: Guard
    protocol: Protocol
    running: Running
    observer: Observer
    registry: CollectorRegistry
    families: Mapping[str, CheckReadiness]
    idle_stream: IdleStream | None = None
    lifespans: Sequence[Lifespan] = ()


def create_app(parts: Parts) -> Starlette:
    """Make the application that a server such as uvicorn runs."""
    guard, observer = parts.guard, parts.observer
    answering = Answering(parts.protocol, parts.running, observer)
    mcp = McpEndpoint(guard, answering, observer, parts.idle_stream)

    def page(render: Render) -> ASGIApp:
        return Page(render, guard.check_site, observer)

    ready = ReadyPage(guard, parts.families, observer, monotonic)
    routes = [
        Route("/mcp", mcp),
        Route("/mcp/", mcp),
        Route("/health", page(HealthPage(guard, parts.protocol.tool_names).render)),
        Route("/ready", page(ready.render)),
        Route("/metrics", page(MetricsPage(guard, parts.registry).render)),
        Mount("/", refuse_path),
    ]
    return Starlette(routes=routes, lifespan=_join(parts.lifespans))


def _join(lifespans: Sequence[Lifespan]) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def open_all(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for lifespan in lifespans:
                await stack.enter_async_context(lifespan())
            yield

    return open_all
