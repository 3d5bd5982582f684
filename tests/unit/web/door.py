"""An app with tools that wait, fail and tell their progress, and a client that speaks ASGI to it."""

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from starlette.types import ASGIApp, Message, Scope

from tests.fakes import FakeClock, RecordingObserver
from vmk_mcp.diagnostics.tools import OFFER
from vmk_mcp.errors import StoreUnavailable
from vmk_mcp.observe import current_stages
from vmk_mcp.protocol.profiles import load_profiles
from vmk_mcp.protocol.server import Protocol
from vmk_mcp.running import Running
from vmk_mcp.tool import CallContext, Caller, Offer, Tool
from vmk_mcp.web.app import Lifespan, Parts, create_app
from vmk_mcp.web.guard import Guard, Site
from vmk_mcp.web.health import CheckReadiness
from vmk_mcp.web.idle_stream import IdleStream
from vmk_mcp.web.metrics import MetricsObserver
from vmk_mcp.web.rates import RateLimits

PROFILES: Final = load_profiles(Path(__file__).parents[3] / "contracts" / "profiles")
ORIGIN: Final = "https://app.example.org"
HOME: Final = Site(origins=(ORIGIN,))
MAX_BODY_BYTES: Final = 1000
PING: Final = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
INITIALIZED: Final = {"jsonrpc": "2.0", "method": "notifications/initialized"}


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """No arguments."""


class Words(Struct, frozen=True, forbid_unknown_fields=True):
    """The caller's own words."""

    text: str


class Done(Struct, frozen=True):
    """A result."""

    value: str


class Waiting:
    """A tool that waits until it is let go, and knows who came and who was interrupted."""

    def __init__(self) -> None:
        self.entered = asyncio.Event()
        self.release = asyncio.Event()
        self.interrupted = 0

    async def call(self, arguments: Nothing, context: CallContext) -> Done:
        """Wait."""
        self.entered.set()
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.interrupted += 1
            raise
        return Done("waited")


async def count(arguments: Nothing, context: CallContext) -> Done:
    """Tell of two steps."""
    await context.progress(1, 2, "one")
    await context.progress(2, 2, "two")
    return Done("counted")


async def search(arguments: Words, context: CallContext) -> Done:
    """Pretend to have asked a database."""
    stages = current_stages.get()
    assert stages is not None
    stages.add("database", 0.25)
    stages.rows += 3
    return Done(arguments.text)


async def fail(arguments: Nothing, context: CallContext) -> Done:
    """Fail in a named way."""
    raise StoreUnavailable("The store does not answer.")


async def crash(arguments: Nothing, context: CallContext) -> Done:
    """Fail by a bug."""
    raise ZeroDivisionError("secret of the machine")


def tool(
    name: str, arguments: type[Struct], call: Callable[..., Awaitable[Done]], query: str | None = None
) -> Any:
    """Make a tool of the family `trial`."""
    return Tool(
        family="trial",
        name=name,
        title=name,
        description=name,
        arguments=arguments,
        result=Done,
        call=call,
        query_field=query,
    )


class KnownTokens:
    """See `Callers`."""

    def __init__(self, callers: Mapping[str, Caller]) -> None:
        self._callers = {hashlib.sha256(token.encode()).digest(): who for token, who in callers.items()}

    def find(self, token: bytes) -> Caller | None:
        """See `Callers.find`."""
        return self._callers.get(hashlib.sha256(token).digest())


ALICE: Final = Caller(name="alice", rights=frozenset({"trial", "diagnostics", "metrics"}))
BOB: Final = Caller(name="bob", rights=frozenset({"trial"}), profile="standard")
SLOW: Final = Caller(name="slow", rights=frozenset({"diagnostics"}), rate_per_minute=2)


class House:
    """The whole door with everything in it that a test may want to look at."""

    def __init__(
        self,
        *,
        site: Site = HOME,
        families: Mapping[str, CheckReadiness] | None = None,
        places: tuple[int, int] = (4, 4),
        max_streams: int = 0,
        lifespans: Sequence[Lifespan] = (),
    ) -> None:
        self.observer = RecordingObserver()
        self.metrics = MetricsObserver()
        self.clock = FakeClock()
        self.waiting = Waiting()
        tokens = KnownTokens({"alice-token": ALICE, "bob-token": BOB, "slow-token": SLOW})
        self.guard = Guard(site, tokens, RateLimits(self.clock), MAX_BODY_BYTES)
        self.running = Running(*places)
        self.app = create_app(
            Parts(
                guard=self.guard,
                protocol=self._protocol(),
                running=self.running,
                observer=self.observer,
                registry=self.metrics.registry,
                families=families or {},
                idle_stream=IdleStream(self.guard, max_streams) if max_streams else None,
                lifespans=lifespans,
            )
        )

    def _protocol(self) -> Protocol:
        trial = Offer(
            family="trial",
            tools=(
                tool("wait", Nothing, self.waiting.call),
                tool("count", Nothing, count),
                tool("search", Words, search, "text"),
                tool("fail", Nothing, fail),
                tool("crash", Nothing, crash),
            ),
        )
        return Protocol(
            server_name="trial",
            server_version="1",
            instructions="",
            offers=[trial, OFFER],
            profiles=PROFILES,
            max_response_bytes=100_000,
        )

    async def post(self, message: object, **headers: str) -> "Reply":
        """POST a message to /mcp as alice, unless the headers say otherwise."""
        return await send(self.app, "POST", "/mcp", mcp_headers(**headers), [json.dumps(message).encode()])

    async def get(self, path: str, **headers: str) -> "Reply":
        """GET a path with no headers but those given."""
        return await send(self.app, "GET", path, named(headers))


class Reply(Struct):
    """An answer as the client sees it; `chunks` are the pieces of its body as they came."""

    status: int
    headers: list[tuple[bytes, bytes]]
    chunks: list[bytes]

    @property
    def body(self) -> bytes:
        """The body as a whole."""
        return b"".join(self.chunks)

    @property
    def json(self) -> Any:
        """The body decoded."""
        return json.loads(self.body)

    def header(self, name: str) -> str | None:
        """The only header of that name, or None."""
        values = [value.decode() for key, value in self.headers if key == name.encode()]
        assert len(values) <= 1
        return values[0] if values else None


def named(headers: Mapping[str, str]) -> dict[str, str]:
    """Turn keyword names into header names."""
    return {name.replace("_", "-"): value for name, value in headers.items()}


def mcp_headers(**headers: str) -> dict[str, str]:
    """Give a good client's headers, changed by those given; an empty value leaves one out."""
    whole = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "authorization": "Bearer alice-token",
        **named(headers),
    }
    return {name: value for name, value in whole.items() if value}


def call_of(
    name: str, arguments: object = None, *, id_: object = 1, progress_token: object = None
) -> dict[str, Any]:
    """Make a tools/call request."""
    params: dict[str, Any] = {"name": name, "arguments": arguments or {}}
    if progress_token is not None:
        params["_meta"] = {"progressToken": progress_token}
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}


class Client:
    """The far end of one request: gives the body in pieces, stays or leaves, and keeps what comes back."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self.sent: list[Message] = []
        self.pieces_read = 0
        self.gone = asyncio.Event()
        self._pieces = list(pieces)

    async def receive(self) -> Message:
        """See ASGI."""
        if self.pieces_read < len(self._pieces):
            self.pieces_read += 1
            more = self.pieces_read < len(self._pieces)
            return {"type": "http.request", "body": self._pieces[self.pieces_read - 1], "more_body": more}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """See ASGI."""
        self.sent.append(message)

    @property
    def reply(self) -> Reply:
        """What has come back."""
        start, *rest = self.sent
        return Reply(start["status"], start["headers"], [piece["body"] for piece in rest])


def scope_of(method: str, path: str, headers: Mapping[str, str], peer: str = "192.0.2.7") -> Scope:
    """Describe a request to ASGI."""
    return {
        "type": "http",
        "method": method,
        "path": path,
        "root_path": "",
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in headers.items()],
        "client": (peer, 5000),
    }


async def settle() -> None:
    """Let every task go as far as it can."""
    for _ in range(20):
        await asyncio.sleep(0)


async def send(
    app: ASGIApp, method: str, path: str, headers: Mapping[str, str], pieces: Sequence[bytes] = (b"",)
) -> Reply:
    """Send one request and wait for the whole answer."""
    client = Client(pieces)
    await app(scope_of(method, path, headers), client.receive, client.send)
    return client.reply
