"""Joins the door's parts, built elsewhere, into one Starlette application."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from time import monotonic
from typing import Final

from msgspec import Struct
from prometheus_client import CollectorRegistry, Gauge
from starlette.applications import Starlette
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from vmk_mcp.observe import Observer
from vmk_mcp.protocol.server import Protocol
from vmk_mcp.running import Running
from vmk_mcp.web.body import BodyReader
from vmk_mcp.web.endpoint import McpEndpoint
from vmk_mcp.web.exchange import Answering
from vmk_mcp.web.guard import Guard
from vmk_mcp.web.health import CheckReadiness, HealthPage, MetricsPage, ReadyPage, RegistryPage
from vmk_mcp.web.idle_stream import IdleStream
from vmk_mcp.web.pages import CheckSite, Page, Render, answer_get, refuse_path

Lifespan = Callable[[], AbstractAsyncContextManager[object]]
"""Opens something before the first request and closes it after the last."""

AppLifespan = Callable[[Starlette], AbstractAsyncContextManager[None]]

_MCP_PATHS: Final = ("/mcp", "/mcp/")


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


class Service(Starlette):
    """Starlette with a short way to /mcp: its middleware and router cost as much as the whole guard."""

    def __init__(self, routes: Sequence[BaseRoute], mcp: ASGIApp, parts: Parts) -> None:
        super().__init__(routes=routes, lifespan=_join(parts.lifespans))
        self._mcp = mcp
        self._idle_stream = parts.idle_stream

    def close_streams(self) -> None:
        """End the streams that would not end by themselves; to be called when a shutdown begins."""
        if self._idle_stream is not None:
            self._idle_stream.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request or the lifespan."""
        # Under a root path the paths differ, and the routes do the same at leisure.
        if scope["type"] == "http" and scope["path"] in _MCP_PATHS:
            await self._mcp(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def create_app(parts: Parts) -> Service:
    """Make the application that a server such as uvicorn runs."""
    guard, observer = parts.guard, parts.observer
    answering = Answering(parts.protocol, parts.running, observer)
    bodies = BodyReader(guard.max_body_bytes, parts.running.capacity)
    mcp = McpEndpoint(guard, bodies, answering, observer, parts.idle_stream)

    # An orchestrator's probe comes by the container's own address, which is no name of ours.
    def page(render: Render, check: CheckSite = guard.check_origin) -> ASGIApp:
        return Page(answer_get(render), check, observer)

    refuse = Page(refuse_path, guard.check_site, observer)
    ready = ReadyPage(guard, parts.families, observer, monotonic)
    routes = [
        *(Route(path, mcp) for path in _MCP_PATHS),
        Route("/health", page(HealthPage(guard, parts.protocol.tool_names).render)),
        Route("/registry/servers", page(RegistryPage(guard, parts.protocol.tools_by_family).render)),
        Route("/ready", page(ready.render)),
        Route("/metrics", page(MetricsPage(guard, parts.registry).render, guard.check_site)),
        Mount("/", refuse),
    ]
    _watch_queue(parts.registry, parts.running)
    service = Service(routes, mcp, parts)
    # What is no path at all, such as the * of OPTIONS, matches not even the mount.
    service.router.default = refuse
    return service


def _watch_queue(registry: CollectorRegistry, running: Running) -> None:
    at_work = Gauge("vmk_calls_running", "Calls at work.", registry=registry)
    at_work.set_function(lambda: running.running)
    in_line = Gauge("vmk_calls_waiting", "Calls in line for a free place.", registry=registry)
    in_line.set_function(lambda: running.waiting)
    tasks = Gauge("vmk_tasks", "Tasks of the event loop.", registry=registry)
    tasks.set_function(_count_tasks)


def _count_tasks() -> int:
    try:
        return len(asyncio.all_tasks())
    except RuntimeError:
        return 0  # looked at from outside of a loop


def _join(lifespans: Sequence[Lifespan]) -> AppLifespan:
    @asynccontextmanager
    async def open_all(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for lifespan in lifespans:
                await stack.enter_async_context(lifespan())
            yield

    return open_all
