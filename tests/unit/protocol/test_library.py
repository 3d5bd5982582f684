"""Resources, prompts and completions: what a family's library answers to each method."""

from typing import Any

import msgspec
import pytest

from tests.unit.protocol.conversation import LIBRARY, TRIALS, ask, make_protocol
from vmk_mcp.tool import CallContext, Completer


class TestResources:
    def test_a_fixed_uri_is_read(self) -> None:
        assert ask("resources/read", {"uri": "rules://library"}).result == {
            "contents": [{"uri": "rules://library", "mimeType": "text/plain", "text": "Silence."}]
        }

    @pytest.mark.parametrize("uri", ["book://7", "book://%37"])
    def test_a_template_gives_its_variables_decoded(self, uri: str) -> None:
        assert ask("resources/read", {"uri": uri}).result["contents"][0]["text"] == "Кобзар"

    @pytest.mark.parametrize(
        "uri",
        [
            "file:///nonexistent.txt",
            "file:///../../etc/passwd",
            "book://",
            "book://7/",
            "book://7?x=1",
            "book://7#x",
            "book://a b",
            "book://..",
            "book://%2e%2e",
            "book://..%2f7",
            "book://7%2f..%2f8",
            "book://%2fetc%2fpasswd",
            "book://..\\7",
            "book://7%00",
            "book://%5c..",
            "book://%ff",
            "book://9",
            "xbook://7",
            "book://" + "%37" * 5000,
            "",
        ],
    )
    def test_what_does_not_exist_or_climbs_is_32002_with_the_uri(self, uri: str) -> None:
        reply = ask("resources/read", {"uri": uri})
        assert reply.status == 200
        assert reply.error == {"code": -32002, "message": "Resource not found", "data": {"uri": uri}}

    @pytest.mark.parametrize("params", [None, {}, {"uri": None}, {"uri": 5}])
    def test_a_missing_uri_is_32602(self, params: object) -> None:
        assert ask("resources/read", params).error["code"] == -32602

    def test_a_failing_store_is_a_named_error(self) -> None:
        reply = ask("resources/read", {"uri": "book://8"})
        assert reply.error["code"] == -32603
        assert reply.error["data"]["code"] == "store_unavailable"
        assert reply.error["data"]["retryable"] is True
        assert reply.answer.code == "store_unavailable"

    def test_reading_is_no_method_where_no_resource_is_offered(self) -> None:
        assert ask("resources/read", {"uri": "x"}, to=make_protocol(TRIALS)).error["code"] == -32601


class TestPrompts:
    def test_a_prompt_is_rendered_as_one_message_of_the_user(self) -> None:
        reply = ask("prompts/get", {"name": "review", "arguments": {"title": "Кобзар", "unknown": "x"}})
        assert reply.result == {
            "description": "Asks for a review.",
            "messages": [{"role": "user", "content": {"type": "text", "text": "Review Кобзар for anyone"}}],
        }

    @pytest.mark.parametrize(
        "params",
        [
            {},
            {"name": "unknown"},
            {"name": "review"},
            {"name": "review", "arguments": None},
            {"name": "review", "arguments": {"reader": "x"}},
            {"name": "review", "arguments": {"title": 5}},
        ],
    )
    def test_an_unknown_prompt_or_a_missing_argument_is_32602(self, params: object) -> None:
        assert ask("prompts/get", params).error["code"] == -32602

    @pytest.mark.parametrize(
        ("arguments", "told"),
        [
            ({"title": 5}, "params.arguments.title expected text"),
            ({"title": "x", "reader": None}, "params.arguments.reader expected text"),
            ({"title": "x", "unknown": ["y"]}, "params.arguments.unknown expected text"),
            ({"title": "x" * 2001}, "params.arguments.title expected at most 2000 characters, got 2001"),
            ({"title": "x", "y" * 99: 1}, f"params.arguments.{'y' * 60}… expected text"),
        ],
    )
    def test_an_ill_typed_or_overlong_argument_is_named(self, arguments: object, told: str) -> None:
        error = ask("prompts/get", {"name": "review", "arguments": arguments}).error
        assert error == {"code": -32602, "message": f"Invalid params: {told}"}

    def test_an_argument_of_two_thousand_characters_is_taken(self) -> None:
        reply = ask("prompts/get", {"name": "review", "arguments": {"title": "ї" * 2000}})
        assert "ї" * 2000 in reply.result["messages"][0]["content"]["text"]

    def test_getting_is_no_method_where_no_prompt_is_offered(self) -> None:
        assert ask("prompts/get", {"name": "review"}, to=make_protocol(TRIALS)).error["code"] == -32601


def _complete(reference: dict[str, Any], name: str, value: str, **how: Any) -> Any:
    return ask("completion/complete", {"ref": reference, "argument": {"name": name, "value": value}}, **how)


class TestCompletion:
    def test_at_most_a_hundred_values_are_given_and_the_rest_is_counted(self) -> None:
        completion = _complete({"type": "ref/prompt", "name": "review"}, "reader", "Місто").result[
            "completion"
        ]
        assert len(completion["values"]) == 100
        assert (completion["total"], completion["hasMore"]) == (150, True)

    def test_an_argument_of_a_resource_template_is_completed(self) -> None:
        completion = _complete({"type": "ref/resource", "uri": "book://{id}"}, "id", "Місто 149").result[
            "completion"
        ]
        assert completion == {"values": ["Місто 149"], "total": 1, "hasMore": False}

    def test_what_is_longer_than_any_name_has_no_values_and_is_never_looked_up(self) -> None:
        looked_up: list[str] = []

        async def complete(text: str, context: CallContext) -> list[str]:
            looked_up.append(text)
            return [text]

        completer = Completer(family="library", reference="review", argument="reader", complete=complete)
        protocol = make_protocol(msgspec.structs.replace(LIBRARY, completers=(completer,)))
        reference = {"type": "ref/prompt", "name": "review"}
        longest = _complete(reference, "reader", "ї" * 200, to=protocol).result["completion"]
        longer = _complete(reference, "reader", "ї" * 201, to=protocol).result["completion"]
        assert longest["total"] == 1
        assert longer == {"values": [], "total": 0, "hasMore": False}
        assert looked_up == ["ї" * 200]

    def test_an_argument_that_nobody_completes_has_no_values(self) -> None:
        completion = _complete({"type": "ref/prompt", "name": "review"}, "title", "К").result["completion"]
        assert completion == {"values": [], "total": 0, "hasMore": False}

    @pytest.mark.parametrize(
        "reference",
        [
            {"type": "ref/prompt", "name": "unknown"},
            {"type": "ref/resource", "uri": "review"},
            {"type": "ref/other", "name": "review"},
            {"name": "review"},
            {},
        ],
    )
    def test_an_unknown_reference_is_32602(self, reference: dict[str, Any]) -> None:
        assert _complete(reference, "title", "К").error["code"] == -32602

    def test_completing_is_no_method_where_nothing_completes(self) -> None:
        reply = _complete({"type": "ref/prompt", "name": "review"}, "title", "", to=make_protocol(TRIALS))
        assert reply.error["code"] == -32601
