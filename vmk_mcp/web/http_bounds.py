"""uvicorn's HTTP protocol within bounds: a head's size and time, open connections, stalled answers."""

import asyncio
import resource
from typing import ClassVar, Final, cast

import httptools
from msgspec import Struct
from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from vmk_mcp.observe import Observer, RequestRefused
from vmk_mcp.web.head import choose_request_id
from vmk_mcp.web.joined_writes import JoinedWrites
from vmk_mcp.web.refusals import (
    HEAD_INCOMPLETE,
    HEAD_TOO_LARGE,
    MALFORMED_REQUEST,
    TOO_MANY_CONNECTIONS,
    Refusal,
)

# uvicorn's types leave out that there is none before the first request.
_FirstCycle = RequestResponseCycle | None
_FirstScope = Scope | None

# Name and value of a header stand between a colon, a space and a line break.
_BETWEEN: Final = 4


class HttpBounds(Struct, frozen=True):
    """How much of what a connection may take.

    Attributes:
        head_bytes: of a request's line and headers, or of whatever else is neither head nor body.
        head_s: until a request's head is whole, from the connection's start or its own first byte.
        stall_s: until a client goes on to read an answer that it does not read.
        linger_s: for which a refused client's bytes are dropped, so that a reset does not hide the refusal.
        connections: open at once, in this process.
    """

    head_bytes: int = 32 * 1024
    head_s: float = 15.0
    stall_s: float = 60.0
    linger_s: float = 1.0
    connections: int = 2000


DEFAULT_BOUNDS: Final = HttpBounds()


class _Refused(Exception):
    """Stops the parser; why is in `_fault`."""


class BoundedHttp(HttpToolsProtocol):
    """One connection; what is past its bounds, or is no HTTP, is refused as JSON, told of, and closed."""

    observer: ClassVar[Observer]
    bounds: ClassVar[HttpBounds]

    _timer: asyncio.TimerHandle | None = None
    _stall_timer: asyncio.TimerHandle | None = None
    _fault: Refusal | None = None
    _is_deaf = False
    # Bytes since the last that were of a body or ended a head: what the parser may be piling up.
    _pending_bytes = 0
    _chunk_bytes = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        if len(self.connections) > self.bounds.connections:
            self._answer(TOO_MANY_CONNECTIONS)
            transport.close()
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._stop_timer()
        self._stop_stall_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`; unlike uvicorn's, says in JSON what is wrong."""
        if self._is_deaf:
            return
        self._unset_keepalive_if_required()
        self._chunk_bytes = len(data)
        self._pending_bytes += self._chunk_bytes
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # There is no other protocol to change to, and what follows is not HTTP (RFC 9110, 7.8).
            self.cycle.keep_alive = False
        except httptools.HttpParserError:
            self._refuse(self._fault or MALFORMED_REQUEST)
            return
        if self._pending_bytes > self.bounds.head_bytes:
            self._refuse(HEAD_TOO_LARGE)
        elif self._timer is None and not self._is_answering:
            self._await_head()

    def on_headers_complete(self) -> None:
        """See `HttpToolsProtocol`; is the last that is known of a request before it is served."""
        self._stop_timer()
        self._fault = self._fault_of_head()
        if self._fault is not None:
            raise _Refused
        self._pending_bytes = 0
        super().on_headers_complete()
        if self.scope["method"] != "HEAD":  # whose answer is a head alone
            # The answer is begun in a later turn of the loop, through the transport that its cycle has then.
            self.cycle.transport = cast(asyncio.Transport, JoinedWrites(self.transport))
        # Trailers must not pass for headers (RFC 9110, 6.5.1): the scope keeps the list so far.
        self.headers = []

    def on_body(self, body: bytes) -> None:
        """See `HttpToolsProtocol`; how large a body may be is the application's to say."""
        self._pending_bytes = 0
        super().on_body(body)

    def pause_writing(self) -> None:
        """See `asyncio.Protocol`."""
        super().pause_writing()
        self._stop_stall_timer()
        self._stall_timer = self.loop.call_later(self.bounds.stall_s, self.transport.abort)

    def resume_writing(self) -> None:
        """See `asyncio.Protocol`."""
        self._stop_stall_timer()
        super().resume_writing()

    @property
    def _is_answering(self) -> bool:
        cycle = cast(_FirstCycle, self.cycle)
        return cycle is not None and not cycle.response_complete

    def _fault_of_head(self) -> Refusal | None:
        limit = self.bounds.head_bytes
        # The sum is only taken where so much has come that it may be too large.
        if max(self._pending_bytes, self._chunk_bytes) > limit and self._measure_head() > limit:
            return HEAD_TOO_LARGE
        hosts = [value for name, value in self.headers if name == b"host"]
        if len(hosts) == 1 and hosts[0]:
            return None
        # HTTP/1.0 knows no Host (RFC 9112, 3.2).
        is_older = not hosts and self.parser.get_http_version() == "1.0"
        return None if is_older else MALFORMED_REQUEST

    def _measure_head(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + _BETWEEN for name, value in self.headers)

    def _await_head(self) -> None:
        self._timer = self.loop.call_later(self.bounds.head_s, self._give_up_head)

    def _give_up_head(self) -> None:
        self._timer = None
        if self._pending_bytes:
            self._refuse(HEAD_INCOMPLETE)
        else:
            self.transport.close()

    def _refuse(self, refusal: Refusal) -> None:
        """Answer what came last with `refusal`, unless an answer to something before is under way."""
        self._is_deaf = True
        cycle = self.cycle
        if self._is_answering:
            if not cycle.more_body:
                cycle.keep_alive = False  # its request was whole: it is answered, and what came after is not
                return
            if cycle.response_started or self.pipeline:
                self.transport.close()
                return
            # For the application, which waits for the rest of the body, the client has gone.
            cycle.disconnected = True
            cycle.message_event.set()
        self._answer(refusal)
        self._linger()

    def _answer(self, refusal: Refusal) -> None:
        self._is_deaf = True
        scope = cast(_FirstScope, self.scope)
        sent = dict(scope["headers"]) if scope is not None else {}
        request_id = choose_request_id(sent.get(b"x-request-id"))
        body = refusal.body(request_id)
        whole = (
            *self.server_state.default_headers,
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
            (b"cache-control", b"no-store"),
            (b"x-request-id", request_id.encode()),
            *refusal.headers,
        )
        lines = b"".join(b"%s: %s\r\n" % header for header in whole)
        self.transport.write(STATUS_LINE[refusal.status] + lines + b"\r\n" + body)
        self.observer.observe(RequestRefused(request_id, refusal.code, refusal.status))

    def _linger(self) -> None:
        self._stop_timer()
        self.transport.write_eof()
        self._timer = self.loop.call_later(self.bounds.linger_s, self.transport.abort)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _stop_stall_timer(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None


def bound_http(told: Observer, limits: HttpBounds = DEFAULT_BOUNDS) -> type[BoundedHttp]:
    """Make the class that `uvicorn.Config(http=...)` takes, which tells `told` of what it refuses."""
    # Postgres, logs and the model's files need file descriptors as well.
    most_files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    places = limits.connections
    if most_files != resource.RLIM_INFINITY:
        places = min(places, most_files * 3 // 4)

    class ObservedHttp(BoundedHttp):
        observer = told
        bounds = HttpBounds(limits.head_bytes, limits.head_s, limits.stall_s, limits.linger_s, places)

    return ObservedHttp
