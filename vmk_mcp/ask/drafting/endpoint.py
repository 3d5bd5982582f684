"""One HTTP address of a model: JSON out, JSON in, with patience, and within one time limit."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import httpx
import msgspec
from msgspec import Struct

from vmk_mcp.errors import SettingsError

AnswerT = TypeVar("AnswerT")
Pause = Callable[[float], Awaitable[None]]

TIMEOUT_S: Final = 60.0
"""Of a whole request to a model, with all tries and pauses."""
_CONNECT_TIMEOUT_S: Final = 5.0
_MOST_BYTES: Final = 1024 * 1024
_PAUSES_S: Final = (0.5, 2.0)
"""Between tries; there is one more try than pauses."""
# A server that wants a longer rest is left alone: the caller hears of it and decides.
_LONGEST_PAUSE_S: Final = 20.0
_OK: Final = 200
# 529 is Anthropic's word for an overloaded service.
_PASSING: Final = frozenset({408, 429, 500, 502, 503, 504, 529})


class Route(Struct, frozen=True):
    """Where a model is asked.

    Attributes:
        name: of the service, as a sentence begins with it.
        key_setting: where its key is set.
        model_setting: where its model is set.
        headers: sent with each request; they may hold a key and are never shown.
        timeout_s: of a whole request, with all tries and pauses.
    """

    url: str
    name: str
    key_setting: str
    model_setting: str
    headers: tuple[tuple[str, str], ...] = ()
    timeout_s: float = TIMEOUT_S

    def __repr__(self) -> str:
        return f"Route({self.name!r})"


class ModelFailed(Exception):
    """The model gave no answer that could be read; the text is a sentence for whoever asked."""


class _Reply(Struct, frozen=True):
    status: int
    body: bytes
    retry_after: str


class ModelEndpoint:
    """Posts JSON to a model and types the answer; every failure becomes `ModelFailed`.

    Raises:
        SettingsError: the address is no HTTP address.
    """

    def __init__(self, route: Route, *, pause: Pause = asyncio.sleep) -> None:
        _check_address(route)
        self._route = route
        self._client = httpx.AsyncClient()
        self._pause = pause

    async def post(self, body: object, answer: type[AnswerT]) -> AnswerT:
        """Post `body` and give the answer; the time is bounded, pauses included."""
        name = self._route.name
        try:
            async with asyncio.timeout(self._route.timeout_s):
                reply = await self._send_patiently(msgspec.json.encode(body))
        except (httpx.ConnectError, httpx.ConnectTimeout):
            raise ModelFailed(f"{name} cannot be reached: check the network and the address.") from None
        except (TimeoutError, httpx.TimeoutException):
            limit_s = self._route.timeout_s
            raise ModelFailed(f"{name} did not answer within {limit_s:g} s: try again.") from None
        except httpx.HTTPError:
            raise ModelFailed(f"{name} broke off its answer: try again.") from None
        if reply.status != _OK:
            raise ModelFailed(self._explain(reply.status))
        try:
            return msgspec.json.decode(reply.body, type=answer)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            raise ModelFailed(f"{name} answered with something that is no answer of a model.") from None

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _send_patiently(self, body: bytes) -> _Reply:
        for usual_s in _PAUSES_S:
            try:
                reply = await self._send(body)
            except (httpx.NetworkError, httpx.RemoteProtocolError):
                rest_s = usual_s
            else:
                rest_s = _rest_after(reply, usual_s)
                if reply.status not in _PASSING or rest_s > _LONGEST_PAUSE_S:
                    return reply
            await self._pause(rest_s)
        return await self._send(body)

    async def _send(self, body: bytes) -> _Reply:
        headers = {
            "content-type": "application/json",
            "accept-encoding": "identity",
            **dict(self._route.headers),
        }
        timeout = httpx.Timeout(self._route.timeout_s, connect=_CONNECT_TIMEOUT_S)
        received = bytearray()
        async with self._client.stream(
            "POST", self._route.url, content=body, headers=headers, timeout=timeout
        ) as response:
            async for chunk in response.aiter_bytes():
                received += chunk
                if len(received) > _MOST_BYTES:
                    raise ModelFailed(f"{self._route.name} sent more than an answer can be.")
        return _Reply(response.status_code, bytes(received), response.headers.get("retry-after", ""))

    def _explain(self, status: int) -> str:
        route = self._route
        match status:
            case 401 | 403:
                return f"{route.name} refused the key (HTTP {status}): check {route.key_setting}."
            case 400 | 404 | 422:
                return f"{route.name} refused the request (HTTP {status}): check {route.model_setting}."
            case 413:
                return (
                    f"{route.name} finds the schema too large (HTTP {status}): open fewer tables to asking."
                )
            case status if status in _PASSING:
                return f"{route.name} is overloaded or failing (HTTP {status}): try again later."
            case _:
                return f"{route.name} answered with HTTP {status}: check its address."


def _rest_after(reply: _Reply, usual_s: float) -> float:
    """RFC 9110, 10.2.3: Retry-After is whole seconds or a date; a date is taken for a long while."""
    if not reply.retry_after:
        return usual_s
    try:
        return max(0.0, float(reply.retry_after))
    except ValueError:
        return float("inf")


def _check_address(route: Route) -> None:
    try:
        address = httpx.URL(route.url)
    except httpx.InvalidURL:
        address = httpx.URL()
    if address.scheme not in {"http", "https"} or not address.host:
        raise SettingsError(
            f"{route.name} has no HTTP address.",
            hint="OPENAI_BASE_URL is an address such as http://127.0.0.1:11434/v1.",
        )
