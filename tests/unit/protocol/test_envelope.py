"""JSON-RPC 2.0: the specification's own examples, and everything an envelope can get wrong."""

from typing import Any

import pytest

from tests.unit.protocol.conversation import ask, caller, say

PING = b'{"jsonrpc":"2.0","id":%b,"method":"ping"}'


@pytest.mark.parametrize(
    "request_line",
    [
        b'{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}',
        b'{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 1}',
        b'{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 1}',
    ],
)
def test_spec_example_of_a_call_to_a_method_that_is_not_ours_is_32601(request_line: bytes) -> None:
    reply = say(request_line)
    assert (reply.status, reply.message["id"], reply.error["code"]) == (200, 1, -32601)


@pytest.mark.parametrize(
    "notification",
    [
        b'{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}',
        b'{"jsonrpc": "2.0", "method": "foobar"}',
        b'{"jsonrpc": "2.0", "method": "tools/list"}',
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b'{"jsonrpc": "2.0", "method": "notifications/initialized", "params": {}}',
        b'{"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1}}',
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": null}}',
        b'{"jsonrpc": "2.0", "method": "notifications/cancelled"}',
    ],
)
def test_a_notification_is_accepted_without_a_word(notification: bytes) -> None:
    answer = say(notification).answer
    assert (answer.status, answer.body) == (202, b"")


def test_spec_example_of_a_non_existent_method_is_32601() -> None:
    reply = say(b'{"jsonrpc": "2.0", "method": "foobar", "id": "1"}')
    assert reply.message == {
        "jsonrpc": "2.0",
        "error": {"code": -32601, "message": "Method not found: foobar"},
        "id": "1",
    }


def test_spec_example_of_invalid_json_is_32700() -> None:
    reply = say(b'{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]')
    assert (reply.status, reply.error["code"], reply.message["id"]) == (400, -32700, None)


def test_spec_example_of_an_invalid_request_is_32600() -> None:
    reply = say(b'{"jsonrpc": "2.0", "method": 1, "params": "bar"}')
    assert (reply.status, reply.error["code"], reply.message["id"]) == (400, -32600, None)


def test_spec_example_of_a_batch_of_invalid_json_is_32700() -> None:
    batch = b"""[
      {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
      {"jsonrpc": "2.0", "method"
    ]"""
    assert say(batch).error["code"] == -32700


@pytest.mark.parametrize("batch", [b"[]", b"[1]", b"[1,2,3]", b" \n" + b"[" + PING % b"1" + b"]"])
def test_a_batch_is_refused_since_2025_06_18_removed_them(batch: bytes) -> None:
    reply = say(batch)
    assert (reply.status, reply.error["code"], reply.message["id"]) == (400, -32600, None)
    assert "batches were removed" in reply.error["message"]


@pytest.mark.parametrize(
    "request_id",
    [
        b"0",
        b'""',
        b'"7"',
        b"7",
        b"-5",
        b"9007199254740991",
        b"18446744073709551616",
        b'"abc-1"',
        '"їжак"'.encode(),
        b'"\\ud83c\\udf78"',
    ],
)
def test_an_id_comes_back_unchanged_with_its_type(request_id: bytes) -> None:
    reply = say(PING % request_id)
    expected = request_id if b"\\u" not in request_id else '"🍸"'.encode()
    assert reply.answer.body == b'{"jsonrpc":"2.0","id":%b,"result":{}}' % expected


@pytest.mark.parametrize(
    "request_id", [b"null", b"true", b"false", b"{}", b'{"a":1}', b"[]", b"1.0", b"1e3", b"9" * 5000]
)
def test_an_id_that_is_no_string_or_integer_is_32600(request_id: bytes) -> None:
    reply = say(PING % request_id)
    assert (reply.status, reply.error["code"], reply.message["id"]) == (400, -32600, None)


@pytest.mark.parametrize(
    ("message", "word", "request_id"),
    [
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', "jsonrpc", 1),
        (b'{"jsonrpc":2.0,"id":"a","method":"ping"}', "jsonrpc", "a"),
        (b'{"id":1,"method":"ping"}', "jsonrpc", 1),
        (b'{"jsonrpc":"2.0","id":1}', "method is missing", 1),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', "method must be a string", 1),
        (b'{"jsonrpc":"2.0","id":1,"method":null}', "method must be a string", 1),
        (b'{"jsonrpc":"2.0"}', "method is missing", None),
        (b'{"jsonrpc":"2.0","result":{}}', "method is missing", None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', "id must be", None),
        (b"1", "one JSON object", None),
        (b'"text"', "one JSON object", None),
        (b"null", "one JSON object", None),
    ],
)
def test_an_improper_request_is_told_what_is_wrong(message: bytes, word: str, request_id: object) -> None:
    reply = say(message)
    assert (reply.status, reply.error["code"], reply.message["id"]) == (400, -32600, request_id)
    assert word in reply.error["message"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        PING % b"1" + b"x",
        PING % b"01",
        PING % b'"\\ud83c"',
        b'{"jsonrpc":"2.0","id":true,"method":"ping"',
        b'{"jsonrpc":"2.0","id":1,"method":"ping\xff"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"unread":"\xff"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}',
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":NaN,"b":1}}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}',
        b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001,
        b"[" * 100_000 + b"]" * 100_000,
    ],
)
def test_a_body_that_cannot_be_parsed_is_32700_with_a_null_id(body: bytes) -> None:
    reply = say(body)
    assert (reply.status, reply.error["code"]) == (400, -32700)
    assert reply.message["id"] is None


@pytest.mark.parametrize(
    "response",
    [
        b'{"jsonrpc":"2.0","id":5,"result":{}}',
        b'{"jsonrpc":"2.0","id":5,"error":{"code":-1,"message":"x"}}',
        b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}',
    ],
)
def test_a_clients_response_is_accepted_without_a_word(response: bytes) -> None:
    answer = say(response).answer
    assert (answer.status, answer.body) == (202, b"")


def test_of_duplicate_keys_the_last_counts() -> None:
    assert say(b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}').message["id"] == 2


def test_unknown_members_of_the_envelope_are_ignored() -> None:
    assert say({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}, "foo": "bar"}).result == {}


@pytest.mark.parametrize("method", ["ping", "tools/list", "tools/call", "completion/complete"])
@pytest.mark.parametrize("params", [[], [1], "bar", 5, True])
def test_params_that_are_no_object_are_32602(method: str, params: Any) -> None:
    reply = ask(method, params)
    assert (reply.status, reply.error["code"], reply.message["id"]) == (200, -32602, 1)


def test_null_params_count_as_none() -> None:
    assert say(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":null}').result == {}


def test_methods_are_told_apart_by_case() -> None:
    assert ask("Tools/List", {}).error["code"] == -32601


def test_an_answer_names_its_method_only_when_it_is_one_of_ours() -> None:
    assert ask("ping").answer.method == "ping"
    assert ask("x" * 5000).answer.method == ""
    assert len(ask("x" * 5000).answer.body) < 200


class TestVersionHeader:
    def test_the_fixed_profile_serves_any_value(self) -> None:
        for header in (None, "", "foobar", "2026-07-28", "2025-06-18"):
            assert ask("ping", header=header).result == {}

    def test_the_standard_profile_refuses_an_unsupported_value_with_400(self) -> None:
        for header in ("", "foobar", "2025-03-26", "2026-07-28"):
            reply = ask("ping", by=caller(profile="standard"), header=header)
            assert (reply.status, reply.error["code"], reply.message["id"]) == (400, -32600, 1)
            assert "2025-06-18" in reply.error["message"]

    def test_the_standard_profile_refuses_it_on_notifications_too(self) -> None:
        reply = say(
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            by=caller(profile="standard"),
            header="foobar",
        )
        assert (reply.status, reply.message["id"]) == (400, None)

    def test_the_standard_profile_serves_the_right_value_and_none(self) -> None:
        for header in ("2025-06-18", None):
            assert ask("ping", by=caller(profile="standard"), header=header).result == {}

    def test_initialize_is_never_refused_for_a_version(self) -> None:
        reply = ask("initialize", {}, by=caller(profile="standard"), header="2026-07-28")
        assert reply.result["protocolVersion"] == "2025-06-18"

    @pytest.mark.parametrize("profile", ["fixed", "standard"])
    def test_server_discover_is_32601_with_400_so_that_clients_fall_back(self, profile: str) -> None:
        reply = ask("server/discover", {"_meta": {}}, by=caller(profile=profile), header="2026-07-28")
        assert (reply.status, reply.error["code"], reply.message["id"]) == (400, -32601, 1)


@pytest.mark.parametrize(
    "text", [b"\\ud800", b"\\uDFFF tail", b"\\ud83c and \\udf78", b"\\\\\\ud800 tail", b"\\udf78\\ud83c"]
)
def test_half_of_a_surrogate_pair_is_told_by_its_name(text: bytes) -> None:
    for params in (b'{"a":"%b"}' % text, b'{"name":"add","arguments":{"a":"%b"}}' % text):
        reply = say(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%b}' % params)
        assert (reply.status, reply.error["code"]) == (400, -32700)
        assert "lone surrogate" in reply.error["message"]


@pytest.mark.parametrize("text", [b"\\\\ud800", b"\\ud83c\\udf78", b"\\u0041"])
def test_what_only_looks_like_a_lone_surrogate_is_not_named(text: bytes) -> None:
    assert "surrogate" not in say(b'{"jsonrpc":"2.0","a":"%b"' % text).error["message"]
