"""The JSON-RPC 2.0 envelope: a message decoded once, and responses joined from bytes that are JSON."""

import re
from typing import Any, Final, TypeVar

import msgspec
import msgspec.inspect as mi
from msgspec import UNSET, Raw, Struct, UnsetType

from vmk_mcp.protocol.kinds import describe, locate
from vmk_mcp.protocol.work import BAD_REQUEST, OK, RequestId

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
RESOURCE_NOT_FOUND: Final = -32002  # MCP 2025-06-18, resources, "Error Handling"

StructT = TypeVar("StructT", bound=Struct)

encode: Final = msgspec.json.Encoder(decimal_format="number").encode
"""The one encoder of what leaves: numbers stay JSON numbers."""


class Rejected(Exception):
    """The message is answered with a JSON-RPC error.

    Attributes:
        code: JSON-RPC error code.
        message: one sentence for the caller.
        data: the error's `data`, or None for none.
        id: the request's id where it could be told.
        status: HTTP status.
    """

    def __init__(
        self,
        code: int,
        message: str,
        *,
        data: object = None,
        id: RequestId | None = None,
        status: int = OK,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data
        self.id = id
        self.status = status


class Envelope(Struct, gc=False):
    """A request, notification or response; `params` stays bytes until the method is known."""

    jsonrpc: str
    method: str | UnsetType = UNSET
    id: int | str | UnsetType = UNSET
    params: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET


class _Loose(Struct):
    """An envelope of which nothing is believed yet."""

    jsonrpc: Raw | UnsetType = UNSET
    method: Raw | UnsetType = UNSET
    id: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET


_ENVELOPE: Final = msgspec.json.Decoder(Envelope)
_LOOSE: Final = msgspec.json.Decoder(_Loose)
_SYNTAX: Final = msgspec.json.Decoder(Raw)
_ID: Final = msgspec.json.Decoder(int | str)
_TEXT: Final = msgspec.json.Decoder(str)

_MISSING: Final = re.compile(r"Object missing required field `([^`]+)`")
_PLACE: Final = re.compile(r" - at `\$([^`]*)`$")
_NAME: Final = re.compile(r"\.(\w+)")

_LONE_SURROGATE: Final = re.compile(
    rb"(?:[^\\]++|\\[^u]|\\u(?![dD][89a-fA-F])|\\u[dD][89abAB]..\\u[dD][c-fC-F]..)*+\\u[dD][89a-fA-F]",
    re.DOTALL,
)
"""A text up to the first escape that is half of a pair; possessive, so that it looks at each byte once."""

_ERROR: Final = b'{"jsonrpc":"2.0","id":%b,"error":%b}'
_RESULT: Final = b'{"jsonrpc":"2.0","id":%b,"result":%b}'


def read_envelope(body: bytes) -> Envelope | None:
    """Decode one message; None stands for a response with an unusual id, which wants no answer.

    Raises:
        Rejected: the body is no JSON (-32700) or no JSON-RPC 2.0 message (-32600), with HTTP 400.
    """
    try:
        if not body.isascii():
            # Where a part stays Raw msgspec does not look inside its strings.
            body.decode()
        envelope = _ENVELOPE.decode(body)
    except msgspec.ValidationError:
        _diagnose(body)
        return None
    except (ValueError, RecursionError) as problem:
        raise _unparseable(body, problem) from None
    if envelope.jsonrpc != "2.0" or _is_neither(envelope):
        _diagnose(body)
    return envelope


def read_params(params: Raw | UnsetType, decoder: msgspec.json.Decoder[StructT]) -> StructT:
    """Decode `params`; missing and null count as an empty object.

    Raises:
        Rejected: -32602, naming the member that is missing or ill-typed.
    """
    try:
        return decoder.decode(b"{}" if params is UNSET else params)
    except msgspec.ValidationError as problem:
        if params is not UNSET and bytes(params) == b"null":
            return read_params(UNSET, decoder)
        told = _tell_misfit(problem, mi.type_info(decoder.type))
        raise Rejected(INVALID_PARAMS, f"Invalid params: {told}") from None


def _tell_misfit(problem: msgspec.ValidationError, params: mi.Type) -> str:
    """Say which member does not fit and what is expected there; msgspec's own words stay inside."""
    missing, place = _MISSING.match(str(problem)), _PLACE.search(str(problem))
    names = _NAME.findall(place[1]) if place else []
    names += [missing[1]] if missing else []
    path = ".".join(["params", *names])
    expected = locate(params, names)
    if expected is None:
        return f"{path} does not belong there"
    return f"{path} {'is missing: ' if missing else ''}expected {describe(expected)}"


def write_result(request_id: RequestId, result: bytes) -> bytes:
    """Join a response of `result`, which is JSON already."""
    return _RESULT % (encode(request_id), result)


def write_error(rejected: Rejected) -> bytes:
    """Write the error response; its id is null where it could not be told."""
    error: dict[str, Any] = {"code": rejected.code, "message": rejected.message}
    if rejected.data is not None:
        error["data"] = rejected.data
    return _ERROR % (encode(rejected.id), encode(error))


def _is_neither(message: Envelope | _Loose) -> bool:
    """Say that this is no request or notification, and no response either."""
    silent = message.result is UNSET and message.error is UNSET
    return message.method is UNSET and (message.id is UNSET or silent)


def _unparseable(body: bytes, problem: Exception) -> Rejected:
    if isinstance(problem, RecursionError):
        return Rejected(PARSE_ERROR, "Parse error: the JSON is nested too deeply", status=BAD_REQUEST)
    if isinstance(problem, UnicodeDecodeError):
        return Rejected(PARSE_ERROR, "Parse error: the body is not UTF-8", status=BAD_REQUEST)
    why = ": an escape is a lone surrogate, half of a character" if _LONE_SURROGATE.match(body) else ""
    return Rejected(
        PARSE_ERROR, f"Parse error: the body is not one JSON value (RFC 8259){why}", status=BAD_REQUEST
    )


def _diagnose(body: bytes) -> None:
    """Say what is wrong with a body that is no proper message; a client's response is let through.

    The typed decoder stops at the first wrong type, so that the text behind it was not looked at.
    """
    try:
        _SYNTAX.decode(body)
        message = _LOOSE.decode(body)
    except msgspec.ValidationError:
        batch = body.lstrip()[:1] == b"["
        what = "batches were removed in MCP 2025-06-18: send one message" if batch else "send one JSON object"
        raise Rejected(INVALID_REQUEST, f"Invalid Request: {what}", status=BAD_REQUEST) from None
    except (ValueError, RecursionError) as problem:
        raise _unparseable(body, problem) from None
    request_id = _decode_or_none(message.id, _ID)
    if _decode_or_none(message.jsonrpc, _TEXT) != "2.0":
        fault = 'jsonrpc must be "2.0"'
    elif message.method is not UNSET and _decode_or_none(message.method, _TEXT) is None:
        fault = "method must be a string"
    elif _is_neither(message):
        fault = "method is missing"
    elif message.method is UNSET:
        return
    else:
        fault = "id must be a string or an integer"
    raise Rejected(INVALID_REQUEST, f"Invalid Request: {fault}", id=request_id, status=BAD_REQUEST)


_ScalarT = TypeVar("_ScalarT")


def _decode_or_none(raw: Raw | UnsetType, decoder: msgspec.json.Decoder[_ScalarT]) -> _ScalarT | None:
    try:
        return None if raw is UNSET else decoder.decode(raw)
    except msgspec.DecodeError:
        return None
