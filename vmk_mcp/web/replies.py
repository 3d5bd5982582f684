"""HTTP answers as ASGI messages: one JSON body, nothing at all, or a stream of server-sent events."""

from typing import Final

from starlette.types import Send

from vmk_mcp.web.head import Head
from vmk_mcp.web.refusals import ORIGIN_NOT_ALLOWED, Headers, Refusal

_JSON: Final = (b"content-type", b"application/json")
_NO_STORE: Final = (b"cache-control", b"no-store")
_EXPOSED: Final = (
    b"access-control-expose-headers",
    b"x-request-id, server-timing, retry-after, www-authenticate",
)

JSON_TYPE: Final[Headers] = (_JSON,)
NO_HEADERS: Final[Headers] = ()


async def send_body(send: Send, head: Head, status: int, body: bytes, headers: Headers = JSON_TYPE) -> None:
    """Send one whole answer; `headers` come beside those that every answer carries."""
    whole = [
        *headers,
        (b"content-length", b"%d" % len(body)),
        _NO_STORE,
        (b"x-request-id", head.request_id.encode()),
    ]
    _share(head, whole)
    await send({"type": "http.response.start", "status": status, "headers": whole})
    await send({"type": "http.response.body", "body": body})


async def send_refusal(send: Send, head: Head, refusal: Refusal) -> None:
    """Send a refusal as JSON."""
    if refusal is ORIGIN_NOT_ALLOWED:
        head = head.without_origin()
    await send_body(send, head, refusal.status, refusal.body(head.request_id), (_JSON, *refusal.headers))


async def send_preflight(send: Send, head: Head, allowed: bytes) -> None:
    """Let the page of an allowed Origin call with the methods `allowed` and whatever headers it asked for."""
    headers = [
        (b"access-control-allow-methods", allowed),
        (b"access-control-allow-headers", head.headers.get(b"access-control-request-headers", b"")),
        (b"access-control-max-age", b"600"),
        _NO_STORE,
        (b"x-request-id", head.request_id.encode()),
    ]
    _share(head, headers)
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


class EventStream:
    """An answer as server-sent events, opened by the first event."""

    def __init__(self, send: Send, head: Head) -> None:
        self._send = send
        self._head = head
        self.is_open = False

    async def send_message(self, message: bytes) -> None:
        """Send one JSON-RPC message as an event; it holds no line break, being compact JSON."""
        await self._write(b"event: message\ndata: " + message + b"\n\n")

    async def send_comment(self) -> None:
        """Send what clients ignore, so that proxies keep the connection."""
        await self._write(b": still here\n\n")

    async def end_with(self, message: bytes) -> None:
        """Send the last message, or none for b"", and end the stream."""
        if message:
            await self.send_message(message)
        await self.end()

    async def end(self) -> None:
        """End the stream, which is open."""
        await self._send({"type": "http.response.body", "body": b""})

    async def _write(self, chunk: bytes) -> None:
        if not self.is_open:
            self.is_open = True
            await self._open()
        await self._send({"type": "http.response.body", "body": chunk, "more_body": True})

    async def _open(self) -> None:
        headers = [
            (b"content-type", b"text/event-stream"),
            _NO_STORE,
            # nginx would hold events back until its buffer is full.
            (b"x-accel-buffering", b"no"),
            (b"x-request-id", self._head.request_id.encode()),
        ]
        _share(self._head, headers)
        await self._send({"type": "http.response.start", "status": 200, "headers": headers})


def _share(head: Head, headers: list[tuple[bytes, bytes]]) -> None:
    """Let the page of an allowed Origin read the answer."""
    origin = head.headers.get(b"origin")
    if origin is not None:
        headers += ((b"access-control-allow-origin", origin), (b"vary", b"Origin"), _EXPOSED)
