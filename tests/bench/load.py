"""The load: a process of its own that keeps a number of connections busy and times each call.

It takes a `Plan` as a line of JSON on stdin, connects, warms the peer up, says `warm`, and waits for a line,
so that whoever started it can read the peer's CPU clock; then it calls until time or count is up and writes
a `Timing` as a line of JSON.
"""

import asyncio
import re
import sys
from collections.abc import Iterator
from itertools import cycle
from time import perf_counter
from typing import Final

import msgspec
import uvloop
from msgspec import Struct

WARM: Final = b"warm\n"

_WARM_UP_S: Final = 0.4
_HEAD_END: Final = b"\r\n\r\n"
_LAST_CHUNK: Final = b"\r\n0\r\n\r\n"
_LENGTH: Final = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Plan(Struct, frozen=True):
    """What to send, where to, and for how long.

    Attributes:
        bodies: sent in turn.
        token_of_success: what every good answer holds.
        seconds: no call begins after that time.
        most: nor after that many calls.
    """

    port: int
    token: str
    bodies: tuple[bytes, ...]
    token_of_success: bytes
    concurrency: int
    seconds: float
    most: int = 1_000_000


class Timing(Struct, frozen=True):
    """How many calls were answered, and in how many seconds half of them and 95 % of them were."""

    calls: int
    p50_s: float
    p95_s: float


class BadAnswer(Exception):
    """The peer closed the connection, or its answer is not what a call in good order gives."""


class Connection(asyncio.Protocol):
    """One connection that is kept alive; one call at a time."""

    def __init__(self) -> None:
        self._received = b""
        self._answer: asyncio.Future[bytes] | None = None

    async def call(self, transport: asyncio.Transport, request: bytes) -> bytes:
        """Send `request` over its transport and give the answer, head and body; raises `BadAnswer`."""
        self._answer = asyncio.get_running_loop().create_future()
        transport.write(request)
        return await self._answer

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        self._received += data
        head_end = self._received.find(_HEAD_END)
        if head_end < 0 or not self._is_whole(head_end):
            return
        whole, self._received = self._received, b""
        if self._answer is not None:
            self._answer.set_result(whole)

    def _is_whole(self, head_end: int) -> bool:
        length = _LENGTH.search(self._received, 0, head_end + 2)
        if length is None:
            # A stream of events: RFC 9112 ends its chunks with an empty one.
            return self._received.endswith(_LAST_CHUNK)
        return len(self._received) >= head_end + len(_HEAD_END) + int(length[1])

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(BadAnswer("the peer closed the connection"))


class Load:
    """Connections that call one after another, each its next call as soon as the last is answered."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._requests: Iterator[bytes] = cycle([_request(plan, body) for body in plan.bodies])
        self._connections: list[tuple[asyncio.Transport, Connection]] = []

    async def connect(self) -> None:
        """Open all connections."""
        loop = asyncio.get_running_loop()
        for _ in range(self._plan.concurrency):
            opened = await loop.create_connection(Connection, "127.0.0.1", self._plan.port)
            self._connections.append(opened)

    async def run(self, seconds: float) -> list[float]:
        """Call for `seconds`; gives the seconds that each call took."""
        taken: list[float] = []
        until = perf_counter() + seconds
        async with asyncio.TaskGroup() as group:
            for transport, connection in self._connections:
                group.create_task(self._call_on(transport, connection, until, taken))
        return taken

    async def _call_on(
        self, transport: asyncio.Transport, connection: Connection, until: float, taken: list[float]
    ) -> None:
        good = self._plan.token_of_success
        while (sent := perf_counter()) < until and len(taken) < self._plan.most:
            answer = await connection.call(transport, next(self._requests))
            taken.append(perf_counter() - sent)
            if good not in answer:
                raise BadAnswer(answer[-400:].decode(errors="replace"))


def _request(plan: Plan, body: bytes) -> bytes:
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{plan.port}\r\nAuthorization: Bearer {plan.token}\r\n"
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        f"MCP-Protocol-Version: 2025-06-18\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def _main() -> None:
    plan = msgspec.json.decode(sys.stdin.buffer.readline(), type=Plan)
    load = Load(plan)
    await load.connect()
    await load.run(_WARM_UP_S)
    sys.stdout.buffer.write(WARM)
    sys.stdout.buffer.flush()
    # Nothing else runs in this process while it waits.
    sys.stdin.buffer.readline()
    taken = sorted(await load.run(plan.seconds))
    timing = Timing(len(taken), taken[len(taken) // 2], taken[len(taken) * 95 // 100])
    sys.stdout.buffer.write(msgspec.json.encode(timing) + b"\n")


if __name__ == "__main__":
    uvloop.run(_main())
