"""The door on the wire: recorded exchanges byte for byte, and what odd clients and attackers send."""

import hashlib
import http.client
import json
import select
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import pytest

from tests.e2e.service import HEADERS, Service, diagnostics_service

EXCHANGES: Final = Path(__file__).parents[2] / "contracts" / "exchanges"
HOST: Final = "vmk.example.org"
ORIGIN: Final = "https://app.example.org"
TOKENS: Final = {
    "agent-token": ("agent", "fixed", '["listings"]'),
    "platform-token": ("platform", "standard", '["diagnostics", "listings"]'),
    "probe-token": ("probe", "fixed", '["diagnostics"]'),
    "bare-token": ("bare", "fixed", "[]"),
}
"""The made-up tokens of the exchanges: name, profile, rights."""
PROBE: Final = "probe-token"

PLAYED: Final = ("diagnostics", "door", "jsonrpc_specification", "profiles")
"""Files that need no listings."""

STAGED: Final = {
    "body-too-large",  # declares a length that it does not send, which no HTTP client does
    "door-internal-error",  # needs a token whose profile has gone
    "health-with-token",  # lists the tools of the listings
    "overloaded",  # needs a queue that is full
    "rate-limited",  # needs a token that is used up
    "ready",  # tells of the listings
}
PING: Final = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
USUAL_REST_S: Final = 5.5
"""httpx keeps a connection for 5 s, as uvicorn does by itself: a call that is being sent then is lost."""


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with the tokens, the Origin and the host of the exchanges."""
    file = tmp_path_factory.mktemp("wire") / "tokens.toml"
    entries = [
        f'[[token]]\nname = "{name}"\nprofile = "{profile}"\ntools = {rights}\n'
        f'sha256 = "{hashlib.sha256(token.encode()).hexdigest()}"\n'
        for token, (name, profile, rights) in TOKENS.items()
    ]
    file.write_text("\n".join(entries), encoding="utf-8")
    site = {"MCP_ALLOWED_ORIGINS": ORIGIN, "MCP_ALLOWED_HOSTS": HOST}
    with diagnostics_service(MCP_TOKENS_FILE=str(file), **site) as service:
        yield service


def send(
    wire: Service, body: object, *, token: str = PROBE, path: str = "", **headers: str
) -> httpx.Response:
    """Post `body`, which is JSON unless it is bytes or chunks of bytes, by one of the tokens."""
    due = {**HEADERS, "Host": HOST, "Authorization": f"Bearer {token}", **headers}
    content: Any = body if isinstance(body, bytes | Iterator) else json.dumps(body).encode()
    sent = [(name.encode(), value.encode("latin-1")) for name, value in due.items()]
    return httpx.post(wire.url + path, content=content, headers=sent, timeout=30)


def call(wire: Service, tool: str, arguments: object, token: str = PROBE) -> dict[str, Any]:
    """Call a tool and give the result."""
    params = {"name": tool, "arguments": arguments}
    answer = send(wire, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, token=token)
    result: dict[str, Any] = answer.json()["result"]
    return result


def recorded() -> list[Any]:
    """Give the exchanges that the service alone decides."""
    files = [json.loads((EXCHANGES / f"{name}.json").read_text("utf-8")) for name in PLAYED]
    exchanges = [exchange for file in files for exchange in file if exchange["name"] not in STAGED]
    return [pytest.param(exchange, id=exchange["name"]) for exchange in exchanges]


def bytes_of(message: Mapping[str, Any]) -> bytes:
    """Give the bytes that a recorded body stands for."""
    body = message.get("body", "")
    compact = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return compact.encode()


@pytest.mark.parametrize("exchange", recorded())
def test_the_process_answers_as_recorded(wire: Service, exchange: dict[str, Any]) -> None:
    request, response = exchange["request"], exchange["response"]
    url = wire.url.removesuffix("/mcp") + request["path"]
    content = bytes_of(request)
    answer = httpx.request(request["method"], url, headers=request["headers"], content=content, timeout=30)
    assert (answer.status_code, answer.content) == (response["status"], bytes_of(response))
    assert {name: answer.headers.get(name) for name in response["headers"]} == response["headers"]


@pytest.mark.parametrize("id_", [0, "", "7", -5, 2**53 - 1, "abc-1"])
def test_an_id_comes_back_unchanged(wire: Service, id_: int | str) -> None:
    answer = send(wire, {**PING, "id": id_})
    assert answer.json() == {"jsonrpc": "2.0", "id": id_, "result": {}}
    assert type(answer.json()["id"]) is type(id_)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"', -32700),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping\xff"}', -32700),
        (
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":NaN}}}',
            -32700,
        ),
        (b"", -32700),
        ({**PING, "id": True}, -32600),
        ({**PING, "id": {"a": 1}}, -32600),
        ({**PING, "id": None}, -32600),
        ({**PING, "id": 1.5}, -32600),
        ({**PING, "jsonrpc": "1.0"}, -32600),
        ({**PING, "method": 5}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600),
        ([PING], -32600),
    ],
    ids=str,
)
def test_what_is_no_proper_message_is_answered_with_400(wire: Service, body: object, code: int) -> None:
    answer = send(wire, body)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code
    assert "id" in answer.json()


@pytest.mark.parametrize(
    "body",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * 4000 + b"1" + b"}" * 4001,
        b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
        b"[" * 500_000,
    ],
    ids=["deep", "twice-the-same-member", "half-a-million-brackets"],
)
def test_a_hostile_body_harms_nobody(wire: Service, body: bytes) -> None:
    assert send(wire, body).status_code in {200, 400}
    assert send(wire, PING).status_code == 200


@pytest.mark.parametrize("method", ["Tools/List", "tools/unknown", "resources/subscribe", "tasks/list"])
def test_an_unknown_method_is_32601_with_200(wire: Service, method: str) -> None:
    answer = send(wire, {**PING, "method": method})
    assert (answer.status_code, answer.json()["error"]["code"]) == (200, -32601)


@pytest.mark.parametrize(
    "message",
    [
        {"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}},
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "nope"}},
        {"jsonrpc": "2.0", "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 5, "result": {}},
        {"jsonrpc": "2.0", "id": 5, "error": {"code": -1, "message": "x"}},
    ],
    ids=str,
)
def test_what_wants_no_answer_gets_202_and_nothing(wire: Service, message: object) -> None:
    answer = send(wire, message)
    assert (answer.status_code, answer.content) == (202, b"")
    assert "content-type" not in answer.headers


@pytest.mark.parametrize(
    ("tool", "arguments", "result"),
    [
        ("echo", '{"text":"hi"}', {"text": "hi"}),
        ("echo", {"text": '{"a":1}'}, {"text": '{"a":1}'}),
        ("echo", {"text": "🍸"}, {"text": "🍸"}),
        ("echo", {"text": "x" * 200_000}, {"text": "x" * 200_000}),
        ("add", {"a": 3.0, "b": "2"}, {"sum": 5}),
        ("nested", {"filter": '{"q":"x"}', "ids": "[1,2]"}, {"filter": {"q": "x"}, "ids": [1, 2]}),
        ("nested", {"filter": {"q": "x"}, "ids": 1}, {"filter": {"q": "x"}, "ids": [1]}),
        ("noargs", None, {}),
    ],
    ids=["text", "json-text", "emoji", "long", "numbers", "texts-for-objects", "lone-item", "null"],
)
def test_habits_of_models_are_met(wire: Service, tool: str, arguments: object, result: object) -> None:
    answer = call(wire, tool, arguments)
    assert (answer["isError"], answer["structuredContent"]) == (False, result)
    assert json.loads(answer["content"][0]["text"]) == result


@pytest.mark.parametrize(
    ("tool", "arguments", "token", "field"),
    [
        ("echo", {}, PROBE, "text"),
        ("echo", {"text": 5}, PROBE, "text"),
        ("add", {"a": True, "b": 2}, PROBE, "a"),
        ("add", {"a": 3.5, "b": 2}, PROBE, "a"),
        ("echo", {"text": "hi", "bogus": 1}, "platform-token", "bogus"),
    ],
)
def test_a_mistake_is_a_tool_error_that_names_its_field(
    wire: Service, tool: str, arguments: object, token: str, field: str
) -> None:
    answer = call(wire, tool, arguments, token)
    assert (answer["isError"], "structuredContent" in answer) == (True, False)
    error = json.loads(answer["content"][0]["text"])
    assert (error["code"], error["field"]) == ("invalid_arguments", field)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Accept": "application/json"}, 200),
        ({"Accept": "text/event-stream"}, 200),
        ({"Accept": "*/*;q=0.1"}, 200),
        ({"Accept": "text/html"}, 406),
        ({"Content-Type": "Application/JSON; charset=utf-8"}, 200),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"MCP-Protocol-Version": "foobar"}, 200),
        ({"Last-Event-ID": "1", "Mcp-Session-Id": "x"}, 200),
        ({"X-Forwarded-For": "1.2.3.4", "X-Forwarded-Host": "evil.example.com", "Via": "1.1 nginx"}, 200),
        ({"Origin": ORIGIN}, 200),
        ({"Origin": ORIGIN.replace("https", "http")}, 403),
        ({"Origin": f"{ORIGIN}.evil.example.com"}, 403),
        ({"Origin": f"{ORIGIN}:8443"}, 403),
        ({"Origin": ORIGIN.upper()}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://evil.example.com", "Authorization": "Bearer wrong"}, 403),
        ({"Host": "evil.example.com"}, 403),
        ({"Authorization": "bearer probe-token"}, 200),
        ({"Authorization": "Bearer"}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer töken"}, 401),
        ({"Authorization": "Basic cHJvYmU6dG9rZW4="}, 401),
    ],
    ids=str,
)
def test_the_head_of_a_request_decides_its_status(
    wire: Service, headers: dict[str, str], status: int
) -> None:
    assert send(wire, PING, **headers).status_code == status


def test_a_notification_needs_a_token_as_well(wire: Service) -> None:
    initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert send(wire, initialized, token="wrong").status_code == 401


def test_a_trailing_slash_is_served_without_a_redirect(wire: Service) -> None:
    assert send(wire, PING, path="/").json() == {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize("method", ["GET", "HEAD", "DELETE", "PUT", "PATCH"])
def test_any_other_method_than_post_is_405(wire: Service, method: str) -> None:
    headers = {"Host": HOST, "Authorization": "Bearer probe-token", "Accept": "text/event-stream"}
    answer = httpx.request(method, wire.url, headers=headers)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


def test_a_body_that_declares_too_much_is_413(wire: Service) -> None:
    assert send(wire, b" " * 5_000_000).status_code == 413


def test_a_body_that_declares_no_length_is_cut_at_the_limit(wire: Service) -> None:
    answer = send(wire, iter([b" " * 65_536] * 80))
    assert answer.status_code == 413
    assert answer.json()["error"] == "body_too_large"


def test_a_chunked_body_below_the_limit_is_served(wire: Service) -> None:
    whole = json.dumps(PING).encode()
    assert send(wire, iter([whole[:7], whole[7:]])).json()["result"] == {}


def test_a_list_is_the_same_each_time(wire: Service) -> None:
    listing = {**PING, "method": "tools/list", "params": {"cursor": None}}
    first, second = (send(wire, listing).content for _ in range(2))
    assert first == second


def test_a_connection_that_a_client_keeps_for_later_is_kept_open_for_it(wire: Service) -> None:
    place = urlsplit(wire.url).netloc
    due = {**HEADERS, "Host": HOST, "Authorization": f"Bearer {PROBE}"}
    with closing(http.client.HTTPConnection(place, timeout=30)) as connection:
        for rest_s in (USUAL_REST_S, 0.0):
            connection.request("POST", "/mcp", json.dumps(PING).encode(), due)
            assert connection.getresponse().read() == b'{"jsonrpc":"2.0","id":1,"result":{}}'
            # Readable without an answer on its way means: closed.
            assert select.select([connection.sock], [], [], rest_s)[0] == []
