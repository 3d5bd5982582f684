"""Both drafters against fake servers on the loopback, through the guard to rows of the municipal sample."""

import asyncio
from collections.abc import Sequence
from typing import Final

import pytest
from msgspec import Struct

from tests.integration.ask.asked import CALLER, open_city
from tests.integration.ask.model_server import Reply, Shape, anthropic_body, model_server, openai_body
from tests.integration.servers import Dsn
from vmk_mcp.ask.drafting.anthropic import AnthropicDrafter
from vmk_mcp.ask.drafting.openai_compatible import OpenAIDrafter
from vmk_mcp.ask.results import AskAnswer
from vmk_mcp.database.credentials import Role

COUNT: Final = "SELECT count(*) AS permits FROM permits"
KEY: Final = "made-up-key"
TIMEOUT_S: Final = 1.0
BOUND_S: Final = 10.0
"""Far above what any of it may take, far below a hang."""


class Protocol(Struct, frozen=True):
    """One of the two ways to ask a model."""

    drafter: type[AnthropicDrafter] | type[OpenAIDrafter]
    shape: Shape


PROTOCOLS: Final = (Protocol(AnthropicDrafter, anthropic_body), Protocol(OpenAIDrafter, openai_body))


@pytest.fixture(params=PROTOCOLS, ids=["anthropic", "openai"])
def protocol(request: pytest.FixtureRequest) -> Protocol:
    """Each of them."""
    found: Protocol = request.param
    return found


async def no_pause(_: float) -> None:
    """Pass over the rest between tries."""


async def ask(
    protocol: Protocol, replies: Sequence[Reply], municipal: Dsn
) -> tuple[AskAnswer, list[dict[str, object]]]:
    """Ask one question of a model that gives these replies; give the answer and what the model was sent."""
    async with asyncio.timeout(BOUND_S), model_server(replies) as model:
        drafter = protocol.drafter(KEY, "m", address=model.address, timeout_s=TIMEOUT_S, pause=no_pause)
        async with open_city(municipal(Role.ASK), drafter=drafter) as city:
            answer = await city.service.ask("How many permits are there?", None, CALLER)
        await drafter.close()
        return answer, model.requests


@pytest.mark.parametrize(
    "text",
    [
        COUNT,
        f"```sql\n{COUNT};\n```",
        f"Of course! This counts them:\n\n```sql\n{COUNT}\n```\n\nHope that helps.",
    ],
    ids=["bare", "fenced", "chatty"],
)
async def test_a_good_answer_in_any_dress_gives_rows(protocol: Protocol, municipal: Dsn, text: str) -> None:
    answer, requests = await ask(protocol, [Reply(body=protocol.shape(text))], municipal)
    assert answer.rows == [{"permits": 2_600}]
    assert len(requests) == 1
    assert "table permits, about 2600 rows" in str(requests[0])


async def test_a_wrong_answer_is_mended_by_one_more_try(protocol: Protocol, municipal: Dsn) -> None:
    wrong = Reply(body=protocol.shape("SELECT total FROM permit_counts"))
    answer, requests = await ask(protocol, [wrong, Reply(body=protocol.shape(COUNT))], municipal)
    assert answer.rows == [{"permits": 2_600}]
    assert len(requests) == 2
    assert "permit_counts" in str(requests[1])


async def test_an_answer_that_stays_wrong_is_refused_after_that_try(
    protocol: Protocol, municipal: Dsn
) -> None:
    answer, requests = await ask(protocol, [Reply(body=protocol.shape("DROP TABLE permits"))], municipal)
    assert (answer.rejected, answer.reason_code, len(requests)) == (True, "not_select", 2)


async def test_a_question_back_is_shown_and_not_tried_again(protocol: Protocol, municipal: Dsn) -> None:
    answer, requests = await ask(protocol, [Reply(body=protocol.shape("AMBIGUOUS: Which ones?"))], municipal)
    assert (answer.reason_code, answer.rejection_reason) == ("ambiguous_question", "Which ones?")
    assert len(requests) == 1


@pytest.mark.parametrize("status", [429, 500])
async def test_a_server_that_recovers_is_waited_for(protocol: Protocol, municipal: Dsn, status: int) -> None:
    replies = [Reply(status, headers="retry-after: 1\r\n"), Reply(body=protocol.shape(COUNT))]
    answer, requests = await ask(protocol, replies, municipal)
    assert answer.rows == [{"permits": 2_600}]
    assert len(requests) == 2


@pytest.mark.parametrize(
    "reply",
    [
        Reply(429),
        Reply(500, b"<html>oops</html>"),
        Reply(401, b'{"error": "made-up-key is wrong"}'),
        Reply(200, b"not json"),
        Reply(200, b'{"content": [{"type": "te', promised=4_000),
        Reply(200, b"", promised=10_000_000, slowly=True),
        Reply(200, b" " * 3_000_000),
    ],
    ids=["busy", "broken", "no key", "no json", "cut off", "slow", "huge"],
)
async def test_a_server_that_fails_is_told_in_bounded_time(
    protocol: Protocol, municipal: Dsn, reply: Reply
) -> None:
    answer, requests = await ask(protocol, [reply], municipal)
    assert (answer.rejected, answer.reason_code) == (True, "generation_failed")
    assert answer.rejection_reason is not None
    assert KEY not in answer.rejection_reason
    assert 1 <= len(requests) <= 3


async def test_a_server_that_is_not_there_is_told(protocol: Protocol, municipal: Dsn) -> None:
    drafter = protocol.drafter(KEY, "m", address="http://127.0.0.1:1", pause=no_pause)
    async with open_city(municipal(Role.ASK), drafter=drafter) as city:
        answer = await city.service.ask("How many permits are there?", None, CALLER)
    await drafter.close()
    assert answer.reason_code == "generation_failed"
    assert "cannot be reached" in str(answer.rejection_reason)
