"""Fixtures answer what is on record, and name the nearest record to what is not."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from tests.unit.web.door import Client, scope_of
from tests.unit.web.door import Reply as Answer
from vmk_mcp.errors import StartError
from vmk_mcp.web.fixtures import MAX_BODY_BYTES, Fixtures
from vmk_mcp.web.records import Record, Request, read_records

JSON: Final = {
    "host": "vmk.example.org",
    "authorization": "Bearer a-token",
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
}
SHORT: Final = b'{"jsonrpc":"2.0","id":1,"result":{}}'
STREAM: Final = (
    b'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}\n\n'
    b'data: {"jsonrpc":"2.0","id":1,"result":{"id":1}}\n\n'
)


def message_of(method: str, id_: object = 1, **params: object) -> dict[str, Any]:
    """Make a JSON-RPC request."""
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def record_of(
    name: str, body: bytes, answer: bytes = SHORT, *, type_: str = "application/json", **headers: str
) -> Record:
    """Make a record of a POST."""
    whole = {**JSON, **headers, "x-request-id": name}
    length = [] if answer is STREAM else [(b"content-length", str(len(answer)).encode())]
    sent_back = ((b"content-type", type_.encode()), *length)
    return Record(name, "a_file", Request("POST", "/mcp", whole, body), 200, sent_back, answer)


def encode(message: object) -> bytes:
    """Write JSON with spaces, as hands do."""
    return json.dumps(message).encode()


ECHO: Final = message_of("tools/call", name="echo", arguments={"text": "hi"})
COUNT: Final = message_of("tools/call", name="count", arguments={}, _meta={"progressToken": 7})
RECORDS: Final = (
    record_of("ping", encode(message_of("ping"))),
    record_of("ping-seven", encode(message_of("ping", 7)), SHORT.replace(b"1", b"7")),
    record_of("ping-elsewhere", encode(message_of("ping")), b"{}", host="rebound.example.net"),
    record_of("ping-page", encode(message_of("ping")), b"{}", origin="null"),
    record_of("echo", encode(ECHO), b'{"jsonrpc":"2.0","id":1,"result":{"text":"\\"id\\":1,"}}'),
    record_of("count", encode(COUNT), STREAM, type_="text/event-stream"),
    record_of("torn", b'{"jsonrpc":'),
)


async def ask(body: object, *, path: str = "/mcp", method: str = "POST", **headers: str) -> Answer:
    """Send a body, JSON unless it is bytes."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    sent = {name: value for name, value in {**JSON, **named}.items() if value}
    client = Client([body if isinstance(body, bytes) else encode(body)])
    await Fixtures(RECORDS, lambda line: None)(scope_of(method, path, sent), client.receive, client.send)
    return client.reply


async def test_another_id_comes_back_in_the_recorded_answer() -> None:
    answer = await ask({**ECHO, "id": "seven"})
    assert answer.body == b'{"jsonrpc":"2.0","id":"seven","result":{"text":"\\"id\\":1,"}}'
    assert answer.header("content-length") == str(len(answer.body))


async def test_another_id_and_progress_token_come_back_in_a_stream_and_nothing_else_changes() -> None:
    answer = await ask({**COUNT, "id": 2, "params": {**COUNT["params"], "_meta": {"progressToken": "p"}}})
    assert answer.body == STREAM.replace(b'"id":1,', b'"id":2,').replace(b"7", b'"p"')


async def test_a_progress_token_changes_nothing_where_no_progress_is_told() -> None:
    answer = await ask({**ECHO, "params": {**ECHO["params"], "_meta": {"progressToken": 1}}})
    assert answer.body == RECORDS[4].body


async def test_the_record_of_the_same_id_is_preferred() -> None:
    assert (await ask(message_of("ping", 7))).body == SHORT.replace(b"1", b"7")


@pytest.mark.parametrize("host", ["127.0.0.1:8081", "fixtures", ""])
async def test_whatever_name_it_is_reached_by_is_its_own(host: str) -> None:
    assert (await ask(message_of("ping"), host=host)).body == SHORT


@pytest.mark.parametrize("headers", [{"host": "rebound.example.net"}, {"origin": "null"}], ids=str)
async def test_a_header_that_is_refused_on_record_counts(headers: dict[str, str]) -> None:
    assert (await ask(message_of("ping"), **headers)).body == b"{}"


@pytest.mark.parametrize(
    "headers",
    [
        {"accept": "*/*"},
        {"accept": ""},
        {"authorization": "bearer  a-token"},
        {"content_type": "Application/JSON; charset=utf-8"},
        {"mcp_protocol_version": "2025-06-18"},
        {"mcp_session_id": "x", "user_agent": "x", "x_request_id": "x"},
    ],
    ids=str,
)
async def test_headers_that_mean_the_same_are_the_same(headers: dict[str, str]) -> None:
    assert (await ask(ECHO, **headers)).body == RECORDS[4].body


def differences_of(answer: Answer) -> tuple[str, list[str]]:
    """Give the name of the nearest record and what is otherwise there."""
    error = answer.json.get("error")
    told = error["data"] if isinstance(error, dict) else answer.json
    return told["nearest"], told["differences"]


@pytest.mark.parametrize(
    ("message", "headers", "nearest", "difference"),
    [
        ({**ECHO, "params": {"name": "echo", "arguments": {"text": "ho"}}}, {}, "echo", 'text is "hi"'),
        ({**ECHO, "params": {"name": "echo"}}, {}, "echo", 'body.params.arguments.text is "hi"'),
        ({**ECHO, "more": 1}, {}, "echo", "body.more is absent"),
        (ECHO, {"authorization": "Bearer mine"}, "echo", "header authorization is Bearer a-token"),
        (ECHO, {"content_type": "text/plain"}, "echo", "header content-type is absent"),
        (ECHO, {"accept": "text/html"}, "echo", "header accept is absent"),
        (ECHO, {"mcp_protocol_version": "2099-01-01"}, "echo", "header mcp-protocol-version is absent"),
        (COUNT, {"accept": "application/json"}, "count", "header accept is text/event-stream"),
        (message_of("tools/call", name="count"), {}, "count", "body.params._meta.progressToken is given"),
        (message_of("tools/call", name="ehco", arguments={"text": "hi"}), {}, "echo", 'name is "echo"'),
        (message_of("pong"), {}, "ping", 'body.method is "ping"'),
        (message_of("ping", x=True), {}, "ping", "body.params.x is absent"),
    ],
    ids=str,
)
async def test_a_request_that_is_not_on_record_is_told_what_is_otherwise_in_the_nearest_one(
    message: Mapping[str, Any], headers: dict[str, str], nearest: str, difference: str
) -> None:
    answer = await ask({**message, "id": "mine"}, **headers)
    assert (answer.status, answer.json["id"], answer.json["error"]["code"]) == (200, "mine", -32099)
    name, differences = differences_of(answer)
    assert name == nearest
    assert [one for one in differences if one.endswith(difference)]
    assert f"The nearest one is {nearest} in exchanges/a_file.json; there" in answer.json["error"]["message"]


@pytest.mark.parametrize(
    ("body", "nearest"),
    [
        (b'{"jsonrpc"', "torn"),
        (b"\xff", "torn"),
        (b"[" * 100_000, "torn"),
        (b"7", "torn"),
        (message_of("ping", None), "ping"),
        (message_of("ping", True), "ping"),
        ({"jsonrpc": "2.0", "method": "ping"}, "ping"),
    ],
    ids=["torn", "no-text", "deep", "number", "null-id", "true-id", "no-id"],
)
async def test_what_has_no_id_to_answer_is_404_with_the_nearest_record(body: object, nearest: str) -> None:
    answer = await ask(body)
    assert (answer.status, answer.json["error"]) == (404, "not_on_record")
    assert answer.json["request_id"]
    assert differences_of(answer)[0] == nearest


async def test_another_path_or_method_is_404_and_says_which_is_on_record() -> None:
    elsewhere = await ask(ECHO, path="/mcp?x=1", method="PUT")
    assert differences_of(elsewhere) == ("echo", ["method is POST", "path is /mcp"])


async def test_a_token_that_is_not_on_record_is_not_repeated() -> None:
    assert b"secret" not in (await ask(ECHO, authorization="Bearer secret")).body


async def test_a_body_that_is_too_large_is_not_read_and_is_no_record() -> None:
    declared = await ask(b" ", content_length=str(MAX_BODY_BYTES + 1))
    undeclared = await ask(b" " * (MAX_BODY_BYTES + 1))
    assert (declared.status, undeclared.status) == (404, 404)


async def test_a_page_of_another_site_may_not_read_the_error() -> None:
    answer = await ask(message_of("pong"), origin="https://evil.example.net")
    assert answer.header("access-control-allow-origin") is None


async def test_many_and_long_differences_are_cut() -> None:
    text = {f"word{number}": "x" * 500 for number in range(9)}
    record = record_of("long", encode(message_of("ping", **text)))
    client = Client([encode(message_of("ping"))])
    fixtures = Fixtures([record], lambda line: None)
    await fixtures(scope_of("POST", "/mcp", JSON), client.receive, client.send)
    message = client.reply.json["error"]["message"]
    assert message.endswith("…, and 4 more.")
    assert len(message) < 1000


async def test_each_request_is_told_of_without_its_token() -> None:
    said: list[str] = []
    for message in (ECHO, message_of("pong")):
        client = Client([encode(message)])
        headers = {**JSON, "authorization": "Bearer a-token"}
        await Fixtures(RECORDS, said.append)(scope_of("POST", "/mcp", headers), client.receive, client.send)
    assert said[0] == "echo (a_file)"
    assert said[1].startswith("This request is not on record.")
    assert "a-token" not in "".join(said)


async def test_a_client_that_leaves_early_is_sent_nothing() -> None:
    client = Client([])
    client.gone.set()
    await Fixtures(RECORDS, lambda line: None)(scope_of("POST", "/mcp", JSON), client.receive, client.send)
    assert client.sent == []


def test_a_folder_without_exchanges_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="No recorded exchange"):
        read_records(tmp_path, MAX_BODY_BYTES)


def test_a_file_that_holds_no_exchanges_is_named(tmp_path: Path) -> None:
    (tmp_path / "odd.json").write_text('[{"name": 1}]', encoding="utf-8")
    with pytest.raises(StartError, match=r"odd\.json"):
        read_records(tmp_path, MAX_BODY_BYTES)
