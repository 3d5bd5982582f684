"""From what a call gave, or raised, to the `result` bytes that a client reads."""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.errors import TooLarge, VmkError
from vmk_mcp.protocol.envelope import encode
from vmk_mcp.protocol.work import RequestId
from vmk_mcp.tool import Content, ContentBlock, ResourceBlob, ResourceText, TextContent

MOST_COMPLETIONS: Final = 100
"""MCP 2025-06-18, completion: at most 100 values a response."""

_LONGEST_TEXT: Final = 80

_CONTENT: Final = b'{"content":[{"type":"text","text":%b}],"structuredContent":%b,"isError":false%b}'
_BLOCKS: Final = b'{"content":%b,"isError":false%b}'
_PROGRESS: Final = b'{"jsonrpc":"2.0","method":"notifications/progress","params":%b}'
_MESSAGE: Final = b'{"jsonrpc":"2.0","method":"notifications/message","params":%b}'
_DROPPED: Final = b',"_meta":{"dropped_arguments":%b}'


class _ErrorText(Struct, omit_defaults=True):
    """The text of a tool error, for the model to mend its own call by."""

    error: str
    code: str
    hint: str
    retryable: bool
    field: str = ""


class _ToolError(Struct, rename="camel"):
    content: tuple[TextContent, ...]
    is_error: bool = True


class Implementation(Struct):
    """MCP 2025-06-18 `Implementation`."""

    name: str
    version: str


class _InitializeResult(Struct, rename="camel", omit_defaults=True):
    protocol_version: str
    capabilities: Mapping[str, Mapping[str, bool]]
    server_info: Implementation
    instructions: str = ""


class _Progress(Struct, rename="camel", omit_defaults=True):
    progress_token: RequestId
    progress: float
    total: float | None = None
    message: str = ""


class _LogMessage(Struct):
    level: str
    logger: str
    data: Mapping[str, object]


class _Contents(Struct):
    contents: tuple[ResourceText | ResourceBlob, ...]


class _Values(Struct, rename="camel"):
    values: Sequence[str]
    total: int
    has_more: bool


class _Completed(Struct):
    completion: _Values


class _PromptMessage(Struct):
    content: ContentBlock
    role: str = "user"


class _PromptResult(Struct):
    description: str
    messages: tuple[_PromptMessage, ...]


def tool_result(result: Struct, *, dropped: Sequence[str], summarize: bool) -> bytes:
    """Write a tool's result: the struct's JSON once as it is and once as text, or as a summary."""
    meta = _DROPPED % encode(dropped) if dropped else b""
    if isinstance(result, Content):
        return _BLOCKS % (encode(result.blocks), meta)
    structured = encode(result)
    text = encode(summarize_result(structured)) if summarize else quote_json(structured)
    return _CONTENT % (text, structured, meta)


def quote_json(compact: bytes) -> bytes:
    """Write compact JSON as a JSON string, byte for byte as `encode` writes its text.

    What a string must escape beside these two signs (RFC 8259, 7) the JSON has escaped already. Two passes
    over bytes take two thirds of the time of decoding them and encoding the text.
    """
    return b'"%b"' % compact.replace(b"\\", b"\\\\").replace(b'"', b'\\"')


def tool_error(error: VmkError) -> bytes:
    """Write a tool error: no `structuredContent`, for that would have to match the output schema."""
    return encode(_ToolError(content=(TextContent(encode(error_text(error)).decode()),)))


def error_text(error: VmkError) -> _ErrorText:
    """Give what a caller may know of a failure."""
    return _ErrorText(error.message, error.code, error.hint, error.retryable, error.field or "")


def resource_result(uri: str, mime_type: str, content: str | bytes) -> bytes:
    """Write the result of `resources/read`: text as it is, bytes in base64."""
    if isinstance(content, bytes):
        return encode(_Contents((ResourceBlob(uri, mime_type, content),)))
    return encode(_Contents((ResourceText(uri, mime_type, content),)))


def completion_result(values: Sequence[str]) -> bytes:
    """Write the result of `completion/complete`: the first hundred, and how many there are."""
    return encode(_Completed(_Values(values[:MOST_COMPLETIONS], len(values), len(values) > MOST_COMPLETIONS)))


def prompt_result(description: str, rendered: str | Sequence[ContentBlock]) -> bytes:
    """Write the result of `prompts/get`: messages of the user, one for a text."""
    blocks = (TextContent(rendered),) if isinstance(rendered, str) else rendered
    return encode(_PromptResult(description, tuple(_PromptMessage(block) for block in blocks)))


def too_large(size: int, limit: int) -> TooLarge:
    """Say that an answer of `size` bytes is above `limit`."""
    return TooLarge(
        f"The answer would be {size} bytes; the limit is {limit} bytes.",
        hint="Ask for less: a smaller limit, narrower filters, or brief detail where the tool has it.",
    )


def summarize_result(structured: bytes) -> str:
    """Tell each top-level member in a few words; what is long is left to `structuredContent`."""
    members = msgspec.json.decode(structured, type=dict[str, object])
    told = [f"{name}: {_tell(value)}" for name, value in members.items() if value is not None]
    return "; ".join([*told, "all of it is in structuredContent"])


def _tell(value: object) -> str:
    if isinstance(value, list):
        return f"{len(value)} items"
    if isinstance(value, dict):
        return f"an object of {len(value)} members"
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_TEXT else f"{value[:_LONGEST_TEXT]}…"
    return msgspec.json.encode(value).decode()


def initialize_result(
    version: str, capabilities: Mapping[str, Mapping[str, bool]], server: Implementation, instructions: str
) -> bytes:
    """Write the result of `initialize`; `instructions` is absent where there are none."""
    return encode(_InitializeResult(version, capabilities, server, instructions))


def progress_notification(token: RequestId, done: float, total: float | None, message: str) -> bytes:
    """Write a `notifications/progress` message; an unknown total and an empty message are absent."""
    return _PROGRESS % encode(_Progress(token, done, total, message))


def log_notification(level: str, logger: str, content: Mapping[str, object]) -> bytes:
    """Write a `notifications/message`, by which a client is told what the log is told."""
    return _MESSAGE % encode(_LogMessage(level, logger, content))
