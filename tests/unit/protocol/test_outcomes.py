"""What a call gave or raised, as the client reads it."""

import json
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from tests.unit.protocol.conversation import PROFILES, PROTOCOL, RIGHTS, call, caller, make_protocol, say
from vmk_mcp.diagnostics.model import Echo, Echoed
from vmk_mcp.diagnostics.tools import OFFER
from vmk_mcp.errors import NotFound, StoreUnavailable, VmkError
from vmk_mcp.protocol import Completion, Protocol, ResourceRead, ToolCall
from vmk_mcp.tool import CallContext, Caller, Prompt

REQUESTS: dict[str, dict[str, Any]] = {
    "tools/call": {"name": "echo", "arguments": {"text": "x"}},
    "resources/read": {"uri": "book://7"},
    "completion/complete": {
        "ref": {"type": "ref/prompt", "name": "review"},
        "argument": {"name": "reader", "value": ""},
    },
}


def work_of(method: str, to: Protocol = PROTOCOL) -> ToolCall | ResourceRead | Completion:
    body = msgspec.json.encode({"jsonrpc": "2.0", "id": 7, "method": method, "params": REQUESTS[method]})
    work = to.read(body, caller())
    assert isinstance(work, ToolCall | ResourceRead | Completion)
    return work


class Secret(Exception):
    """An exception whose text must not leave the process."""


@pytest.mark.parametrize("method", REQUESTS)
def test_a_bug_is_32603_with_the_request_id_and_none_of_its_text(method: str) -> None:
    bug = Secret("password is hunter2")
    answer = PROTOCOL.write(work_of(method), bug, "request-9")
    assert json.loads(answer.body) == {
        "jsonrpc": "2.0",
        "id": 7,
        "error": {"code": -32603, "message": "internal error", "data": {"request_id": "request-9"}},
    }
    assert (answer.status, answer.method, answer.code, answer.crash) == (200, method, "-32603", bug)


@pytest.mark.parametrize("outcome", [Echoed("\ud800"), {"text": "x"}, None, "text"])
def test_a_result_that_is_none_is_our_bug(outcome: object) -> None:
    answer = PROTOCOL.write(work_of("tools/call"), outcome)
    assert json.loads(answer.body)["error"] == {"code": -32603, "message": "internal error"}
    assert answer.crash is not None


def test_a_named_failure_of_a_tool_is_a_tool_error_that_says_whether_to_retry() -> None:
    failure = StoreUnavailable("Postgres cannot be reached.", hint="Try again in a minute.")
    answer = PROTOCOL.write(work_of("tools/call"), failure)
    result = json.loads(answer.body)["result"]
    assert set(result) == {"content", "isError"}
    assert json.loads(result["content"][0]["text"]) == {
        "error": "Postgres cannot be reached.",
        "code": "store_unavailable",
        "hint": "Try again in a minute.",
        "retryable": True,
    }
    assert (answer.status, answer.tool, answer.code) == (200, "echo", "store_unavailable")


def test_a_named_failure_says_its_field_where_it_has_one() -> None:
    answer = PROTOCOL.write(work_of("tools/call"), NotFound("no such listing", field="listing_id"))
    assert json.loads(json.loads(answer.body)["result"]["content"][0]["text"])["field"] == "listing_id"


@pytest.mark.parametrize("method", ["tools/call", "resources/read"])
def test_an_answer_above_the_limit_is_response_too_large(method: str) -> None:
    protocol = make_protocol(max_response_bytes=1000)
    outcome = "x" * 5000 if method == "resources/read" else Echoed("x" * 5000)
    source = work_of(method)
    answer = protocol.write(source, outcome)
    assert answer.code == "response_too_large"
    assert len(answer.body) < 1000
    assert "the limit is 1000 bytes" in answer.body.decode()


def test_an_argument_of_200_kilobytes_comes_back_whole() -> None:
    assert len(call("echo", {"text": "x" * 200_000}).result["structuredContent"]["text"]) == 200_000


def test_a_profile_may_have_a_summary_as_text_so_that_data_is_paid_for_once() -> None:
    thrifty = msgspec.structs.replace(PROFILES["fixed"], name="thrifty", text_content="summary")
    protocol = Protocol(
        server_name="vmk-mcp",
        server_version="1",
        instructions="",
        offers=(OFFER,),
        profiles={"thrifty": thrifty},
        max_response_bytes=1000,
    )
    by = Caller("t", "thrifty", RIGHTS)
    result = call("nested", {"filter": {"q": "x"}, "ids": [1, 2]}, by=by, to=protocol).result
    assert result["structuredContent"] == {"filter": {"q": "x"}, "ids": [1, 2]}
    assert result["content"][0]["text"] == (
        "filter: an object of 1 members; ids: 2 items; all of it is in structuredContent"
    )
    told = call("echo", {"text": "y" * 300}, by=by, to=protocol).result["content"][0]["text"]
    assert told == f"text: {'y' * 80}…; all of it is in structuredContent"


async def test_work_begins_with_the_caller_and_the_progress_that_the_door_gives() -> None:
    seen: list[CallContext] = []

    async def look(arguments: Echo, context: CallContext) -> Echoed:
        seen.append(context)
        await context.progress(1, 2, "half")
        return Echoed(arguments.text)

    told: list[tuple[float, float | None, str]] = []

    async def tell(done: float, total: float | None, message: str) -> None:
        told.append((done, total, message))

    work = work_of("tools/call")
    assert isinstance(work, ToolCall)
    watched = msgspec.structs.replace(work, tool=msgspec.structs.replace(work.tool, call=look))
    assert await watched.begin(tell) == Echoed("x")
    assert seen[0].caller == caller()
    assert told == [(1, 2, "half")]


@pytest.mark.parametrize(
    ("problem", "code", "says"),
    [(NotFound("no such town"), -32602, "no such town"), (Secret("hunter2"), -32603, "internal error")],
)
def test_a_prompt_that_fails_is_an_error_without_foreign_text(
    problem: Exception, code: int, says: str
) -> None:
    def fail(values: Mapping[str, str]) -> str:
        raise problem

    broken = Prompt(family="diagnostics", name="p", title="", description="", arguments=(), render=fail)
    reply = say(
        b'{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p"}}',
        to=make_protocol(msgspec.structs.replace(OFFER, prompts=(broken,))),
    )
    assert (reply.error["code"], reply.error["message"]) == (code, says)
    assert (reply.answer.crash is None) == isinstance(problem, VmkError)
