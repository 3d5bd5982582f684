"""One HTTP address that takes JSON and gives JSON, within one time limit and with one short retry."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import httpx
import msgspec
from msgspec import Struct

from vmk_mcp.embedding.failures import Server, broken_off, refused, too_slow, unreachable, unreadable
from vmk_mcp.errors import SettingsError

AnswerT = TypeVar("AnswerT")
Pause = Callable[[float], Awaitable[None]]

# Long enough for a worker to come back to a pool, short enough to go unnoticed in a search.
_PAUSE_S: Final = 0.2
# A server that wants a longer rest is left alone: the caller hears of it and decides.
_LONGEST_PAUSE_S: Final = 1.0
_CONNECT_TIMEOUT_S: Final = 5.0
_OK: Final = 200
_BUSY: Final = frozenset({429, 503})
_CONNECTION_LOST: Final = (httpx.ReadError, httpx.WriteError, httpx.CloseError, httpx.RemoteProtocolError)


class Route(Struct, frozen=True):
    """Where a request goes and how long it may take, the retry included.

    Attributes:
        headers: sent with each request; they may hold a key and are never shown.
    """

    url: str
    timeout_s: float
    headers: tuple[tuple[str, str], ...] = ()

    def __repr__(self) -> str:
        return f"Route(timeout_s={self.timeout_s})"


class _Reply(Struct, frozen=True):
    status: int
    body: bytes
    retry_after: str


class JsonEndpoint:
    """Posts JSON to one address and types the answer; every failure becomes `EmbeddingUnavailable`.

    Raises:
        SettingsError: the address is no HTTP address.
    """

    def __init__(
        self, route: Route, server: Server, *, client: httpx.AsyncClient, pause: Pause = asyncio.sleep
    ) -> None:
        _check_address(route.url, server)
        self._route = route
        self._server = server
        self._client = client
        self._pause = pause

    async def post(self, body: bytes, answer: type[AnswerT], *, most_bytes: int) -> AnswerT:
        """Post `body`; give the answer, which may not be longer than `most_bytes`."""
        try:
            async with asyncio.timeout(self._route.timeout_s):
                reply = await self._send_with_retry(body, most_bytes)
        except (httpx.ConnectError, httpx.ConnectTimeout):
            raise unreachable(self._server) from None
        except (TimeoutError, httpx.TimeoutException):
            raise too_slow(self._server, self._route.timeout_s) from None
        except httpx.HTTPError:
            raise broken_off(self._server) from None
        if reply.status != _OK:
            raise refused(self._server, reply.status, reply.body)
        try:
            return msgspec.json.decode(reply.body, type=answer)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise unreadable(self._server) from None

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _send_with_retry(self, body: bytes, most_bytes: int) -> _Reply:
        try:
            reply = await self._send(body, most_bytes)
        except _CONNECTION_LOST:
            rest_s = _PAUSE_S
        else:
            rest_s = _rest_before_retry(reply)
            if reply.status not in _BUSY or rest_s > _LONGEST_PAUSE_S:
                return reply
        await self._pause(rest_s)
        return await self._send(body, most_bytes)

    async def _send(self, body: bytes, most_bytes: int) -> _Reply:
        headers = {"content-type": "application/json", "accept-encoding": "identity"}
        headers.update(self._route.headers)
        timeout = httpx.Timeout(self._route.timeout_s, connect=min(_CONNECT_TIMEOUT_S, self._route.timeout_s))
        received = bytearray()
        async with self._client.stream(
            "POST", self._route.url, content=body, headers=headers, timeout=timeout
        ) as response:
            async for chunk in response.aiter_bytes():
                received += chunk
                if len(received) > most_bytes:
                    raise unreadable(self._server)
        return _Reply(response.status_code, bytes(received), response.headers.get("retry-after", ""))


def _rest_before_retry(reply: _Reply) -> float:
    """RFC 9110, 10.2.3: Retry-After is whole seconds or a date; a date is taken for a long while."""
    if not reply.retry_after:
        return _PAUSE_S
    return float(reply.retry_after) if reply.retry_after.isdecimal() else float("inf")


def _check_address(url: str, server: Server) -> None:
    try:
        address = httpx.URL(url)
    except httpx.InvalidURL:
        address = httpx.URL()
    if address.scheme not in {"http", "https"} or not address.host:
        raise SettingsError(f"{server.address_setting} is no HTTP address.", hint=server.address_hint)
