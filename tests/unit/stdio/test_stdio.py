"""The stdio door: lines in, lines out, calls side by side."""

import asyncio
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from tests.fakes import RecordingObserver
from vmk_mcp.errors import NotFound
from vmk_mcp.notices import LogNotices
from vmk_mcp.observe import CallFinished, Initialized, Observers, StoreChanged, Warned
from vmk_mcp.protocol import Protocol, load_profiles
from vmk_mcp.stdio import LineReader, LineWriter, StdioDoor
from vmk_mcp.tool import CallContext, Caller, Offer, Tool

OWNER: Final = Caller(name="owner", rights=frozenset({"made_up"}))
PROFILES: Final = load_profiles(Path(__file__).parents[3] / "contracts" / "profiles")


class Wish(Struct, frozen=True, forbid_unknown_fields=True):
    """What the made-up tools take."""

    word: str = ""


class Granted(Struct, frozen=True):
    """What the made-up tools give."""

    word: str


class Client:
    """A client that sends lines when told, and keeps what it is sent."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.began = asyncio.Event()
        self.heard = asyncio.Event()
        self.cancelled: list[str] = []
        self.observer = RecordingObserver()
        self.notices = LogNotices()
        self.received: list[dict[str, Any]] = []
        self.is_gone = False
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        tools = [self._tool("say", self._say), self._tool("hold", self._hold), self._tool("fail", self._fail)]
        protocol = Protocol(
            server_name="vmk-mcp",
            server_version="1",
            instructions="",
            offers=[Offer(family="made_up", tools=tools)],
            profiles=PROFILES,
            max_response_bytes=1_000_000,
            sends_logs=True,
        )
        observers = Observers(self.observer, self.notices)
        self._door = StdioDoor(protocol, OWNER, observers, max_running=4, notices=self.notices)

    def send(self, *messages: object) -> None:
        """Send messages; None ends the input, bytes go as they are."""
        for message in messages:
            is_raw = message is None or isinstance(message, bytes)
            self._lines.put_nowait(message if is_raw else json.dumps(message).encode())  # type: ignore[arg-type]  # raw ones are

    def call(self, id_: int, tool: str, **more: Any) -> None:
        """Send one call of a tool."""
        parameters = {"name": tool, "arguments": {"word": f"w{id_}"}, **more}
        self.send({"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": parameters})

    async def run(self) -> list[dict[str, Any]]:
        """Serve to the end of the input; gives what was received."""
        await self._door.serve(self._lines.get, self._receive)
        return self.received

    @property
    def answered(self) -> list[object]:
        """Ids of the answers, as they came."""
        return [message["id"] for message in self.received if "id" in message]

    async def _receive(self, line: bytes) -> None:
        if self.is_gone:
            raise BrokenPipeError
        assert b"\n" not in line
        self.received.append(json.loads(line))
        self.heard.set()

    async def _say(self, wish: Wish, context: CallContext) -> Granted:
        await context.progress(1, 2, "half")
        return Granted(wish.word)

    async def _hold(self, wish: Wish, context: CallContext) -> Granted:
        self.began.set()
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.cancelled.append(wish.word)
            raise
        return Granted(wish.word)

    async def _fail(self, wish: Wish, context: CallContext) -> Granted:
        raise NotFound("nothing here")

    @staticmethod
    def _tool(name: str, call: Any) -> Tool[Wish, Granted]:
        return Tool(
            family="made_up",
            name=name,
            title=name,
            description=name,
            arguments=Wish,
            result=Granted,
            call=call,
            query_field="word",
        )


def cancel(id_: int) -> dict[str, object]:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id_}}


async def test_each_request_line_is_answered_and_notifications_are_not() -> None:
    client = Client()
    client.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}})
    client.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    client.call(2, "say")
    client.send(b"", b" \r\n", None)
    first, second = await client.run()
    assert first["result"]["protocolVersion"] == "2025-06-18"
    assert second["result"]["structuredContent"] == {"word": "w2"}
    assert [event.method for event in client.observer.of(CallFinished) if event.method] == [
        "initialize",
        "tools/call",
    ]
    assert client.observer.of(Initialized) == [Initialized("compatibility_success")]


async def test_a_line_that_is_no_json_is_answered_and_the_next_is_served() -> None:
    client = Client()
    client.send(b"oops", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, None)
    received = await client.run()
    assert received[0]["error"]["code"] == -32700
    assert received[1] == {"jsonrpc": "2.0", "id": 1, "result": {}}


async def test_a_failing_tool_is_answered_as_a_tool_error() -> None:
    client = Client()
    client.call(1, "fail")
    client.send(None)
    (answer,) = await client.run()
    assert answer["result"]["isError"] is True


async def test_a_quick_call_overtakes_a_slow_one() -> None:
    client = Client()
    client.call(1, "hold")
    client.call(2, "say")
    client.send(None)
    serving = asyncio.create_task(client.run())
    await client.heard.wait()
    client.gate.set()
    await serving
    assert client.answered == [2, 1]


async def test_a_cancelled_call_is_stopped_and_never_answered() -> None:
    client = Client()
    client.call(1, "hold")
    client.send(cancel(1))
    client.call(2, "say")
    client.send(None)
    await client.run()
    assert client.answered == [2]
    assert client.cancelled == ["w1"]


async def test_a_call_is_observed_with_its_words_and_the_time_of_its_encoding() -> None:
    client = Client()
    client.call(1, "say")
    client.send(None)
    await client.run()
    (call,) = client.observer.of(CallFinished)
    assert (call.token, call.tool, call.code, call.query) == ("owner", "say", "ok", "w1")
    assert 0 < call.stages["encode"] <= call.elapsed_s


async def test_a_cancelled_call_is_observed() -> None:
    client = Client()
    client.call(1, "hold")
    client.send(cancel(1), None)
    await client.run()
    calls = [event for event in client.observer.of(CallFinished) if event.tool]
    assert [(call.method, call.tool, call.code, call.query) for call in calls] == [
        ("tools/call", "hold", "cancelled", "w1")
    ]


async def test_a_call_whose_client_is_gone_is_observed() -> None:
    client = Client()
    client.call(1, "hold")
    serving = asyncio.create_task(client.run())
    await client.began.wait()
    client.is_gone = True
    client.call(2, "say")
    await serving
    assert sorted((call.query, call.code) for call in client.observer.of(CallFinished)) == [
        ("w1", "cancelled"),
        ("w2", "ok"),
    ]


async def test_cancelling_an_unknown_call_does_nothing() -> None:
    client = Client()
    client.send(cancel(9), None)
    assert await client.run() == []


async def test_progress_comes_as_notifications_before_the_answer() -> None:
    client = Client()
    client.call(1, "say", _meta={"progressToken": "p"})
    client.send(None)
    progress, answer = await client.run()
    assert progress["method"] == "notifications/progress"
    assert progress["params"] == {"progressToken": "p", "progress": 1, "total": 2, "message": "half"}
    assert answer["id"] == 1


async def test_calls_in_flight_are_answered_after_the_end_of_the_input() -> None:
    client = Client()
    client.call(1, "hold")
    client.send(None)
    serving = asyncio.create_task(client.run())
    await client.began.wait()
    client.gate.set()
    await serving
    assert client.answered == [1]


async def test_when_nobody_reads_any_more_the_calls_in_flight_are_stopped() -> None:
    client = Client()
    client.call(1, "hold")
    serving = asyncio.create_task(client.run())
    await client.began.wait()
    client.is_gone = True
    client.call(2, "say")
    await serving
    assert client.cancelled == ["w1"]


async def read_all(text: bytes, max_bytes: int) -> Sequence[bytes]:
    reader = LineReader(io.BytesIO(text), max_bytes)
    lines = []
    while (line := await reader.next_line()) is not None:
        lines.append(line)
    return lines


async def test_lines_are_read_to_the_end_even_without_a_last_newline() -> None:
    assert await read_all(b"a\nb\n\nc", 100) == [b"a\n", b"b\n", b"\n", b"c"]


async def test_more_lines_than_are_read_ahead_all_arrive() -> None:
    assert len(await read_all(b"x\n" * 100, 100)) == 100


async def test_a_line_above_the_limit_is_cut_and_the_next_is_whole() -> None:
    assert await read_all(b"0123456789\nab\n", 4) == [b"0123", b"ab\n"]


async def test_lines_are_written_whole_and_flushed() -> None:
    stream = io.BytesIO()
    writer = LineWriter(stream)
    await asyncio.gather(writer.write_line(b"{}"), writer.write_line(b"[]"))
    assert sorted(stream.getvalue().splitlines()) == [b"[]", b"{}"]


def set_level(id_: int, level: str) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id_, "method": "logging/setLevel", "params": {"level": level}}


def notices_of(received: Sequence[dict[str, Any]]) -> list[Any]:
    return [message["params"] for message in received if message.get("method") == "notifications/message"]


async def converse(client: Client, *messages: object) -> list[Any]:
    """Send messages one after another's answer, and give the notices that came with them."""
    serving = asyncio.create_task(client.run())
    for message in messages:
        client.heard.clear()
        client.send(message)
        await client.heard.wait()
        # What was noticed is written by a task of its own, which has its turn now.
        for _ in range(3):
            await asyncio.sleep(0)
    client.send(None)
    return notices_of(await serving)


def call_of(id_: int, tool: str) -> dict[str, object]:
    params = {"name": tool, "arguments": {"word": "слово"}}
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}


async def test_log_notifications_are_declared_where_they_are_sent() -> None:
    client = Client()
    client.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}, None)
    (answer,) = await client.run()
    assert answer["result"]["capabilities"]["logging"] == {}


async def test_a_client_that_asked_for_no_level_gets_no_log_notification() -> None:
    client = Client()
    client.notices.observe(Warned("settings", "Something is odd."))
    assert await converse(client, call_of(1, "say")) == []


async def test_calls_are_told_at_level_debug_without_the_words_of_the_query() -> None:
    notices = await converse(Client(), set_level(1, "debug"), call_of(2, "fail"), call_of(3, "say"))
    told = [(notice["level"], notice["data"]["tool"], notice["data"]["code"]) for notice in notices]
    assert ("debug", "fail", "not_found") in told
    assert "слово" not in json.dumps(notices, ensure_ascii=False)


async def test_what_is_below_the_level_is_kept_back() -> None:
    client = Client()
    serving = asyncio.create_task(client.run())
    client.send(set_level(1, "warning"))
    await client.heard.wait()
    client.notices.observe(StoreChanged("listings", reachable=True))
    client.notices.observe(StoreChanged("listings", reachable=False))
    client.notices.observe(Warned("settings", "Something is odd."))
    for _ in range(5):
        await asyncio.sleep(0)
    client.send(None)
    assert [(notice["level"], notice["logger"], notice["data"]) for notice in notices_of(await serving)] == [
        ("warning", "store", {"store": "listings", "reachable": False}),
        ("warning", "settings", {"message": "Something is odd."}),
    ]
