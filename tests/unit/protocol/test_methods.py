"""MCP 2025-06-18 method by method, with the specification's own messages where it shows some."""

import msgspec
import pytest

from tests.unit.protocol.conversation import LIBRARY, PROTOCOL, TRIALS, ask, call, caller, make_protocol, say
from vmk_mcp.protocol import Cancel, ToolCall
from vmk_mcp.tool import Caller, Offer

LISTS = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}


def test_spec_example_of_ping_word_for_word() -> None:
    reply = say(b'{"jsonrpc": "2.0", "id": "123", "method": "ping"}')
    assert reply.message == {"jsonrpc": "2.0", "id": "123", "result": {}}


class TestInitialize:
    def test_spec_example_is_a_direct_success(self) -> None:
        reply = say(b"""{
          "jsonrpc": "2.0", "id": 1, "method": "initialize",
          "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"roots": {"listChanged": true}, "sampling": {}, "elicitation": {}},
            "clientInfo": {
              "name": "ExampleClient", "title": "Example Client Display Name", "version": "1.0.0"
            }
          }
        }""")
        assert reply.answer.outcome == "direct_success"
        assert reply.message == {
            "jsonrpc": "2.0",
            "id": 1,
            "result": {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}, "resources": {}, "prompts": {}, "completions": {}},
                "serverInfo": {"name": "vmk-mcp", "version": "1.2.3"},
                "instructions": "Search.\n\nPut queries into Ukrainian.",
            },
        }

    @pytest.mark.parametrize("wish", ["", "2024-11-05", "2025-11-25", "1.0.0", 5, None, {}, ["2025-06-18"]])
    def test_any_other_wish_is_a_compatibility_success(self, wish: object) -> None:
        reply = ask("initialize", {"protocolVersion": wish})
        assert reply.result["protocolVersion"] == "2025-06-18"
        assert reply.answer.outcome == "compatibility_success"

    @pytest.mark.parametrize("params", [None, {}, [], "x"])
    def test_missing_or_odd_params_are_served(self, params: object) -> None:
        reply = ask("initialize", params)
        assert (reply.result["protocolVersion"], reply.answer.outcome) == (
            "2025-06-18",
            "compatibility_success",
        )

    def test_only_what_exists_is_declared(self) -> None:
        assert ask("initialize", {}, to=make_protocol(TRIALS)).result["capabilities"] == {"tools": {}}

    def test_instructions_of_a_family_that_the_caller_cannot_use_are_left_out(self) -> None:
        assert ask("initialize", {}, by=caller("diagnostics")).result["instructions"] == "Search."


class TestLists:
    @pytest.mark.parametrize(("method", "member"), LISTS.items())
    @pytest.mark.parametrize("params", [None, {}, {"cursor": None}, {"_meta": {"progressToken": 1}}])
    def test_a_list_comes_whole_without_a_next_cursor(self, method: str, member: str, params: object) -> None:
        assert set(ask(method, params).result) == {member}

    @pytest.mark.parametrize("method", LISTS)
    @pytest.mark.parametrize("cursor", ["", "optional-cursor-value", 5, {}])
    def test_an_unknown_cursor_is_32602(self, method: str, cursor: object) -> None:
        assert ask(method, {"cursor": cursor}).error["code"] == -32602

    @pytest.mark.parametrize(("method", "member"), LISTS.items())
    def test_an_undeclared_list_is_empty_and_no_error(self, method: str, member: str) -> None:
        assert ask(method, to=make_protocol(Offer(family="empty"))).result == {member: []}

    def test_tools_are_listed_in_the_order_of_the_offers_with_all_their_members(self) -> None:
        tools = ask("tools/list").result["tools"]
        assert [tool["name"] for tool in tools] == ["find_books", "echo", "add", "nested", "noargs"]
        members = {"name", "title", "description", "inputSchema", "outputSchema", "annotations"}
        assert all(set(tool) == members for tool in tools)
        assert tools[0]["annotations"] == {
            "readOnlyHint": True,
            "openWorldHint": False,
        }

    def test_the_same_question_twice_gives_the_same_bytes(self) -> None:
        assert ask("tools/list").answer.body == ask("tools/list").answer.body

    def test_exactly_the_callable_tools_are_listed(self) -> None:
        few = caller("diagnostics.add", "library")
        assert [tool["name"] for tool in ask("tools/list", by=few).result["tools"]] == ["find_books", "add"]
        assert PROTOCOL.tool_names(few) == ["find_books", "add"]
        assert PROTOCOL.tool_names(Caller("nobody")) == []

    def test_a_right_to_a_single_tool_opens_no_resource_or_prompt(self) -> None:
        single = caller("library.find_books")
        assert ask("resources/templates/list", by=single).result == {"resourceTemplates": []}
        assert ask("prompts/list", by=single).result == {"prompts": []}
        assert ask("resources/read", {"uri": "book://7"}, by=single).error["code"] == -32002

    def test_resources_and_templates_are_told_apart(self) -> None:
        common = {"mimeType": "text/plain"}
        assert ask("resources/list").result["resources"] == [
            common
            | {"name": "rules", "title": "Rules", "description": "The rules.", "uri": "rules://library"}
        ]
        assert ask("resources/templates/list").result["resourceTemplates"] == [
            common
            | {"name": "book", "title": "Book", "description": "One book.", "uriTemplate": "book://{id}"}
        ]

    def test_prompts_are_listed_with_their_arguments(self) -> None:
        assert ask("prompts/list").result["prompts"][0]["arguments"] == [
            {"name": "title", "description": "Its title.", "required": True},
            {"name": "reader", "description": "For whom.", "required": False},
        ]

    def test_rights_met_by_the_hundred_do_not_pile_up(self) -> None:
        protocol = make_protocol(TRIALS)
        for number in range(600):
            assert protocol.tool_names(caller("diagnostics.add", f"made-up {number}")) == ["add"]
        assert len(protocol._shelf._kept) <= 256


class TestCall:
    def test_spec_example_of_an_unknown_tool_word_for_word(self) -> None:
        reply = say(b"""{"jsonrpc": "2.0", "id": 3, "method": "tools/call",
                         "params": {"name": "invalid_tool_name", "arguments": {}}}""")
        assert reply.message == {
            "jsonrpc": "2.0",
            "id": 3,
            "error": {"code": -32602, "message": "Unknown tool: invalid_tool_name"},
        }
        assert (reply.status, reply.answer.tool, reply.answer.code) == (200, "", "-32602")

    def test_an_unknown_tool_is_answered_with_the_nearest_name(self) -> None:
        assert ask("tools/call", {"name": "find_book"}).error["message"].endswith("did you mean find_books?")

    def test_a_tool_that_the_caller_lacks_is_unknown_and_not_hinted_at(self) -> None:
        reply = call("find_books", {"query": "x"}, by=caller("diagnostics"))
        assert reply.error == {"code": -32602, "message": "Unknown tool: find_books"}

    @pytest.mark.parametrize("params", [None, {}, {"arguments": {}}, {"name": 5}, {"name": None}])
    def test_a_missing_tool_name_is_32602_with_200(self, params: object) -> None:
        reply = ask("tools/call", params)
        assert (reply.status, reply.error["code"]) == (200, -32602)
        assert "name" in reply.error["message"]

    def test_the_result_stands_structured_and_as_the_same_text(self) -> None:
        reply = call("echo", {"text": 'a "quoted"\nйога 🍸'})
        assert reply.message["result"] == {
            "content": [{"type": "text", "text": '{"text":"a \\"quoted\\"\\nйога 🍸"}'}],
            "structuredContent": {"text": 'a "quoted"\nйога 🍸'},
            "isError": False,
        }
        assert (reply.answer.method, reply.answer.tool, reply.answer.code) == ("tools/call", "echo", "ok")

    def test_another_name_of_a_tool_calls_it_and_is_not_listed(self) -> None:
        reply = call("search_books", {"query": "Кобзар"})
        assert reply.result["structuredContent"]["asked"]["query"] == "Кобзар"
        assert reply.answer.tool == "find_books"

    @pytest.mark.parametrize("token", ["abc123", 4, 0, ""])
    def test_a_progress_token_is_handed_to_the_door(self, token: str | int) -> None:
        work = PROTOCOL.read(_call_with_meta({"progressToken": token}), caller())
        assert isinstance(work, ToolCall)
        assert (work.progress_token, type(work.progress_token)) == (token, type(token))

    @pytest.mark.parametrize("meta", [None, [], 5, {}, {"progressToken": None}, {"progressToken": {}}])
    def test_an_odd_meta_asks_for_no_progress(self, meta: object) -> None:
        work = PROTOCOL.read(_call_with_meta(meta), caller())
        assert isinstance(work, ToolCall)
        assert work.progress_token is None

    def test_meta_of_others_is_ignored(self) -> None:
        work = PROTOCOL.read(
            _call_with_meta({"io.example/x": {"y": 1}, "traceparent": "00-0af7-01"}), caller()
        )
        assert isinstance(work, ToolCall)


def _call_with_meta(meta: object) -> bytes:
    params = {"name": "echo", "arguments": {"text": "x"}, "_meta": meta}
    return msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


@pytest.mark.parametrize(
    "level", ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
)
def test_each_level_of_rfc_5424_is_set_with_an_empty_result(level: str) -> None:
    reply = ask("logging/setLevel", {"level": level})
    assert (reply.result, reply.answer.log_level) == ({}, level)


@pytest.mark.parametrize("params", [None, {}, {"level": "loud"}, {"level": 3}])
def test_an_unknown_level_is_32602(params: object) -> None:
    assert ask("logging/setLevel", params).error["code"] == -32602


def test_spec_example_of_a_cancellation_names_the_request() -> None:
    work = PROTOCOL.read(
        b"""{"jsonrpc": "2.0", "method": "notifications/cancelled",
             "params": {"requestId": "123", "reason": "User requested cancellation"}}""",
        caller(),
    )
    assert isinstance(work, Cancel)
    assert (work.request_id, work.answer.status, work.answer.body) == ("123", 202, b"")


def test_spec_example_of_progress_word_for_word() -> None:
    assert PROTOCOL.write_progress("abc123", 50, 100, "Reticulating splines...") == (
        b'{"jsonrpc":"2.0","method":"notifications/progress","params":'
        b'{"progressToken":"abc123","progress":50,"total":100,"message":"Reticulating splines..."}}'
    )


def test_an_unknown_total_and_an_empty_message_are_absent_from_progress() -> None:
    assert PROTOCOL.write_progress(0, 1.5, None, "").endswith(b'"params":{"progressToken":0,"progress":1.5}}')


def test_two_offers_with_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="find_books is offered twice"):
        make_protocol(LIBRARY, LIBRARY)


def test_a_caller_with_an_unknown_profile_is_a_bug_of_the_door() -> None:
    with pytest.raises(KeyError):
        say(b"{}", by=caller(profile="unknown"))


@pytest.mark.parametrize(
    ("method", "params", "told"),
    [
        ("tools/call", {}, "params.name is missing: expected text"),
        ("tools/call", {"name": 5}, "params.name expected text"),
        ("tools/call", [], "params expected an object with name, arguments, _meta"),
        ("logging/setLevel", {"level": "loud - at `$.x`"}, "params.level expected one of alert, critical"),
        (
            "prompts/get",
            {"name": "find_book", "arguments": {"topic": 5}},
            "params.arguments.topic expected text",
        ),
        (
            "completion/complete",
            {"ref": {"name": "x"}},
            "params.ref.type is missing: expected one of ref/prompt",
        ),
        (
            "completion/complete",
            {"ref": {"type": "ref/x"}, "argument": {"name": "a", "value": "b"}},
            "params.ref.type expected one of ref/prompt, ref/resource",
        ),
    ],
)
def test_params_that_do_not_fit_are_told_where_and_what_is_expected(
    method: str, params: object, told: str
) -> None:
    error = ask(method, params).error
    assert error["code"] == -32602
    assert error["message"].startswith(f"Invalid params: {told}")
