"""Every way the door turns a request away: status, stable code, and words that say what to do."""

from typing import Final

import msgspec
from msgspec import Struct

Headers = tuple[tuple[bytes, bytes], ...]

_REALM: Final = b'Bearer realm="vmk-mcp"'


class RefusalBody(Struct, frozen=True):
    """The JSON body of a refusal."""

    error: str
    message: str
    request_id: str


class Refusal(Struct, frozen=True):
    """Why a request is not served: HTTP status, stable code, what is wrong and what to do about it."""

    status: int
    code: str
    message: str
    headers: Headers = ()

    def body(self, request_id: str) -> bytes:
        """Give the JSON body for the request of that id."""
        return msgspec.json.encode(RefusalBody(self.code, self.message, request_id))


_CLOSE: Final = (b"connection", b"close")

ORIGIN_NOT_ALLOWED: Final = Refusal(
    403,
    "origin_not_allowed",
    "This Origin may not call the server; add it to MCP_ALLOWED_ORIGINS, with its scheme, host and port.",
)
HOST_NOT_ALLOWED: Final = Refusal(
    403, "host_not_allowed", "The server does not answer to this Host; add it to MCP_ALLOWED_HOSTS."
)
NO_SUCH_PATH: Final = Refusal(
    404, "no_such_path", "Nothing is served here; MCP is at /mcp, and there are /health, /ready and /metrics."
)
TOKEN_MISSING: Final = Refusal(
    401,
    "token_missing",
    "Send the header 'Authorization: Bearer <token>'; tokens in the address are never read.",
    ((b"www-authenticate", _REALM),),
)
INVALID_TOKEN: Final = Refusal(
    401,
    "invalid_token",
    "The server knows no such token; check that it is whole and stands in MCP_TOKENS_FILE.",
    ((b"www-authenticate", _REALM + b', error="invalid_token"'),),
)
INSUFFICIENT_SCOPE: Final = Refusal(
    403,
    "insufficient_scope",
    'This token may not read metrics; its "tools" must name "metrics".',
    ((b"www-authenticate", _REALM + b', error="insufficient_scope", scope="metrics"'),),
)
NOT_ACCEPTABLE: Final = Refusal(
    406, "not_acceptable", "Answers are application/json or text/event-stream; let Accept name one of them."
)
UNSUPPORTED_MEDIA_TYPE: Final = Refusal(
    415, "unsupported_media_type", "Send the body as JSON, with 'Content-Type: application/json'."
)
UNSUPPORTED_ENCODING: Final = Refusal(
    415,
    "unsupported_encoding",
    "Send the body as it is, without a Content-Encoding, and with no Transfer-Encoding but chunked.",
)
BODY_INCOMPLETE: Final = Refusal(
    400,
    "body_incomplete",
    "The body did not arrive whole in time; send the request again.",
    (_CLOSE,),
)
HEAD_INCOMPLETE: Final = Refusal(
    408,
    "head_incomplete",
    "The request's line and headers did not arrive whole in time; send the request again.",
    (_CLOSE,),
)
HEAD_TOO_LARGE: Final = Refusal(
    431,
    "head_too_large",
    "The request's line and headers are larger than the server takes; send arguments in the body.",
    (_CLOSE,),
)
MALFORMED_REQUEST: Final = Refusal(
    400,
    "malformed_request",
    "This is no HTTP/1.1: the request's line, a header or a length is malformed, or Host is not there once.",
    (_CLOSE,),
)
TOO_MANY_CONNECTIONS: Final = Refusal(
    503,
    "too_many_connections",
    "More connections are open than the server takes; use one for many calls, or wait for Retry-After.",
    ((b"retry-after", b"1"), _CLOSE),
)
INTERNAL_ERROR: Final = Refusal(
    500, "internal_error", "The server failed by its own fault; its operator finds why by the request id."
)
OVERLOADED: Final = Refusal(
    503,
    "overloaded",
    "More calls are waiting than the server takes; try again after the time in Retry-After.",
    ((b"retry-after", b"1"),),
)


def method_not_allowed(allowed: bytes) -> Refusal:
    """Refuse a method where only those in `allowed` (an `Allow` value) are served."""
    return Refusal(
        405,
        "method_not_allowed",
        f"This method is not served here; use {allowed.decode()}.",
        ((b"allow", allowed),),
    )


def body_too_large(limit_bytes: int) -> Refusal:
    """Refuse a body of more than `limit_bytes`."""
    return Refusal(
        413,
        "body_too_large",
        f"The body is larger than {limit_bytes:,} bytes (MAX_BODY_BYTES); send less at once.",
    )


def rate_limited(rate_per_minute: int, wait_s: int) -> Refusal:
    """Refuse a call over its token's rate; the next one is served in `wait_s` seconds."""
    return Refusal(
        429,
        "rate_limited",
        f"This token may make {rate_per_minute} calls a minute; try again in {wait_s} s.",
        ((b"retry-after", str(wait_s).encode()),),
    )
