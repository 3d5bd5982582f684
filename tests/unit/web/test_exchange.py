import asyncio
import json
from typing import Any

import pytest

from tests.unit.web.door import (
    PING,
    Client,
    House,
    call_of,
    mcp_headers,
    scope_of,
    settle,
)
from vmk_mcp.observe import CallFinished, Crashed, Initialized
from vmk_mcp.web import departure


def events_of(body: bytes) -> list[Any]:
    """Read server-sent events that hold one data line each."""
    events = []
    for event in body.decode().strip().split("\n\n"):
        kind, data = event.split("\n")
        assert kind == "event: message"
        events.append(json.loads(data.removeprefix("data: ")))
    return events


async def test_the_version_header_counts_for_a_standard_token_only() -> None:
    house = House()
    assert (await house.post(PING, mcp_protocol_version="1999-01-01")).status == 200
    strict = await house.post(PING, mcp_protocol_version="1999-01-01", authorization="Bearer bob-token")
    assert (strict.status, strict.json["id"]) == (400, 1)


async def test_a_call_is_observed_with_its_stages_rows_words_and_trace() -> None:
    house = House()
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    reply = await house.post(call_of("search", {"text": "тихе місце"}), traceparent=trace)
    (call,) = house.observer.of(CallFinished)
    assert (call.token, call.method, call.tool, call.code, call.status) == (
        "alice",
        "tools/call",
        "search",
        "ok",
        200,
    )
    assert (call.rows, call.query, call.traceparent) == (3, "тихе місце", trace)
    assert call.stages["database"] == 0.25
    assert call.stages["encode"] > 0
    assert call.elapsed_s >= call.stages["encode"]
    timing = reply.header("server-timing")
    assert timing is not None
    assert timing.startswith("database;dur=250.000, encode;dur=")


async def test_a_malformed_trace_is_dropped() -> None:
    house = House()
    await house.post(PING, traceparent='00-xx"-01')
    assert house.observer.of(CallFinished)[0].traceparent == ""


async def test_dropped_arguments_are_observed() -> None:
    house = House()
    await house.post(call_of("search", {"text": "x", "mood": "good"}))
    assert house.observer.of(CallFinished)[0].dropped == ("mood",)


async def test_opening_is_observed_by_its_outcome_alone() -> None:
    house = House()
    await house.post(
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "1.0"}}
    )
    assert house.observer.of(Initialized) == [Initialized("compatibility_success")]


async def test_a_named_failure_is_a_tool_error_and_observed_by_its_code() -> None:
    house = House()
    reply = await house.post(call_of("fail"))
    assert reply.json["result"]["isError"] is True
    assert house.observer.of(CallFinished)[0].code == "store_unavailable"


async def test_a_bug_is_told_by_its_request_id_and_never_in_its_own_words() -> None:
    house = House()
    reply = await house.post(call_of("crash"), x_request_id="r9")
    assert (reply.status, reply.json["error"]["code"]) == (200, -32603)
    assert b"secret" not in reply.body
    assert b"r9" in reply.body
    assert house.observer.of(CallFinished)[0].tool == "crash"
    (crashed,) = house.observer.of(Crashed)
    assert (crashed.request_id, type(crashed.error)) == ("r9", ZeroDivisionError)


async def test_a_bug_of_the_door_itself_is_answered_and_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    house = House()
    monkeypatch.setattr("vmk_mcp.web.exchange.send_body", None)
    reply = await house.post(PING)
    assert (reply.status, reply.json["error"]) == (500, "internal_error")
    assert isinstance(house.observer.of(Crashed)[0].error, TypeError)


async def test_progress_comes_as_an_event_stream_that_ends_with_the_response() -> None:
    reply = await House().post(call_of("count", progress_token="p1"))
    first, second, last = events_of(reply.body)
    assert (reply.status, reply.header("content-type")) == (200, "text/event-stream")
    assert reply.header("cache-control") == "no-store"
    assert first["method"] == "notifications/progress"
    assert first["params"] == {"progressToken": "p1", "progress": 1.0, "total": 2.0, "message": "one"}
    assert second["params"]["progress"] == 2.0
    assert last["result"]["structuredContent"] == {"value": "counted"}


async def test_progress_is_sent_while_the_work_goes_on() -> None:
    reply = await House().post(call_of("count", progress_token=0))
    assert len(reply.chunks) == 4


@pytest.mark.parametrize(
    "accept",
    [
        "application/json",
        "*/*",
        "",
        "application/json, text/event-stream;q=0",
        "application/json;of=text/event-stream",
    ],
)
async def test_a_client_that_does_not_name_event_streams_gets_one_json_body(accept: str) -> None:
    reply = await House().post(call_of("count", progress_token="p1"), accept=accept)
    assert reply.header("content-type") == "application/json"
    assert reply.json["result"]["structuredContent"] == {"value": "counted"}


async def test_a_call_that_tells_no_progress_is_answered_as_json() -> None:
    reply = await House().post(call_of("echo", {"text": "x"}, progress_token="p1"))
    assert reply.header("content-type") == "application/json"


async def test_a_client_that_goes_away_interrupts_its_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(departure, "_PATIENCE_S", 0.0)
    house, client = House(), Client([json.dumps(call_of("wait")).encode()])
    serving = asyncio.create_task(
        house.app(scope_of("POST", "/mcp", mcp_headers()), client.receive, client.send)
    )
    await house.waiting.entered.wait()
    client.gone.set()
    await serving
    assert house.waiting.interrupted == 1
    assert house.observer.of(CallFinished)[0].code == "cancelled"
    assert not house.observer.of(Crashed)


async def test_a_quick_call_reads_no_more_than_its_body() -> None:
    client = Client([json.dumps(call_of("echo", {"text": "x"})).encode()])
    await House().app(scope_of("POST", "/mcp", mcp_headers()), client.receive, client.send)
    assert client.pieces_read == 1


async def test_a_cancelled_notification_ends_the_one_call_of_that_id() -> None:
    house = House()
    serving = asyncio.create_task(house.post(call_of("wait", id_="long")))
    await house.waiting.entered.wait()
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long"}}
    assert (await house.post(cancel)).status == 202
    reply = await serving
    assert (reply.status, reply.body, house.waiting.interrupted) == (202, b"", 1)


async def test_another_tokens_cancellation_changes_nothing() -> None:
    house = House()
    serving = asyncio.create_task(house.post(call_of("wait", id_=5)))
    await house.waiting.entered.wait()
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}
    await house.post(cancel, authorization="Bearer bob-token")
    house.waiting.release.set()
    assert (await serving).json["result"]["structuredContent"] == {"value": "waited"}


async def test_a_cancellation_that_fits_two_calls_ends_neither() -> None:
    house = House()
    calls = [asyncio.create_task(house.post(call_of("wait", id_=1))) for _ in range(2)]
    await settle()
    assert house.running.running == 2
    await house.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    house.waiting.release.set()
    assert [reply.status for reply in await asyncio.gather(*calls)] == [200, 200]
    assert house.waiting.interrupted == 0


async def test_calls_past_the_queue_are_refused_with_a_time_to_come_back() -> None:
    house = House(places=(1, 1))
    calls = [asyncio.create_task(house.post(call_of("wait", id_=number))) for number in range(2)]
    await settle()
    assert (house.running.running, house.running.waiting) == (1, 1)
    refused = await house.post(call_of("wait", id_=3))
    assert (refused.status, refused.json["error"], refused.header("retry-after")) == (503, "overloaded", "1")
    assert (await house.post(PING)).status == 200
    house.waiting.release.set()
    assert [reply.status for reply in await asyncio.gather(*calls)] == [200, 200]
