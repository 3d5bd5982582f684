"""Streams, tokens and rates on the wire of a process that runs meanwhile."""

import hashlib
import http.client
import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import pytest

from tests.e2e.service import HEADERS, Service, diagnostics_service

PING: Final = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
LISTED: Final = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
TAKEN_OVER_WITHIN_S: Final = 5


def entry(token: str, **fields: str) -> str:
    """Write an entry of the tokens file; `fields` are TOML values."""
    hashed = hashlib.sha256(token.encode()).hexdigest()
    whole = {"name": f'"{token}"', "sha256": f'"{hashed}"', "tools": '["diagnostics"]', **fields}
    return "[[token]]\n" + "".join(f"{name} = {value}\n" for name, value in whole.items())


@pytest.fixture(scope="module")
def tokens_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tokens file of the service."""
    file = tmp_path_factory.mktemp("streams") / "tokens.toml"
    file.write_text(entry("first"), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def streaming(tokens_file: Path) -> Iterator[Service]:
    """A service that gives out idle streams."""
    with diagnostics_service(MCP_TOKENS_FILE=str(tokens_file), MCP_GET_STREAM="on") as service:
        yield service


@pytest.fixture(autouse=True)
def one_token(streaming: Service, tokens_file: Path) -> None:
    """Each test begins with one token, `first`."""
    if tokens_file.read_text("utf-8") != entry("first"):
        tokens_file.write_text(entry("first"), encoding="utf-8")
        await_true(lambda: post(streaming, PING, "first").status_code == 200)


def post(service: Service, message: object, token: str, **headers: str) -> httpx.Response:
    """Post by a token."""
    due = {**HEADERS, "Authorization": f"Bearer {token}", **headers}
    return httpx.post(service.url, json=message, headers=due, timeout=30)


def await_true(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + TAKEN_OVER_WITHIN_S
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_get_opens_a_stream_for_who_accepts_one_and_delete_is_405(streaming: Service) -> None:
    asks = {"Accept": "text/event-stream", "Authorization": "Bearer first"}
    with httpx.stream("GET", streaming.url, headers=asks, timeout=30) as stream:
        assert (stream.status_code, stream.headers["Content-Type"]) == (200, "text/event-stream")
        assert next(stream.iter_lines()).startswith(": ")
    assert httpx.get(streaming.url, headers={**asks, "Accept": "application/json"}).status_code == 405
    assert httpx.delete(streaming.url, headers=asks).status_code == 405


def test_a_shutdown_ends_idle_streams_properly(tokens_file: Path) -> None:
    with diagnostics_service(MCP_TOKENS_FILE=str(tokens_file), MCP_GET_STREAM="on") as service:
        asks = {"Accept": "text/event-stream", "Authorization": "Bearer first"}
        with httpx.stream("GET", service.url, headers=asks, timeout=30) as stream:
            lines = stream.iter_lines()
            next(lines)
            assert service.stop() == 0
            assert [line for line in lines if line and not line.startswith(":")] == []


def events_of(answer: httpx.Response) -> list[dict[str, Any]]:
    """Give the messages of a stream of events."""
    return [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: ")]


def test_progress_is_told_by_events_before_the_response(streaming: Service) -> None:
    params = {"name": "test_tool_with_progress", "_meta": {"progressToken": "p-1"}}
    call = {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params}
    answer = post(streaming, call, "first")
    assert answer.headers["Content-Type"] == "text/event-stream"
    *told, last = events_of(answer)
    assert [(one["method"], one["params"]["progressToken"]) for one in told] == [
        ("notifications/progress", "p-1")
    ] * 3
    progress = [one["params"]["progress"] for one in told]
    assert progress == sorted(set(progress))
    assert (last["id"], last["result"]["isError"]) == (9, False)
    # Whoever takes no stream gets one body.
    json_alone = post(streaming, call, "first", Accept="application/json")
    assert json_alone.json()["result"] == last["result"]


def test_a_changed_file_is_taken_over_while_a_request_is_under_way(
    streaming: Service, tokens_file: Path
) -> None:
    body = json.dumps(PING).encode()
    connection = http.client.HTTPConnection(urlsplit(streaming.url).netloc, timeout=30)
    try:
        connection.putrequest("POST", "/mcp")
        due = {**HEADERS, "Authorization": "Bearer first", "Content-Length": str(len(body))}
        for name, value in due.items():
            connection.putheader(name, value)
        connection.endheaders(body[:10])
        # The head has arrived before the file changes: an answer on another connection came after it.
        assert post(streaming, PING, "first").status_code == 200
        tokens_file.write_text(entry("second"), encoding="utf-8")
        await_true(lambda: post(streaming, PING, "second").status_code == 200)
        assert post(streaming, PING, "first").status_code == 401
        connection.send(body[10:])
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())["result"]) == (200, {})
    finally:
        connection.close()


def test_a_hangup_signal_takes_the_file_over_and_ends_nothing(streaming: Service, tokens_file: Path) -> None:
    tokens_file.write_text(entry("third", tools='["diagnostics.echo"]'), encoding="utf-8")
    streaming.process.send_signal(signal.SIGHUP)
    await_true(lambda: post(streaming, PING, "third").status_code == 200)
    assert streaming.process.poll() is None
    listed = post(streaming, LISTED, "third").json()["result"]["tools"]
    assert [tool["name"] for tool in listed] == ["echo"]
    params = {"name": "add", "arguments": {"a": 1, "b": 2}}
    hidden = post(streaming, {**PING, "method": "tools/call", "params": params}, "third").json()
    unknown = post(
        streaming, {**PING, "method": "tools/call", "params": {**params, "name": "subtract"}}, "third"
    ).json()
    assert hidden["error"]["code"] == unknown["error"]["code"] == -32602
    assert hidden["error"]["message"].replace("add", "subtract") == unknown["error"]["message"]


def test_a_broken_file_keeps_the_old_tokens_and_says_so(streaming: Service, tokens_file: Path) -> None:
    tokens_file.write_text("[[token", encoding="utf-8")
    streaming.process.send_signal(signal.SIGHUP)
    await_true(lambda: "tokens.toml" in streaming.log)
    assert post(streaming, PING, "first").status_code == 200


def test_a_token_past_its_rate_is_429_and_told_when_to_come_back(
    streaming: Service, tokens_file: Path
) -> None:
    tokens_file.write_text(entry("first") + entry("hurried", rate_per_minute="2"), encoding="utf-8")
    await_true(lambda: post(streaming, PING, "hurried").status_code != 401)
    statuses = [post(streaming, PING, "hurried") for _ in range(3)]
    refused = statuses[-1]
    assert (refused.status_code, refused.json()["error"]) == (429, "rate_limited")
    assert int(refused.headers["Retry-After"]) > 0
    assert post(streaming, PING, "first").status_code == 200


def test_no_token_stands_in_the_log(streaming: Service) -> None:
    post(streaming, PING, "nobodys-secret")
    assert "nobodys-secret" not in streaming.log
    assert hashlib.sha256(b"first").hexdigest() not in streaming.log
