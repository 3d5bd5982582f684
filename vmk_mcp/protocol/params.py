"""The `params` of each method, as structs; members that we do not know are ignored, as MCP asks."""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field

from vmk_mcp.protocol.envelope import INVALID_PARAMS, Rejected
from vmk_mcp.protocol.faults import cut
from vmk_mcp.protocol.work import LogLevel, RequestId

LONGEST_COMPLETED: Final = 200
"""Characters: no known value is longer, so nothing begins with a longer text."""

_LONGEST_PROMPT_ARGUMENT: Final = 2_000
"""Characters: a prompt's argument is a name or a wish, and stands in the text that a model reads."""


class NoParams(Struct, gc=False):
    """Of methods that take nothing."""


class ListParams(Struct, gc=False):
    """Of every list method."""

    cursor: str | None = None


class CallParams(Struct):
    """Of `tools/call`."""

    name: str
    arguments: Raw | UnsetType = UNSET
    meta: Raw | UnsetType = field(default=UNSET, name="_meta")


class ReadParams(Struct):
    """Of `resources/read`."""

    uri: str
    meta: Raw | UnsetType = field(default=UNSET, name="_meta")


class PromptParams(Struct):
    """Of `prompts/get`."""

    name: str
    arguments: Mapping[str, Raw] | None = None


class PromptReference(Struct, tag="ref/prompt"):
    """MCP 2025-06-18 `PromptReference`."""

    name: str


class ResourceReference(Struct, tag="ref/resource"):
    """MCP 2025-06-18 `ResourceTemplateReference`."""

    uri: str


class CompletedArgument(Struct):
    """The argument whose beginning is there."""

    name: str
    value: str


class CompletionParams(Struct):
    """Of `completion/complete`."""

    ref: PromptReference | ResourceReference
    argument: CompletedArgument


class LevelParams(Struct):
    """Of `logging/setLevel`."""

    level: LogLevel


class CancelledParams(Struct, rename="camel"):
    """Of `notifications/cancelled`."""

    request_id: RequestId


class _VersionWish(Struct, rename="camel"):
    protocol_version: Raw | UnsetType = UNSET


class _Meta(Struct, rename="camel"):
    progress_token: RequestId | None = None


NO_PARAMS: Final = msgspec.json.Decoder(NoParams)
LIST_PARAMS: Final = msgspec.json.Decoder(ListParams)
CALL_PARAMS: Final = msgspec.json.Decoder(CallParams)
READ_PARAMS: Final = msgspec.json.Decoder(ReadParams)
PROMPT_PARAMS: Final = msgspec.json.Decoder(PromptParams)
COMPLETION_PARAMS: Final = msgspec.json.Decoder(CompletionParams)
LEVEL_PARAMS: Final = msgspec.json.Decoder(LevelParams)
CANCELLED_PARAMS: Final = msgspec.json.Decoder(CancelledParams)
_VERSION_WISH: Final = msgspec.json.Decoder(_VersionWish)
_META: Final = msgspec.json.Decoder(_Meta)
_TEXT: Final = msgspec.json.Decoder(str)


def prompt_arguments(given: Mapping[str, Raw] | None) -> dict[str, str]:
    """Give the texts of a prompt's arguments.

    Raises:
        Rejected: -32602, naming the argument that is no text or too long.
    """
    return {name: _prompt_argument(name, raw) for name, raw in (given or {}).items()}


def _prompt_argument(name: str, raw: Raw) -> str:
    try:
        text = _TEXT.decode(raw)
    except msgspec.ValidationError:
        problem = "expected text"
    else:
        if len(text) <= _LONGEST_PROMPT_ARGUMENT:
            return text
        problem = f"expected at most {_LONGEST_PROMPT_ARGUMENT} characters, got {len(text)}"
    raise Rejected(INVALID_PARAMS, f"Invalid params: params.arguments.{cut(name)} {problem}")


def progress_token(meta: Raw | UnsetType) -> RequestId | None:
    """Give the token that progress is to be told under; an ill-formed `_meta` asks for none."""
    if meta is UNSET:
        return None
    try:
        return _META.decode(meta).progress_token
    except msgspec.DecodeError:
        return None


def wished_version(params: Raw | UnsetType) -> str:
    """Give the version that `initialize` asks for, or "" when that is missing or no text."""
    if params is UNSET:
        return ""
    try:
        wish = _VERSION_WISH.decode(params).protocol_version
        return "" if wish is UNSET else _TEXT.decode(wish)
    except msgspec.DecodeError:
        return ""
