"""What the door reads of a request before its body: method, headers, peer, and the id it is logged under."""

import re
import secrets
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import count
from typing import Final

from msgspec import Struct
from starlette.types import Scope

_SANE_REQUEST_ID: Final = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._:/+=@-]{0,127}")
# W3C Trace Context: version, trace id, parent id, flags.
_TRACEPARENT: Final = re.compile(rb"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
# A process's own random prefix and a count: as unique as a UUID, at a tenth of its price.
_PREFIX: Final = secrets.token_hex(8)
_COUNT: Final = count(1)


class Head(Struct, frozen=True):
    """A request without its body.

    Attributes:
        headers: by lower-case name; repeated ones joined with ", " (RFC 9110, 5.2).
        peer: address of the other end of the connection, which may be a proxy.
        request_id: the client's `X-Request-Id` where that is sane, else one of ours.
    """

    method: str
    headers: Mapping[bytes, bytes]
    peer: str | None
    request_id: str

    @property
    def accepts_stream(self) -> bool:
        """The client takes `text/event-stream`, and says so by name."""
        return names_stream(self.headers.get(b"accept", b""))

    @property
    def traceparent(self) -> str:
        """The W3C trace context, or "" where none was sent or it is malformed."""
        sent = self.headers.get(b"traceparent")
        return sent.decode() if sent is not None and _TRACEPARENT.fullmatch(sent) else ""

    def without_origin(self) -> "Head":
        """Give the same head as if no page had sent it, so that no page may read the answer."""
        headers = {name: value for name, value in self.headers.items() if name != b"origin"}
        return Head(self.method, headers, self.peer, self.request_id)


def read_head(scope: Scope) -> Head:
    """Read the head of the request that an ASGI HTTP scope describes."""
    pairs: Sequence[tuple[bytes, bytes]] = scope["headers"]
    headers = dict(pairs)
    if len(headers) != len(pairs):
        headers = _join_repeated(pairs)
    client = scope.get("client")
    request_id = choose_request_id(headers.get(b"x-request-id"))
    return Head(scope["method"], headers, client[0] if client else None, request_id)


def choose_request_id(sent: bytes | None) -> str:
    """Take over the id that a client sent where that is sane, else make one."""
    if sent is not None and _SANE_REQUEST_ID.fullmatch(sent):
        return sent.decode()
    return f"{_PREFIX}-{next(_COUNT):x}"


def _join_repeated(pairs: Sequence[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    headers: dict[bytes, bytes] = {}
    for name, value in pairs:
        headers[name] = headers[name] + b", " + value if name in headers else value
    return headers


@lru_cache(maxsize=256)
def is_json(content_type: bytes | None) -> bool:
    """Say whether a `Content-Type` is `application/json`, whatever its parameters."""
    return content_type is not None and content_type.partition(b";")[0].strip().lower() == b"application/json"


@lru_cache(maxsize=256)
def admits_an_answer(accept: bytes | None) -> bool:
    """Say whether an `Accept` value leaves JSON or an event stream possible (RFC 9110, 12.5.1)."""
    if accept is None or not accept.strip():
        return True
    weights = _weights(accept)
    return any(
        weights.get(exact, weights.get(group, weights.get(b"*/*", 0.0))) > 0.0
        for exact, group in ((b"application/json", b"application/*"), (b"text/event-stream", b"text/*"))
    )


@lru_cache(maxsize=256)
def names_stream(accept: bytes) -> bool:
    """Say whether an `Accept` value names `text/event-stream` and does not refuse it by `q=0`."""
    return _weights(accept).get(b"text/event-stream", 0.0) > 0.0


def _weights(accept: bytes) -> dict[bytes, float]:
    return dict(_media_range(part) for part in accept.lower().split(b",") if part.strip())


def _media_range(part: bytes) -> tuple[bytes, float]:
    media_type, *parameters = (piece.strip() for piece in part.split(b";"))
    for parameter in parameters:
        name, _, value = parameter.partition(b"=")
        if name.strip() == b"q":
            return media_type, _weight(value.strip())
    return media_type, 1.0


def _weight(value: bytes) -> float:
    # A weight that cannot be read excludes nothing: clients with odd headers are served.
    return 0.0 if re.fullmatch(rb"0(\.0*)?", value) else 1.0
