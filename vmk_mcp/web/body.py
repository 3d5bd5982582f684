"""Reads a request's body, never more of it than is allowed, never longer than is fair."""

import asyncio
from typing import Final

from starlette.types import Receive

from vmk_mcp.running import Call
from vmk_mcp.web.refusals import BODY_INCOMPLETE, Refusal, body_too_large

_TIME_LIMIT_S: Final = 30.0


class ClientGone(Exception):
    """The client closed the connection before its request was whole."""


async def read_body(receive: Receive, limit_bytes: int) -> bytes | Refusal:
    """Read the body that `receive` gives.

    Raises:
        ClientGone: the connection closed first.
    """
    reading = Call()
    # A bare timer: asyncio.timeout would cost each request five times as much.
    timer = asyncio.get_running_loop().call_later(_TIME_LIMIT_S, reading.cancel)
    try:
        return await _read_whole(receive, limit_bytes)
    except asyncio.CancelledError:
        if reading.absorb():
            return BODY_INCOMPLETE
        raise
    finally:
        timer.cancel()


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
