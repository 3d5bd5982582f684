"""A small MCP client over HTTP, for `vmk-mcp call` and the watcher (leaf)."""

import ipaddress
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from types import TracebackType
from typing import Any, ClassVar, Final, TypeVar
from urllib.parse import urlsplit, urlunsplit

import httpx
import msgspec

from vmk_mcp.client_messages import (
    Health,
    Incoming,
    Initialized,
    ListedTool,
    ProgressParams,
    Refusal,
    ToolFailure,
    ToolPage,
    ToolResult,
    read_events,
    read_tool_failure,
)

ResultT = TypeVar("ResultT")

PROTOCOL_VERSION: Final = "2025-06-18"
_CONNECT_WITHIN_S: Final = 5
_EVENT_STREAM: Final = "text/event-stream"

TellProgress = Callable[[ProgressParams], Awaitable[None]]
"""Told how far a call has come, as often as the server says so."""


class ClientError(Exception):
    """A call came to nothing; the text is for the person who made it.

    Attributes:
        message: what went wrong, one sentence.
        hint: what to do about it, or "".
    """

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ServerUnreachable(ClientError):
    """Nothing answers at the address, or not in time, or something that is no MCP server."""


class NotLetIn(ClientError):
    """The server refused the request before it looked at what it asks."""


class RequestRejected(ClientError):
    """The server answered with a JSON-RPC error.

    Attributes:
        code: JSON-RPC error code.
    """

    def __init__(self, message: str, *, code: int, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.code = code


class ToolFailed(ClientError):
    """The tool was run and says what is wrong.

    Attributes:
        code: stable word, see `contracts/errors.json`.
        retryable: the same call may succeed later, unchanged.
        field: path of the one argument at fault, or None.
    """

    def __init__(self, failure: "ToolFailure") -> None:
        super().__init__(failure.error, hint=failure.hint)
        self.code = failure.code
        self.retryable = failure.retryable
        self.field = failure.field


class McpClient:
    """Speaks MCP 2025-06-18 with one server; use it as an asynchronous context manager.

    Attributes:
        ignored_arguments: names that the tool called last does not know, and that the server left out.
    """

    _HINTS: ClassVar[Mapping[int, str]] = {
        401: "The server does not know this token; `vmk-mcp token new` makes one.",
        403: "The server does not serve this origin or host.",
        429: "This token has made too many calls; wait a little.",
        503: "The server is busy or is still starting; try again.",
    }

    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        timeout_s: float = 120,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Describe the server.

        Args:
            url: address of its MCP endpoint, such as `http://127.0.0.1:8080/mcp`.
            token: bearer token, or None for a server that asks for none.
            timeout_s: how long the server may be silent while it answers.
            transport: another way to carry requests, for tests.
        """
        self.ignored_arguments: Sequence[str] = ()
        self._url = url
        self._last_id = 0
        self._http = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {token}"} if token else {},
            timeout=httpx.Timeout(timeout_s, connect=_CONNECT_WITHIN_S),
            transport=transport,
            # A proxy of the environment cannot reach this machine's own loopback.
            trust_env=not is_loopback(url),
        )

    async def __aenter__(self) -> "McpClient":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def initialize(self) -> Initialized:
        """Open; our servers keep no session, so a call may also be made without it."""
        parameters = {
            "protocolVersion": PROTOCOL_VERSION,
            "capabilities": {},
            "clientInfo": {"name": "vmk-mcp", "version": "1"},
        }
        opened = self._convert(await self._request("initialize", parameters), Initialized)
        told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        async with self._responding("POST", self._url, msgspec.json.encode(told)):
            return opened

    async def ping(self) -> None:
        """Raise unless the server answers."""
        await self._request("ping", {})

    async def list_tools(self) -> list[ListedTool]:
        """Give all tools that the token may call, page by page."""
        page = self._convert(await self._request("tools/list", {}), ToolPage)
        tools = page.tools
        while page.next_cursor is not None:
            page = self._convert(await self._request("tools/list", {"cursor": page.next_cursor}), ToolPage)
            tools += page.tools
        return tools

    async def call_tool(
        self, name: str, arguments: Mapping[str, object], tell_progress: TellProgress | None = None
    ) -> dict[str, Any]:
        """Call a tool; gives its structured content.

        Raises:
            ToolFailed: the tool says what is wrong with the call.
            ClientError: the call did not get as far as the tool.
        """
        parameters: dict[str, object] = {"name": name, "arguments": dict(arguments)}
        if tell_progress is not None:
            parameters["_meta"] = {"progressToken": name}
        result = self._convert(await self._request("tools/call", parameters, tell_progress), ToolResult)
        self.ignored_arguments = result.meta.dropped_arguments
        text = "".join(part.text for part in result.content)
        if result.is_error:
            raise ToolFailed(read_tool_failure(text))
        if result.structured_content is not None:
            return result.structured_content
        return {"text": text}

    async def health(self) -> Health:
        """Ask whether the server is alive, and which tools the token opens."""
        parts = urlsplit(self._url)
        path = parts.path.rstrip("/").removesuffix("/mcp") + "/health"
        async with self._responding(
            "GET", urlunsplit((parts.scheme, parts.netloc, path, "", ""))
        ) as response:
            return self._convert(response.content, Health)

    async def _request(
        self, method: str, parameters: Mapping[str, object], tell_progress: TellProgress | None = None
    ) -> bytes:
        """Give the raw result of one request."""
        self._last_id += 1
        message = {"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": parameters}
        async with self._responding("POST", self._url, msgspec.json.encode(message)) as response:
            answer = await self._await_answer(response, tell_progress)
        if answer.error is not None:
            raise RequestRejected(answer.error.message, code=answer.error.code)
        if not answer.result:
            raise self._not_mcp()
        return bytes(answer.result)

    async def _await_answer(self, response: httpx.Response, tell_progress: TellProgress | None) -> Incoming:
        """Read messages up to the answer to the last request; tell of progress meanwhile."""
        async with aclosing(_read_messages(response)) as messages:
            async for text in messages:
                message = self._convert(text, Incoming)
                if message.id == self._last_id or message.error is not None:
                    return message
                if tell_progress is not None and message.method == "notifications/progress":
                    await tell_progress(self._convert(bytes(message.params), ProgressParams))
        raise self._not_mcp()

    @asynccontextmanager
    async def _responding(self, method: str, url: str, body: bytes = b"") -> AsyncIterator[httpx.Response]:
        """Send a request; the response is read within the block, and what goes wrong meanwhile is told."""
        headers = {
            "Accept": f"application/json, {_EVENT_STREAM}",
            "Content-Type": "application/json",
            "MCP-Protocol-Version": PROTOCOL_VERSION,
        }
        try:
            async with self._http.stream(method, url, content=body, headers=headers) as response:
                if not response.headers.get("Content-Type", "").startswith(_EVENT_STREAM):
                    await response.aread()
                    if response.is_error and b'"jsonrpc"' not in response.content:
                        raise self._refusal(response)
                yield response
        except httpx.TimeoutException:
            raise ServerUnreachable(f"The server at {self._url} did not answer in time.") from None
        except (httpx.TransportError, httpx.InvalidURL):
            raise ServerUnreachable(
                f"No server answers at {self._url}.", hint="Start it with `make run` or `vmk-mcp serve`."
            ) from None

    def _refusal(self, response: httpx.Response) -> ClientError:
        try:
            said = msgspec.json.decode(response.content, type=Refusal).message
        except msgspec.MsgspecError:
            said = ""
        told = f": {said}" if said else "."
        message = f"The server at {self._url} answered HTTP {response.status_code}{told}"
        hint = self._HINTS.get(response.status_code, "")
        if response.is_server_error:
            return ServerUnreachable(message, hint=hint)
        return NotLetIn(message, hint=hint)

    def _convert(self, text: bytes, kind: type[ResultT]) -> ResultT:
        try:
            return msgspec.json.decode(text, type=kind)
        except msgspec.MsgspecError:
            raise self._not_mcp() from None

    def _not_mcp(self) -> ServerUnreachable:
        return ServerUnreachable(
            f"What answers at {self._url} is no MCP server.", hint="Is the address right?"
        )


def _read_messages(response: httpx.Response) -> AsyncGenerator[bytes]:
    """Give the JSON-RPC messages of a response, be it one JSON body or a stream of events."""
    if response.headers.get("Content-Type", "").startswith(_EVENT_STREAM):
        return read_events(response.aiter_lines())
    return _read_body(response)


async def _read_body(response: httpx.Response) -> AsyncGenerator[bytes]:
    yield await response.aread()


def is_loopback(url: str) -> bool:
    """Say whether an address is of this very machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
