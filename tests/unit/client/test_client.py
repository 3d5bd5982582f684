"""The MCP client, over a transport that answers from a script."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import pytest

from vmk_mcp.client import (
    ClientError,
    McpClient,
    NotLetIn,
    RequestRejected,
    ServerUnreachable,
    ToolFailed,
)
from vmk_mcp.client_messages import ProgressParams

URL = "http://127.0.0.1:8080/mcp"
Handler = Callable[[httpx.Request], httpx.Response]


def open_client(handler: Handler) -> McpClient:
    return McpClient(URL, "secret", transport=httpx.MockTransport(handler))


def answering(result: Mapping[str, Any], seen: list[httpx.Request] | None = None) -> Handler:
    """Answer every request with the same result, and keep the requests."""

    def handle(request: httpx.Request) -> httpx.Response:
        if seen is not None:
            seen.append(request)
        message = json.loads(request.content)
        if "id" not in message:
            return httpx.Response(202)
        return httpx.Response(200, json={"jsonrpc": "2.0", "id": message["id"], "result": result})

    return handle


async def failure_of(handler: Handler) -> ClientError:
    async with open_client(handler) as client:
        with pytest.raises(ClientError) as raised:
            await client.call_tool("t", {})
    return raised.value


async def test_a_call_gives_structured_content_and_shows_the_token() -> None:
    seen: list[httpx.Request] = []
    async with open_client(answering({"structuredContent": {"n": 1}, "content": []}, seen)) as client:
        assert await client.call_tool("count", {"a": "ї"}) == {"n": 1}
    (request,) = seen
    assert request.headers["authorization"] == "Bearer secret"
    assert request.headers["mcp-protocol-version"] == "2025-06-18"
    assert json.loads(request.content)["params"] == {"name": "count", "arguments": {"a": "ї"}}


async def test_arguments_that_the_server_left_out_are_kept_until_the_next_call() -> None:
    result = {"structuredContent": {}, "_meta": {"dropped_arguments": ["city"]}}
    async with open_client(answering(result)) as client:
        await client.call_tool("t", {})
        assert client.ignored_arguments == ["city"]


async def test_a_result_without_structure_gives_its_text() -> None:
    result = {"content": [{"type": "text", "text": "a"}, {"type": "image"}]}
    async with open_client(answering(result)) as client:
        assert await client.call_tool("t", {}) == {"text": "a"}


async def test_a_tool_error_carries_code_hint_and_field() -> None:
    said = {"error": "no", "code": "invalid_arguments", "hint": "do", "retryable": False, "field": "a.b"}
    result = {"isError": True, "content": [{"type": "text", "text": json.dumps(said)}]}
    failure = await failure_of(answering(result))
    assert isinstance(failure, ToolFailed)
    assert (failure.message, failure.code, failure.hint, failure.field) == (
        "no",
        "invalid_arguments",
        "do",
        "a.b",
    )
    assert failure.retryable is False


async def test_a_tool_error_in_plain_words_is_told_as_it_is() -> None:
    failure = await failure_of(answering({"isError": True, "content": [{"type": "text", "text": "oh"}]}))
    assert isinstance(failure, ToolFailed)
    assert failure.message == "oh"


async def test_opening_sends_the_fixed_version_and_the_notification() -> None:
    seen: list[httpx.Request] = []
    result = {
        "protocolVersion": "2025-06-18",
        "serverInfo": {"name": "x", "version": "2"},
        "capabilities": {},
    }
    async with open_client(answering(result, seen)) as client:
        opened = await client.initialize()
    assert (opened.protocol_version, opened.server_info.name) == ("2025-06-18", "x")
    messages = [json.loads(request.content) for request in seen]
    assert [message["method"] for message in messages] == ["initialize", "notifications/initialized"]
    assert messages[0]["params"]["protocolVersion"] == "2025-06-18"


async def test_ping_takes_an_empty_result() -> None:
    async with open_client(answering({})) as client:
        await client.ping()


async def test_all_pages_of_tools_are_listed() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        message = json.loads(request.content)
        is_first = "cursor" not in message["params"]
        page = {"tools": [{"name": "a" if is_first else "b", "inputSchema": {"type": "object"}}]}
        return httpx.Response(
            200, json={"id": message["id"], "result": {**page, "nextCursor": "2"} if is_first else page}
        )

    async with open_client(handle) as client:
        assert [tool.name for tool in await client.list_tools()] == ["a", "b"]


async def test_an_answer_as_an_event_stream_is_found_among_the_notifications() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        events = (
            ": hello\r\n\r\n"
            'event: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\r\n\r\n'
            'data: {"jsonrpc":"2.0","id":1,\r\ndata: "result":{"structuredContent":{"n":2}}}\r\n\r\n'
        )
        return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content=events.encode())

    async with open_client(handle) as client:
        assert await client.call_tool("t", {}) == {"n": 2}


async def test_progress_is_asked_for_and_told_before_the_answer() -> None:
    told: list[tuple[float, float | None, str]] = []

    def handle(request: httpx.Request) -> httpx.Response:
        token = json.loads(request.content)["params"]["_meta"]["progressToken"]
        params = {"progressToken": token, "progress": 3, "total": 7, "message": "half"}
        events = [
            {"jsonrpc": "2.0", "method": "notifications/progress", "params": params},
            {"jsonrpc": "2.0", "method": "notifications/message", "params": {}},
            {"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": {"n": 2}}},
        ]
        body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
        return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, text=body)

    async def tell(progress: ProgressParams) -> None:
        told.append((progress.progress, progress.total, progress.message))

    async with open_client(handle) as client:
        assert await client.call_tool("t", {}, tell) == {"n": 2}
    assert told == [(3, 7, "half")]


async def test_a_stream_that_ends_without_the_answer_is_no_answer() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        event = 'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}\n\n'
        return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, text=event)

    assert "is no MCP server" in (await failure_of(handle)).message


async def test_health_is_asked_beside_the_endpoint() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        assert str(request.url) == "http://127.0.0.1:8080/health"
        return httpx.Response(200, json={"status": "ok", "tools": ["echo"]})

    async with open_client(handle) as client:
        health = await client.health()
    assert (health.status, health.tools) == ("ok", ("echo",))


async def test_a_json_rpc_error_is_told_with_its_code() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        error = {"code": -32602, "message": "Unknown tool: t"}
        return httpx.Response(400, json={"jsonrpc": "2.0", "id": 1, "error": error})

    failure = await failure_of(handle)
    assert isinstance(failure, RequestRejected)
    assert (failure.code, failure.message) == (-32602, "Unknown tool: t")


@pytest.mark.parametrize(
    ("status", "kind"), [(401, NotLetIn), (403, NotLetIn), (429, NotLetIn), (503, ServerUnreachable)]
)
async def test_a_refusal_is_told_with_the_servers_words_and_a_hint(
    status: int, kind: type[ClientError]
) -> None:
    body = {"error": "code", "message": "the words", "request_id": "r"}
    failure = await failure_of(lambda request: httpx.Response(status, json=body))
    assert type(failure) is kind
    assert f"HTTP {status}: the words" in failure.message
    assert failure.hint


async def test_when_nothing_listens_the_way_to_start_it_is_told() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    failure = await failure_of(handle)
    assert failure.message == f"No server answers at {URL}."
    assert "make run" in failure.hint


async def test_silence_is_told_apart_from_absence() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("slow")

    assert "did not answer in time" in (await failure_of(handle)).message


@pytest.mark.parametrize(
    "body", [b"<html>", b"[]", b'{"id": 1}', b'{"id": 99, "result": {}}', b'{"id": 1, "result": 3}']
)
async def test_what_is_no_mcp_server_is_called_so(body: bytes) -> None:
    failure = await failure_of(lambda request: httpx.Response(200, content=body))
    assert "is no MCP server" in failure.message
    assert "secret" not in failure.message
