"""The stdio door: lines in, lines out, calls side by side."""

import asyncio
import io
from collections.abc import Sequence

from tests.unit.stdio.talking import Client
from vmk_mcp.observe import CallFinished, Initialized
from vmk_mcp.stdio import LineReader, LineWriter


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
