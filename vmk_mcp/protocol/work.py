"""What reading one message gives: a finished answer, or work to be awaited by the door."""

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal

from msgspec import Struct

from vmk_mcp.tool import AnyTool, CallContext, Caller, Completer, Progress, Resource, ignore_progress

# MCP 2025-06-18, logging: the levels of RFC 5424, least first
LogLevel = Literal["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]

RequestId = int | str
"""A JSON-RPC id; it goes back unchanged, type and all."""

OK: Final = 200
ACCEPTED: Final = 202
BAD_REQUEST: Final = 400


class Answer(Struct, frozen=True):
    """One finished answer, and what the log wants to know of it.

    Attributes:
        status: HTTP status; a door without statuses looks at `body` only.
        body: one JSON-RPC message in UTF-8; b"" when nothing is to be said.
        method: JSON-RPC method as sent, or "" when it is none of ours.
        tool: canonical name of the tool called, or "".
        code: "ok", a `VmkError` code, or the JSON-RPC error code as text.
        outcome: of `initialize`: `direct_success` or `compatibility_success`, else "".
        log_level: of `logging/setLevel`: the level asked for, else None.
        dropped: unknown arguments that the caller's profile let fall.
        crash: the exception that is our bug, for the log only.
    """

    status: int
    body: bytes = b""
    method: str = ""
    tool: str = ""
    code: str = "ok"
    outcome: str = ""
    log_level: LogLevel | None = None
    dropped: tuple[str, ...] = ()
    crash: BaseException | None = None


class ToolCall(Struct, frozen=True):
    """A call of a tool whose arguments are already the tool's struct."""

    method: ClassVar[str] = "tools/call"

    id: RequestId
    tool: AnyTool
    arguments: Struct
    caller: Caller
    progress_token: RequestId | None = None
    dropped: tuple[str, ...] = ()
    summarize: bool = False

    @property
    def tool_name(self) -> str:
        """Canonical name of the tool."""
        return self.tool.name

    @property
    def words(self) -> str:
        """The caller's own words in the arguments, where the tool says which they are; else ""."""
        if self.tool.query_field is None:
            return ""
        words: object = self.arguments
        for name in self.tool.query_field.split("."):
            words = getattr(words, name, None)
        return words if isinstance(words, str) else ""

    def begin(self, progress: Progress = ignore_progress) -> Awaitable[Any]:
        """Start the call; what it gives, or raises, goes to `Protocol.write`."""
        return self.tool.call(self.arguments, CallContext(self.caller, progress))


class ResourceRead(Struct, frozen=True):
    """A resource to be read: `variables` are those of its URI template, decoded."""

    method: ClassVar[str] = "resources/read"
    tool_name: ClassVar[str] = ""
    words: ClassVar[str] = ""

    id: RequestId
    uri: str
    resource: Resource
    variables: Mapping[str, str]
    caller: Caller
    progress_token: RequestId | None = None

    def begin(self, progress: Progress = ignore_progress) -> Awaitable[str | bytes]:
        """Start the reading; what it gives, or raises, goes to `Protocol.write`."""
        return self.resource.read(self.variables, CallContext(self.caller, progress))


class Completion(Struct, frozen=True):
    """An argument's beginning to be completed."""

    method: ClassVar[str] = "completion/complete"
    tool_name: ClassVar[str] = ""
    words: ClassVar[str] = ""

    id: RequestId
    completer: Completer
    value: str
    caller: Caller
    progress_token: RequestId | None = None

    def begin(self, progress: Progress = ignore_progress) -> Awaitable[Sequence[str]]:
        """Start the completion; what it gives, or raises, goes to `Protocol.write`."""
        return self.completer.complete(self.value, CallContext(self.caller, progress))


class Cancel(Struct, frozen=True):
    """A wish to end the running request `request_id`; `answer` is due whether it is found or not."""

    request_id: RequestId
    answer: Answer


Work = ToolCall | ResourceRead | Completion
