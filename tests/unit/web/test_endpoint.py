import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from starlette.types import Message

from tests.unit.web.door import (
    INITIALIZED,
    MAX_BODY_BYTES,
    ORIGIN,
    PING,
    Client,
    House,
    mcp_headers,
    scope_of,
    send,
    settle,
)
from vmk_mcp.observe import CallFinished, Crashed, RequestRefused
from vmk_mcp.web.body import BodyReader, ClientGone
from vmk_mcp.web.guard import Site
from vmk_mcp.web.refusals import OVERLOADED


async def test_a_ping_is_answered_as_json_that_no_cache_may_keep() -> None:
    reply = await House().post(PING)
    assert (reply.status, reply.json) == (200, {"jsonrpc": "2.0", "id": 1, "result": {}})
    assert reply.header("content-type") == "application/json"
    assert reply.header("cache-control") == "no-store"
    assert reply.header("content-length") == str(len(reply.body))


async def test_the_path_with_a_slash_is_served_without_a_redirect() -> None:
    reply = await send(House().app, "POST", "/mcp/", mcp_headers(), [json.dumps(PING).encode()])
    assert (reply.status, reply.json["result"]) == (200, {})


async def test_mcp_under_a_root_path_is_served() -> None:
    client = Client([json.dumps(PING).encode()])
    scope = scope_of("POST", "/behind/mcp", mcp_headers())
    scope["root_path"] = "/behind"
    await House().app(scope, client.receive, client.send)
    assert client.reply.status == 200


async def test_a_notification_is_accepted_with_no_body_and_no_content_type() -> None:
    reply = await House().post(INITIALIZED)
    assert (reply.status, reply.body, reply.header("content-type")) == (202, b"", None)


async def test_a_stray_session_is_ignored_and_none_is_given_out() -> None:
    reply = await House().post(PING, mcp_session_id="x", last_event_id="1")
    assert (reply.status, reply.header("mcp-session-id")) == (200, None)


@pytest.mark.parametrize("method", ["GET", "DELETE", "HEAD", "PUT", "OPTIONS"])
async def test_other_methods_are_refused_and_told_what_is_allowed(method: str) -> None:
    reply = await send(House().app, method, "/mcp", mcp_headers())
    assert (reply.status, reply.header("allow")) == (405, "POST")


async def test_a_body_in_pieces_is_read_whole() -> None:
    text = json.dumps(PING).encode()
    reply = await send(House().app, "POST", "/mcp", mcp_headers(), [text[:7], b"", text[7:]])
    assert (reply.status, reply.json["result"]) == (200, {})


async def test_a_body_that_declares_too_much_is_refused_unread() -> None:
    client = Client([b" " * MAX_BODY_BYTES, b" "])
    headers = mcp_headers(content_length=str(MAX_BODY_BYTES + 1))
    await House().app(scope_of("POST", "/mcp", headers), client.receive, client.send)
    assert (client.reply.status, client.pieces_read) == (413, 0)


async def test_a_body_that_grows_too_large_is_refused_before_it_is_read_whole() -> None:
    client = Client([b" " * MAX_BODY_BYTES, b" ", b" ", b" "])
    await House().app(scope_of("POST", "/mcp", mcp_headers()), client.receive, client.send)
    assert (client.reply.status, client.pieces_read) == (413, 2)
    assert client.reply.json["error"] == "body_too_large"


async def test_a_body_of_just_the_limit_is_served() -> None:
    text = json.dumps(PING).encode()
    reply = await send(House().app, "POST", "/mcp", mcp_headers(), [text.ljust(MAX_BODY_BYTES)])
    assert reply.status == 200


async def test_a_client_that_leaves_before_its_request_is_whole_is_forgotten() -> None:
    house, sent = House(), list[Message]()

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def keep(message: Message) -> None:
        sent.append(message)

    await house.app(scope_of("POST", "/mcp", mcp_headers()), receive, keep)
    assert (sent, house.observer.events) == ([], [])


@asynccontextmanager
async def slow_bodies(house: House, number: int, **more: str) -> AsyncIterator[None]:
    """Hold so many requests open whose bodies do not come; `more` are their headers."""
    slow, headers = Client([]), mcp_headers(**more)
    serving = [
        asyncio.create_task(house.app(scope_of("POST", "/mcp", headers), slow.receive, slow.send))
        for _ in range(number)
    ]
    await settle()
    yield
    slow.gone.set()
    await asyncio.gather(*serving)


async def test_one_tokens_slow_bodies_take_no_place_of_another_token() -> None:
    house = House(places=(1, 0))
    async with slow_bodies(house, 40):
        assert (await house.post(PING)).json["error"] == "overloaded"
        assert (await house.post(PING, authorization="Bearer bob-token")).status == 200
    assert (await house.post(PING)).status == 200


async def test_a_token_may_send_a_quarter_of_the_bodies_at_once() -> None:
    house = House(places=(20, 20))
    async with slow_bodies(house, 9):
        assert (await house.post(PING)).status == 200
        async with slow_bodies(house, 1):
            assert (await house.post(PING)).status == 503


@pytest.mark.parametrize(
    ("declared", "answer"), [(b"8192", b""), (b"8193", OVERLOADED), (b"+9", OVERLOADED), (None, OVERLOADED)]
)
async def test_bodies_that_say_that_they_are_small_may_come_all_at_once(
    declared: bytes | None, answer: object
) -> None:
    reader, slow = BodyReader(10_000, 16), Client([])
    reading = [asyncio.create_task(reader.read(slow.receive, "a", declared)) for _ in range(40)]
    await settle()
    assert await reader.read(Client([b""]).receive, "a", declared) == answer
    slow.gone.set()
    await asyncio.gather(*reading, return_exceptions=True)


async def test_a_small_call_is_served_among_others_that_are_on_their_way() -> None:
    house = House(places=(1, 0))
    async with slow_bodies(house, 40, content_length="100"):
        assert (await house.post(PING)).status == 200


async def test_more_slow_bodies_than_the_server_can_hold_are_refused() -> None:
    reader, slow, others = BodyReader(1, 16), Client([]), ("a", "b", "c", "d")
    reading = [asyncio.create_task(reader.read(slow.receive, name)) for name in others for _ in range(4)]
    await settle()
    assert await reader.read(Client([b""]).receive, "e") is OVERLOADED
    slow.gone.set()
    ends = await asyncio.gather(*reading, return_exceptions=True)
    assert {type(end) for end in ends} == {ClientGone}
    assert await reader.read(Client([b""]).receive, "e") == b""


async def test_a_body_that_never_comes_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vmk_mcp.web.body._TIME_LIMIT_S", 0.0)
    reply = await send(House().app, "POST", "/mcp", mcp_headers(), [])
    assert (reply.status, reply.json["error"]) == (400, "body_incomplete")


async def test_a_sane_request_id_is_taken_over() -> None:
    house = House()
    reply = await house.post(PING, x_request_id="agent-7/turn:3")
    assert reply.header("x-request-id") == "agent-7/turn:3"
    assert house.observer.of(CallFinished)[0].request_id == "agent-7/turn:3"


@pytest.mark.parametrize("odd", ["a b", 'x"', "-x", "y" * 200, "ї".encode().decode("latin-1")])
async def test_an_odd_request_id_is_replaced_by_one_of_ours(odd: str) -> None:
    house = House()
    first, second = await house.post(PING, x_request_id=odd), await house.post(PING)
    assert first.header("x-request-id") not in {odd, None, second.header("x-request-id")}


async def test_a_refusal_says_code_message_and_request_id_and_is_observed() -> None:
    house = House()
    reply = await house.post(PING, authorization="", x_request_id="r1")
    assert reply.status == 401
    assert set(reply.json) == {"error", "message", "request_id"}
    assert (reply.json["error"], reply.json["request_id"]) == ("token_missing", "r1")
    assert house.observer.events == [RequestRefused("r1", "token_missing", 401)]


async def test_a_preflight_is_answered_for_an_allowed_origin() -> None:
    asks = {
        "origin": ORIGIN,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
    }
    reply = await send(House().app, "OPTIONS", "/mcp", asks)
    assert (reply.status, reply.body) == (204, b"")
    assert reply.header("access-control-allow-origin") == ORIGIN
    assert reply.header("access-control-allow-methods") == "POST"
    assert reply.header("access-control-allow-headers") == "authorization,content-type"
    assert reply.header("vary") == "Origin"


async def test_a_preflight_of_another_origin_is_refused_and_told_nothing() -> None:
    asks = {"origin": "https://evil.example.org", "access-control-request-method": "POST"}
    reply = await send(House().app, "OPTIONS", "/mcp", asks)
    assert (reply.status, reply.header("access-control-allow-origin")) == (403, None)


async def test_the_page_of_an_allowed_origin_may_read_answers_and_refusals() -> None:
    house = House()
    for reply in (
        await house.post(PING, origin=ORIGIN),
        await house.post(PING, origin=ORIGIN, authorization=""),
    ):
        assert reply.header("access-control-allow-origin") == ORIGIN


async def test_an_answer_to_a_program_has_no_cors_headers() -> None:
    assert (await House().post(PING)).header("access-control-allow-origin") is None


async def test_a_path_that_nothing_serves_is_404_in_the_same_words() -> None:
    reply = await House().get("/.well-known/oauth-protected-resource")
    assert (reply.status, reply.json["error"]) == (404, "no_such_path")


@pytest.mark.parametrize("path", ["/", "/sse", "/health/x"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_a_path_that_nothing_serves_is_refused_behind_the_same_checks_and_observed(
    path: str, method: str
) -> None:
    house = House(site=Site(origins=(ORIGIN,), hosts=("ours.example.org",)))
    named = {"host": "ours.example.org"}
    replies = [
        await send(house.app, method, path, headers)
        for headers in (named, named | {"origin": "https://evil.net"}, {"host": "evil.net"})
    ]
    assert [reply.json["error"] for reply in replies] == [
        "no_such_path",
        "origin_not_allowed",
        "host_not_allowed",
    ]
    assert [event.code for event in house.observer.of(RequestRefused)] == [
        "no_such_path",
        "origin_not_allowed",
        "host_not_allowed",
    ]


class BrokenOff(Client):
    """A client whose connection fails by a bug after the answer has begun, at the message of that number."""

    def __init__(self, pieces: Sequence[bytes], fails_at: int) -> None:
        super().__init__(pieces)
        self._fails_at = fails_at

    async def send(self, message: Message) -> None:
        """See ASGI."""
        if len(self.sent) == self._fails_at:
            self._fails_at = -1
            raise ZeroDivisionError
        await super().send(message)


@pytest.mark.parametrize("method", ["POST", "GET"])
async def test_a_bug_after_the_answer_has_begun_is_logged_and_no_second_answer_begins(method: str) -> None:
    house, client = House(max_streams=1), BrokenOff([json.dumps(PING).encode()], fails_at=1)
    await house.app(scope_of(method, "/mcp", mcp_headers()), client.receive, client.send)
    assert [message["type"] for message in client.sent] == ["http.response.start"]
    assert [type(event.error) for event in house.observer.of(Crashed)] == [ZeroDivisionError]
    assert not house.observer.of(RequestRefused)


@pytest.mark.parametrize("method", ["POST", "GET"])
async def test_a_bug_before_the_answer_has_begun_is_answered(method: str) -> None:
    house, client = House(max_streams=1), BrokenOff([json.dumps(PING).encode()], fails_at=0)
    await house.app(scope_of(method, "/mcp", mcp_headers()), client.receive, client.send)
    assert (client.reply.status, client.reply.json["error"]) == (500, "internal_error")
    assert [event.code for event in house.observer.of(RequestRefused)] == ["internal_error"]


async def test_what_is_no_path_is_refused_as_json() -> None:
    reply = await send(House().app, "OPTIONS", "*", {})
    assert (reply.status, reply.json["error"]) == (404, "no_such_path")
