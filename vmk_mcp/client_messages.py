"""What a client of ours reads of a server's answers, and how events are cut out of a stream (leaf)."""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import msgspec
from msgspec import Struct, field


class ToolFailure(Struct, frozen=True):
    """The JSON text of a tool result with `isError`."""

    error: str
    code: str = "tool_failed"
    hint: str = ""
    retryable: bool = False
    field: str | None = None


class ServerIdentity(Struct, frozen=True):
    """MCP 2025-06-18 `Implementation`."""

    name: str
    version: str = ""


class Initialized(Struct, frozen=True, rename="camel"):
    """MCP 2025-06-18 `InitializeResult`, as far as a client of ours looks at it."""

    protocol_version: str
    server_info: ServerIdentity
    instructions: str = ""


class ListedTool(Struct, frozen=True, rename="camel"):
    """MCP 2025-06-18 `Tool`, as far as a client of ours looks at it."""

    name: str
    title: str = ""
    description: str = ""
    input_schema: dict[str, Any] = {}


class Health(Struct, frozen=True):
    """Answer of `/health`; `tools` are the names that the token may call."""

    status: str
    tools: tuple[str, ...] = ()


class ToolPage(Struct, rename="camel"):
    """MCP 2025-06-18 `ListToolsResult`."""

    tools: list[ListedTool]
    next_cursor: str | None = None


class Content(Struct):
    """MCP 2025-06-18 `TextContent`; other kinds have no text."""

    text: str = ""


class Meta(Struct):
    """What our servers say beside a result."""

    dropped_arguments: list[str] = []


class ToolResult(Struct):
    """MCP 2025-06-18 `CallToolResult`."""

    content: list[Content] = []
    structured_content: dict[str, Any] | None = field(default=None, name="structuredContent")
    is_error: bool = field(default=False, name="isError")
    meta: Meta = field(default_factory=Meta, name="_meta")


class Failure(Struct):
    """JSON-RPC 2.0 error object."""

    code: int
    message: str


class ProgressParams(Struct):
    """MCP 2025-06-18 `ProgressNotification`, its params; other notifications have none of them."""

    progress: float = 0.0
    total: float | None = None
    message: str = ""


class Incoming(Struct):
    """One JSON-RPC message of a server: an answer, or a notification, which has a method."""

    id: int | str | None = None
    method: str = ""
    params: msgspec.Raw = msgspec.Raw()
    result: msgspec.Raw = msgspec.Raw()
    error: Failure | None = None


class Refusal(Struct):
    """Body of an HTTP error of our servers."""

    message: str = ""


async def read_events(lines: AsyncIterator[str]) -> AsyncGenerator[bytes]:
    """Give what each event of a stream of server-sent events carries, as soon as it is whole.

    Args:
        lines: the stream's lines, without their ends.
    """
    said: list[str] = []
    async for line in lines:
        if line.startswith("data:"):
            said.append(line.removeprefix("data:").strip())
        elif not line and said:
            yield "\n".join(said).encode()
            said = []
    if said:
        yield "\n".join(said).encode()


def read_tool_failure(text: str) -> ToolFailure:
    """Read the text of a tool result with `isError`; one of another server may be plain words."""
    try:
        return msgspec.json.decode(text, type=ToolFailure)
    except msgspec.MsgspecError:
        return ToolFailure(error=text or "the tool failed and did not say why")
