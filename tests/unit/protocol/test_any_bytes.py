"""Any bytes get a well-formed answer: never an exception, never a hang."""

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.protocol.conversation import PROTOCOL, Reply, caller, say

ARGUMENTS = (
    "text",
    "a",
    "b",
    "filter",
    "ids",
    "query",
    "query_text",
    "filters",
    "pagination",
    "limit",
    "sort_by",
)
METHODS = (
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "prompts/get",
    "completion/complete",
    "logging/setLevel",
    "notifications/cancelled",
    "server/discover",
    "unknown",
)
TOOLS = ("find_books", "echo", "add", "nested", "noargs", "unknown")

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
TEXTS_OF_JSON = JSON.map(lambda value: msgspec.json.encode(value).decode())
LIKELY_VALUES = (
    JSON | TEXTS_OF_JSON | st.dictionaries(st.sampled_from(ARGUMENTS), JSON | TEXTS_OF_JSON, max_size=4)
)
LIKELY_ARGUMENTS = st.dictionaries(
    st.sampled_from(ARGUMENTS) | st.text(max_size=5), LIKELY_VALUES, max_size=5
)
PROFILE = st.sampled_from(("fixed", "standard"))


def assert_well_formed(reply: Reply) -> None:
    answer, message = reply.answer, reply.message
    assert answer.crash is None, answer.crash
    if answer.status == 202:
        assert answer.body == b""
        return
    assert message["jsonrpc"] == "2.0"
    assert ("result" in message) != ("error" in message)
    assert type(message["id"]) in (int, str, type(None))
    if "error" in message:
        assert type(message["error"]["code"]) is int
        assert message["error"]["message"]
        assert answer.status == (400 if message["error"]["code"] in (-32700, -32600) else answer.status)
    else:
        assert answer.status == 200


@given(body=st.binary(max_size=200), profile=PROFILE)
def test_any_bytes_get_a_well_formed_answer(body: bytes, profile: str) -> None:
    assert_well_formed(say(body, by=caller(profile=profile)))


@given(text=st.text(alphabet='{}[]":,0123456789eE.-+\\u tfn"abjsonrpcidmethod', max_size=80))
def test_any_text_that_is_nearly_json_gets_a_well_formed_answer(text: str) -> None:
    assert_well_formed(say(text.encode()))


@given(value=JSON)
def test_any_json_gets_a_well_formed_answer(value: Any) -> None:
    assert_well_formed(say(msgspec.json.encode(value)))


@given(
    message=st.fixed_dictionaries(
        {"jsonrpc": st.just("2.0") | JSON},
        optional={
            "id": JSON,
            "method": st.sampled_from(METHODS) | JSON,
            "params": JSON,
            "result": JSON,
            "error": JSON,
        },
    ),
    header=st.none() | st.text(max_size=12),
    profile=PROFILE,
)
def test_any_envelope_gets_a_well_formed_answer(
    message: dict[str, Any], header: str | None, profile: str
) -> None:
    assert_well_formed(say(message, header=header, by=caller(profile=profile)))


@given(tool=st.sampled_from(TOOLS), arguments=LIKELY_ARGUMENTS | LIKELY_VALUES, profile=PROFILE)
@settings(max_examples=300)
def test_any_arguments_give_a_result_or_a_named_error(tool: str, arguments: Any, profile: str) -> None:
    params = {"name": tool, "arguments": arguments}
    reply = say(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, by=caller(profile=profile)
    )
    assert_well_formed(reply)
    if "result" in reply.message and reply.result["isError"]:
        assert reply.tool_error["code"] == "invalid_arguments"
        assert reply.tool_error["error"]


@given(
    depth=st.integers(min_value=1, max_value=1100), inside=st.sampled_from(("params", "arguments", "filters"))
)
@settings(max_examples=60)
def test_any_depth_of_nesting_gets_a_well_formed_answer(depth: int, inside: str) -> None:
    deep = b"[" * depth + b"]" * depth
    wrapped = {
        "params": deep,
        "arguments": b'{"name":"echo","arguments":%b}' % deep,
        "filters": b'{"name":"find_books","arguments":{"query":"x","filters":%b}}' % deep,
    }[inside]
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%b}' % wrapped
    assert_well_formed(say(body))
    as_text = {"name": "find_books", "arguments": {"query": "x", "filters": deep.decode()}}
    assert_well_formed(say({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": as_text}))


@given(arguments=LIKELY_ARGUMENTS)
def test_reading_the_same_message_twice_gives_the_same(arguments: dict[str, Any]) -> None:
    params = {"name": "find_books", "arguments": arguments}
    body = msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    assert PROTOCOL.read(body, caller()) == PROTOCOL.read(body, caller())
