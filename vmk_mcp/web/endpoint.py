"""The /mcp endpoint: which HTTP methods it serves, and the way of a POST from guard to answer."""

from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Final

from starlette.types import Message, Receive, Scope, Send

from vmk_mcp.observe import Crashed, Observer, RequestRefused
from vmk_mcp.web.body import BodyReader, ClientGone
from vmk_mcp.web.exchange import Answering, Exchange
from vmk_mcp.web.guard import Guard
from vmk_mcp.web.head import Head, read_head
from vmk_mcp.web.idle_stream import IdleStream
from vmk_mcp.web.refusals import INTERNAL_ERROR, Refusal, method_not_allowed
from vmk_mcp.web.replies import send_preflight, send_refusal

_Serve = Callable[[Head, Receive, Send], Awaitable[Refusal | None]]


class McpEndpoint:
    """An ASGI application for one path; every refusal, whoever made it, is sent and told of in one place."""

    def __init__(
        self,
        guard: Guard,
        bodies: BodyReader,
        answering: Answering,
        observer: Observer,
        idle_stream: IdleStream | None,
    ) -> None:
        """Serve POST, CORS preflights, and GET where there is an `idle_stream`."""
        self._guard = guard
        self._bodies = bodies
        self._answering = answering
        self._observer = observer
        self._serves: dict[str, _Serve] = {"POST": self._post, "OPTIONS": self._preflight}
        if idle_stream is not None:
            self._serves["GET"] = idle_stream.serve
        self._allowed: Final = b"POST" if idle_stream is None else b"GET, POST"
        self._wrong_method: Final = method_not_allowed(self._allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        head = read_head(scope)
        refusal = self._guard.check_site(head) or await self._serve(head, receive, send)
        if refusal is not None:
            await send_refusal(send, head, refusal)
            self._observer.observe(RequestRefused(head.request_id, refusal.code, refusal.status))

    async def _serve(self, head: Head, receive: Receive, send: Send) -> Refusal | None:
        serve = self._serves.get(head.method)
        if serve is None:
            return self._wrong_method
        has_begun = False

        async def send_on(message: Message) -> None:
            nonlocal has_begun
            await send(message)
            has_begun = True

        try:
            return await serve(head, receive, send_on)
        except ClientGone:
            return None
        except Exception as bug:  # noqa: BLE001  (the last door: a bug goes to the log whole, to the client by name)
            self._observer.observe(Crashed(head.request_id, bug))
            # HTTP has no second answer to a request: what has begun is cut off by the server that runs us.
            return None if has_begun else INTERNAL_ERROR

    async def _post(self, head: Head, receive: Receive, send: Send) -> Refusal | None:
        caller = self._guard.admit(head)
        if isinstance(caller, Refusal):
            return caller
        body = await self._bodies.read(receive, caller.name, head.headers.get(b"content-length"))
        if isinstance(body, Refusal):
            return body
        return await self._answering.answer(Exchange(head, caller, perf_counter(), receive, send), body)

    async def _preflight(self, head: Head, receive: Receive, send: Send) -> Refusal | None:
        # A page's Origin was checked before; a program has no use for OPTIONS.
        if b"origin" not in head.headers or b"access-control-request-method" not in head.headers:
            return self._wrong_method
        await send_preflight(send, head, self._allowed)
        return None
