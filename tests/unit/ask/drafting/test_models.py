"""Both drafters over HTTP: their requests, and what becomes of answers that are wrong, late or large."""

import json
from collections.abc import Callable
from typing import Any, Final

import httpx
import pytest
import respx
from msgspec import Struct

from tests.unit.ask.asked_source import SOURCE
from vmk_mcp.ask.drafting.anthropic import AnthropicDrafter
from vmk_mcp.ask.drafting.endpoint import Route
from vmk_mcp.ask.drafting.openai_compatible import OpenAIDrafter
from vmk_mcp.ask.model import Draft, Refusal
from vmk_mcp.errors import SettingsError

KEY: Final = "made-up-key"
COUNT: Final = "SELECT count(*) FROM permits"


class PauseLog:
    """Takes the place of sleeping; keeps how long it would have been."""

    def __init__(self) -> None:
        self.pauses_s: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.pauses_s.append(seconds)


class Model(Struct, frozen=True):
    """One protocol: its address, its drafter, and how its answers look."""

    url: str
    open: Callable[[PauseLog], AnthropicDrafter | OpenAIDrafter]
    answer: Callable[[str], dict[str, Any]]
    cut_off: Callable[[str], dict[str, Any]]
    key_setting: str


def anthropic_answer(text: str, stop_reason: str = "end_turn") -> dict[str, Any]:
    return {"type": "message", "content": [{"type": "text", "text": text}], "stop_reason": stop_reason}


def openai_answer(text: str, finish_reason: str = "stop") -> dict[str, Any]:
    return {"choices": [{"index": 0, "message": {"content": text}, "finish_reason": finish_reason}]}


MODELS: Final = (
    Model(
        "https://api.anthropic.com/v1/messages",
        lambda pause: AnthropicDrafter(KEY, pause=pause),
        anthropic_answer,
        lambda text: anthropic_answer(text, "max_tokens"),
        "ANTHROPIC_API_KEY",
    ),
    Model(
        "https://api.openai.com/v1/chat/completions",
        lambda pause: OpenAIDrafter(KEY, pause=pause),
        openai_answer,
        lambda text: openai_answer(text, "length"),
        "OPENAI_API_KEY",
    ),
)


@pytest.fixture(params=MODELS, ids=["anthropic", "openai"])
def model(request: pytest.FixtureRequest) -> Model:
    """Each of the two."""
    found: Model = request.param
    return found


async def ask(model: Model, pause: PauseLog | None = None) -> Draft | Refusal:
    return await model.open(pause or PauseLog()).draft("How many permits?", SOURCE, None)


def reason_of(answer: Draft | Refusal) -> str:
    assert isinstance(answer, Refusal)
    assert answer.code == "generation_failed"
    assert KEY not in answer.reason
    return answer.reason


@respx.mock
async def test_an_answer_becomes_a_draft(model: Model) -> None:
    respx.post(model.url).mock(return_value=httpx.Response(200, json=model.answer(f"```sql\n{COUNT}\n```")))
    assert await ask(model) == Draft(COUNT)


@respx.mock
async def test_the_request_carries_key_question_and_schema(model: Model) -> None:
    route = respx.post(model.url).mock(return_value=httpx.Response(200, json=model.answer(COUNT)))
    await ask(model)
    request = route.calls.last.request
    assert KEY in request.headers.get("x-api-key", request.headers.get("authorization", ""))
    body = json.loads(request.content)
    assert body["messages"][-1] == {"role": "user", "content": "How many permits?"}
    assert "table permits" in body.get("system", body["messages"][0]["content"])


@respx.mock
async def test_a_refused_draft_is_sent_back_with_the_reason(model: Model) -> None:
    route = respx.post(model.url).mock(return_value=httpx.Response(200, json=model.answer(COUNT)))
    refused = Draft("SELECT x"), Refusal("unknown_column", "There is no column x.")
    await model.open(PauseLog()).draft("How many permits?", SOURCE, refused)
    sent = json.loads(route.calls.last.request.content)["messages"]
    assert sent[-2] == {"role": "assistant", "content": "SELECT x"}
    assert "There is no column x." in sent[-1]["content"]


@respx.mock
@pytest.mark.parametrize("status", [429, 500, 503, 529])
async def test_an_overloaded_server_is_asked_again_after_growing_pauses(model: Model, status: int) -> None:
    pause = PauseLog()
    respx.post(model.url).mock(
        side_effect=[
            httpx.Response(status),
            httpx.Response(status),
            httpx.Response(200, json=model.answer(COUNT)),
        ]
    )
    assert await ask(model, pause) == Draft(COUNT)
    assert pause.pauses_s == [0.5, 2.0]


@respx.mock
async def test_a_server_that_stays_overloaded_is_given_up(model: Model) -> None:
    route = respx.post(model.url).mock(return_value=httpx.Response(500))
    assert "HTTP 500" in reason_of(await ask(model))
    assert route.call_count == 3


@respx.mock
async def test_retry_after_is_obeyed_and_too_long_a_rest_is_not_waited_for(model: Model) -> None:
    pause = PauseLog()
    respx.post(model.url).mock(
        side_effect=[
            httpx.Response(429, headers={"retry-after": "7"}),
            httpx.Response(429, headers={"retry-after": "3600"}),
        ]
    )
    assert "HTTP 429" in reason_of(await ask(model, pause))
    assert pause.pauses_s == [7.0]


@respx.mock
async def test_a_refused_key_names_its_setting_and_is_not_tried_again(model: Model) -> None:
    route = respx.post(model.url).mock(return_value=httpx.Response(401, json={"error": f"bad key {KEY}"}))
    assert model.key_setting in reason_of(await ask(model))
    assert route.call_count == 1


@respx.mock
@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b"{}", b'{"content": 7, "choices": 7}', b"\xff\xfe{"]
)
async def test_what_is_no_answer_of_a_model_is_told_to_be_none(model: Model, body: bytes) -> None:
    respx.post(model.url).mock(return_value=httpx.Response(200, content=body))
    assert "no answer of a model" in reason_of(await ask(model))


@respx.mock
async def test_json_without_end_of_nesting_harms_nobody(model: Model) -> None:
    respx.post(model.url).mock(return_value=httpx.Response(200, content=b"[" * 100_000))
    reason_of(await ask(model))


@respx.mock
async def test_an_endless_body_is_left(model: Model) -> None:
    respx.post(model.url).mock(return_value=httpx.Response(200, content=b" " * 2_000_000))
    assert "more than an answer can be" in reason_of(await ask(model))


@respx.mock
async def test_an_answer_that_was_cut_off_is_not_taken_for_whole(model: Model) -> None:
    respx.post(model.url).mock(
        return_value=httpx.Response(200, json=model.cut_off("SELECT count(*) FROM per"))
    )
    assert "did not finish" in reason_of(await ask(model))


@respx.mock
@pytest.mark.parametrize("failure", [httpx.ConnectError, httpx.ConnectTimeout])
async def test_a_server_that_is_not_there_is_told(model: Model, failure: type[Exception]) -> None:
    respx.post(model.url).mock(side_effect=failure("no route"))
    assert "cannot be reached" in reason_of(await ask(model))


@respx.mock
async def test_a_connection_that_breaks_is_tried_again_and_then_told(model: Model) -> None:
    route = respx.post(model.url).mock(side_effect=httpx.RemoteProtocolError("cut"))
    assert "broke off" in reason_of(await ask(model))
    assert route.call_count == 3


@respx.mock
async def test_a_server_that_never_answers_is_told_after_the_time_limit(model: Model) -> None:
    respx.post(model.url).mock(side_effect=httpx.ReadTimeout("late"))
    assert "within 60 s" in reason_of(await ask(model))


@respx.mock
async def test_no_choice_at_all_is_no_answer() -> None:
    respx.post(MODELS[1].url).mock(return_value=httpx.Response(200, json={"choices": []}))
    reason_of(await ask(MODELS[1]))


@respx.mock
@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/chat/completions"),
        ("http://gpu/v1/", "http://gpu/v1/chat/completions"),
        ("http://gpu/v1/chat/completions", "http://gpu/v1/chat/completions"),
    ],
)
async def test_the_address_of_a_compatible_server_may_end_before_or_after_v1(
    address: str, asked: str
) -> None:
    route = respx.post(asked).mock(return_value=httpx.Response(200, json=openai_answer(COUNT)))
    await OpenAIDrafter("", "qwen3", address=address).draft("How many?", SOURCE, None)
    assert "authorization" not in route.calls.last.request.headers
    assert json.loads(route.calls.last.request.content)["model"] == "qwen3"


def test_an_address_without_a_scheme_is_refused_with_its_setting() -> None:
    with pytest.raises(SettingsError) as caught:
        OpenAIDrafter("", "m", address="gpu:7997")
    assert "OPENAI_BASE_URL" in caught.value.hint


def test_a_route_never_prints_its_headers() -> None:
    route = Route("https://a", "The model", "A_KEY", "A_MODEL", (("x-api-key", KEY),))
    assert KEY not in repr(route)
