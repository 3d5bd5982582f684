"""Reads requests' bodies, within limits of size, number and time."""

import asyncio
from collections import Counter
from typing import Final

from starlette.types import Receive

from vmk_mcp.running import Call
from vmk_mcp.web.refusals import BODY_INCOMPLETE, OVERLOADED, Refusal, body_too_large

_TIME_LIMIT_S: Final = 10.0
# A client that sends head and body apart holds a place for an instant, so that even few calls need some.
_LEAST_PLACES: Final = 16
# No more than a connection's own buffers take. Most calls are smaller, and many clients send head and body
# apart: of a hundred calls at once, which are a hundred bodies on their way, most would else be refused.
_SMALL_BYTES: Final = 8 * 1024
# Four tokens with nothing but slow bodies are needed to keep the others out.
_PARTS: Final = 4


class ClientGone(Exception):
    """The client closed the connection before its request was whole."""


class BodyReader:
    """Reads bodies: so large, so many at once, so long each, and no more; memory stays flat whoever sends.

    Those that say beforehand that they are small are not counted: connections are, and there is one on each.
    """

    def __init__(self, limit_bytes: int, max_at_once: int) -> None:
        """Read at most `max_at_once` bodies (or 16, where that is less), a quarter of them of one token."""
        self._limit_bytes = limit_bytes
        self._max_at_once = max(max_at_once, _LEAST_PLACES)
        self._share = self._max_at_once // _PARTS
        self._reading = 0
        self._reading_of: Counter[str] = Counter()

    async def read(self, receive: Receive, token: str = "", declared: bytes | None = None) -> bytes | Refusal:
        """Read the body that `receive` gives, sent by the token of that name.

        Args:
            receive: gives its parts.
            token: name of whoever sends it.
            declared: its `Content-Length`, to which the HTTP server holds it; None where it has none.

        Raises:
            ClientGone: the connection closed first.
        """
        if declared is not None and declared.isdigit() and int(declared) <= _SMALL_BYTES:
            return await self._read_in_time(receive)
        if self._reading >= self._max_at_once or self._reading_of[token] >= self._share:
            return OVERLOADED
        self._reading += 1
        self._reading_of[token] += 1
        try:
            return await self._read_in_time(receive)
        finally:
            self._reading -= 1
            self._leave(token)

    async def _read_in_time(self, receive: Receive) -> bytes | Refusal:
        reading = Call()
        # A bare timer: asyncio.timeout would cost each request five times as much.
        timer = asyncio.get_running_loop().call_later(_TIME_LIMIT_S, reading.cancel)
        try:
            return await _read_whole(receive, self._limit_bytes)
        except asyncio.CancelledError:
            if reading.absorb():
                return BODY_INCOMPLETE
            raise
        finally:
            timer.cancel()

    def _leave(self, token: str) -> None:
        self._reading_of[token] -= 1
        if not self._reading_of[token]:
            del self._reading_of[token]


async def _read_whole(receive: Receive, limit_bytes: int) -> bytes | Refusal:
    chunks: list[bytes] = []
    size_bytes = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientGone
        chunk = message.get("body", b"")
        size_bytes += len(chunk)
        if size_bytes > limit_bytes:
            return body_too_large(limit_bytes)
        chunks.append(chunk)
        if not message.get("more_body", False):
            return b"".join(chunks)
