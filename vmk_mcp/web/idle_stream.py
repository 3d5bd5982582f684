"""GET /mcp for clients that insist on it: a stream that says nothing but that it is still there."""

import asyncio
import contextlib
from typing import Final

from starlette.types import Receive, Send

from vmk_mcp.web.guard import Guard
from vmk_mcp.web.head import Head
from vmk_mcp.web.refusals import OVERLOADED, Refusal, method_not_allowed
from vmk_mcp.web.replies import EventStream

_COMMENT_EVERY_S: Final = 15.0


class IdleStream:
    """Holds the streams open; so many and no more."""

    def __init__(self, guard: Guard, max_open: int) -> None:
        self._guard = guard
        self._max_open = max_open
        self._open: set[asyncio.Event] = set()
        self._wrong_method: Final = method_not_allowed(b"GET, POST")

    async def serve(self, head: Head, receive: Receive, send: Send) -> Refusal | None:
        """Stream until the client goes away or `close` is called."""
        if not head.accepts_stream:
            return self._wrong_method
        caller = self._guard.identify(head)
        if isinstance(caller, Refusal):
            return caller
        if len(self._open) >= self._max_open:
            return OVERLOADED
        over = asyncio.Event()
        self._open.add(over)
        watcher = asyncio.create_task(_await_departure(receive, over))
        try:
            await self._keep_alive(EventStream(send, head), over)
        finally:
            self._open.discard(over)
            watcher.cancel()
        return None

    def close(self) -> None:
        """End all streams: a server that stops would wait for them in vain."""
        for over in self._open:
            over.set()

    async def _keep_alive(self, stream: EventStream, over: asyncio.Event) -> None:
        while not over.is_set():
            await stream.send_comment()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), _COMMENT_EVERY_S)
        await stream.end()


async def _await_departure(receive: Receive, over: asyncio.Event) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    over.set()
