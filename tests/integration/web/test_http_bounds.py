"""A real uvicorn on loopback, spoken to in bytes."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final, cast

import pytest
import uvicorn
from msgspec import Struct

from tests.fakes import RecordingObserver
from vmk_mcp.observe import RequestRefused
from vmk_mcp.web.http_bounds import HttpBounds, bound_http

LIMIT: Final = 32 * 1024
GET: Final = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"
OPEN_HEAD: Final = b"GET / HTTP/1.1\r\nHost: here\r\nX-Request-Id: r1\r\n"
NEVER: Final = HttpBounds(head_s=60.0)
SOON: Final = HttpBounds(head_s=0.1)


async def answer(scope: Any, receive: Any, send: Any) -> None:
    """Give back the headers' names and the body; /large is 4 MB, /unread leaves the body alone."""
    path = scope["path"]
    body = b""
    more = path != "/unread"
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body += message["body"]
        more = message["more_body"]
    names = [name.decode() for name, _ in scope["headers"]]
    text = b"x" * 4_000_000 if path == "/large" else json.dumps([names, body.decode()]).encode()
    headers = [(b"content-length", b"%d" % len(text))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": text})


async def until(is_so: Callable[[], bool]) -> None:
    """Wait for something that uvicorn gives no event for."""
    while not is_so():  # noqa: ASYNC110  (there is no event)
        await asyncio.sleep(0.01)


class Door(Struct):
    """A server that listens, and what it told."""

    port: int
    observer: RecordingObserver
    server: uvicorn.Server

    @asynccontextmanager
    async def connect(self) -> AsyncIterator["Wire"]:
        """Open a connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            yield Wire(reader, writer)
        finally:
            writer.transport.abort()

    def refusals(self) -> list[tuple[int, str]]:
        """Give what was refused."""
        return [(event.status, event.code) for event in self.observer.of(RequestRefused)]

    async def empty(self) -> None:
        """Wait until no connection is open any more."""
        await until(lambda: not self.server.server_state.connections)


class Reply(Struct):
    """An answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Wire(Struct):
    """The client's end of a connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def say(self, *pieces: bytes) -> None:
        """Send bytes."""
        self.writer.writelines(pieces)

    async def hear(self) -> Reply:
        """Read one answer."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.split(": ", 1) for line in head[1:] if line)
        body = await self.reader.readexactly(int(headers["content-length"]))
        return Reply(int(head[0].split(" ")[1]), headers, body)

    async def hear_refusal(self) -> tuple[int, str]:
        """Read a refusal in its due form, after which nothing comes."""
        reply = await self.hear()
        refusal = json.loads(reply.body)
        assert refusal["request_id"] == reply.headers["x-request-id"]
        assert (reply.headers["connection"], reply.headers["cache-control"]) == ("close", "no-store")
        assert await self.reader.read() == b""
        return reply.status, refusal["error"]


@asynccontextmanager
async def served(bounds: HttpBounds = NEVER) -> AsyncIterator[Door]:
    """Serve until the end of the context, in which nothing may take longer than 20 s."""
    observer = RecordingObserver()
    listening = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        answer,
        http=bound_http(observer, bounds),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    running = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        async with asyncio.timeout(20):
            await until(lambda: server.started)
            yield Door(listening.getsockname()[1], observer, server)
    finally:
        server.should_exit = True
        await running


@pytest.mark.parametrize(
    "head",
    [
        b"GET /" + b"a" * LIMIT + b" HTTP/1.1\r\nHost: here\r\n\r\n",
        OPEN_HEAD + b"A: " + b"a" * LIMIT + b"\r\n\r\n",
        OPEN_HEAD + b"A: aaaa\r\n" * (LIMIT // 8) + b"\r\n",
        OPEN_HEAD + b"A: " + b"a" * 2 * LIMIT,
        b"GET /" + b"a" * 2 * LIMIT,
        OPEN_HEAD + b"A" * 2 * LIMIT,
    ],
    ids=["line", "header", "headers", "endless-header", "endless-line", "endless-name"],
)
async def test_a_head_above_the_limit_is_refused(head: bytes) -> None:
    async with served() as door, door.connect() as wire:
        wire.say(head)
        assert await wire.hear_refusal() == (431, "head_too_large")
        assert door.refusals() == [(431, "head_too_large")]


async def test_a_head_below_the_limit_and_a_large_body_in_one_piece_are_served() -> None:
    async with served() as door, door.connect() as wire:
        head = b"POST / HTTP/1.1\r\nHost: here\r\nA: %b\r\nContent-Length: 200000\r\n\r\n"
        for _ in range(2):
            wire.say(head % (b"a" * (LIMIT - 200)) + b"b" * 200_000)
            reply = await wire.hear()
            assert (reply.status, json.loads(reply.body)[1]) == (200, "b" * 200_000)


async def test_endless_trailers_are_refused_and_short_ones_are_no_headers() -> None:
    post = b"POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nb\r\n0\r\n"
    async with served() as door, door.connect() as wire:
        wire.say(post + b"Authorization: x\r\n\r\n")
        assert json.loads((await wire.hear()).body) == [["host", "transfer-encoding"], "b"]
        wire.say(post + b"A: " + b"a" * 2 * LIMIT)
        wire.say(b"a" * 8 * LIMIT)
        assert await wire.hear_refusal() == (431, "head_too_large")


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost:\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: here\r\nHost: there\r\n\r\n",
        b"GET / HTTP/1.0\r\nHost: here\r\nHost: there\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: here\r\n\r\n",
        b"CONNECT here:443 HTTP/1.1\r\nHost: here\r\n\r\n",
        b"GET /\xff HTTP/1.1\r\nHost: here\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
    ids=repr,
)
async def test_what_is_no_http_is_refused_as_json_and_observed(sent: bytes) -> None:
    async with served() as door, door.connect() as wire:
        wire.say(sent)
        assert await wire.hear_refusal() == (400, "malformed_request")
        assert door.refusals() == [(400, "malformed_request")]


async def test_http_1_0_needs_no_host() -> None:
    async with served() as door, door.connect() as wire:
        wire.say(b"GET / HTTP/1.0\r\n\r\n")
        assert (await wire.hear()).status == 200


async def test_a_refusal_has_the_request_id_that_was_sent() -> None:
    async with served() as door, door.connect() as wire:
        wire.say(OPEN_HEAD + b"A: b\r\nno header\r\n\r\n")
        assert (await wire.hear()).headers["x-request-id"] == "r1"
        assert door.observer.of(RequestRefused)[0].request_id == "r1"


async def test_a_whole_request_is_answered_though_nonsense_follows_it() -> None:
    async with served() as door, door.connect() as wire:
        wire.say(GET + b"\x00\x01 nonsense\r\n\r\n")
        reply = await wire.hear()
        assert (reply.status, reply.headers["connection"]) == (200, "close")
        assert await wire.reader.read() == b""


async def test_a_client_that_goes_on_sending_reads_the_refusal_nevertheless() -> None:
    async with served() as door, door.connect() as wire:
        wire.say(*[b"x" * 1024 * 1024] * 8)
        await wire.writer.drain()
        assert await wire.hear_refusal() == (400, "malformed_request")


async def test_a_silent_connection_is_closed_in_time() -> None:
    async with served(SOON) as door, door.connect() as wire:
        assert await wire.reader.read() == b""
        assert door.refusals() == []


async def test_a_head_that_comes_in_drops_is_refused_in_time_also_after_an_answer() -> None:
    async with served(SOON) as door:
        for before in (b"", GET):
            async with door.connect() as wire:
                wire.say(before)
                if before:
                    assert (await wire.hear()).status == 200
                wire.say(OPEN_HEAD)
                assert await wire.hear_refusal() == (408, "head_incomplete")


async def test_a_body_that_nobody_reads_ends_with_the_time_of_a_head() -> None:
    async with served(SOON) as door, door.connect() as wire:
        wire.say(b"POST /unread HTTP/1.1\r\nHost: here\r\nContent-Length: 1000000\r\n\r\nb")
        assert (await wire.hear()).status == 200
        wire.say(b"b")
        assert await wire.reader.read() == b""


async def test_many_requests_on_one_connection_are_served() -> None:
    async with served() as door, door.connect() as wire:
        for _ in range(3):
            wire.say(GET, GET, GET)
            assert [(await wire.hear()).status for _ in range(3)] == [200, 200, 200]


async def test_a_wish_for_another_protocol_is_answered_in_this_one_and_the_last() -> None:
    async with served() as door, door.connect() as wire:
        wire.say(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        reply = await wire.hear()
        assert (reply.status, reply.headers["connection"]) == (200, "close")


async def test_a_connection_above_the_limit_is_refused_until_another_closes() -> None:
    async with served(HttpBounds(connections=1)) as door:
        async with door.connect() as first:
            first.say(GET)
            assert (await first.hear()).status == 200
            async with door.connect() as second:
                reply = await second.hear()
                assert (reply.status, json.loads(reply.body)["error"]) == (503, "too_many_connections")
                assert reply.headers["retry-after"] == "1"
        await door.empty()
        async with door.connect() as third:
            third.say(GET)
            assert (await third.hear()).status == 200


async def test_a_client_that_does_not_read_its_answer_is_cut_off() -> None:
    async with served(HttpBounds(stall_s=0.1)) as door, door.connect() as wire:
        cast(asyncio.Transport, wire.writer.transport).pause_reading()
        wire.say(b"GET /large HTTP/1.1\r\nHost: here\r\n\r\n")
        await until(lambda: door.server.server_state.total_requests > 0)
        await door.empty()


async def test_a_large_answer_that_is_read_comes_whole() -> None:
    async with served() as door, door.connect() as wire:
        wire.say(b"GET /large HTTP/1.1\r\nHost: here\r\n\r\n")
        assert len((await wire.hear()).body) == 4_000_000
