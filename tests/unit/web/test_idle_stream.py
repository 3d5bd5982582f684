import asyncio

import pytest

from tests.unit.web.door import Client, House, Reply, scope_of, send, settle
from vmk_mcp.web import idle_stream

ASKS = {"accept": "text/event-stream", "authorization": "Bearer alice-token"}


def open_stream(house: House) -> tuple[Client, asyncio.Task[None]]:
    client = Client([b""])
    return client, asyncio.create_task(open_as(house, client))


async def open_as(house: House, client: Client) -> None:
    await house.app(scope_of("GET", "/mcp", ASKS), client.receive, client.send)


async def get(house: House, headers: dict[str, str]) -> Reply:
    return await send(house.app, "GET", "/mcp", headers)


async def test_a_stream_opens_with_a_comment_and_ends_when_the_client_leaves() -> None:
    house = House(max_streams=1)
    client, serving = open_stream(house)
    await settle()
    assert client.reply.header("content-type") == "text/event-stream"
    assert client.reply.header("cache-control") == "no-store"
    assert client.reply.chunks == [b": still here\n\n"]
    client.gone.set()
    await serving


async def test_comments_come_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle_stream, "_COMMENT_EVERY_S", 0.0)
    client, serving = open_stream(House(max_streams=1))
    await settle()
    assert len(client.reply.chunks) > 2
    assert set(client.reply.chunks) == {b": still here\n\n"}
    client.gone.set()
    await serving


async def test_closing_ends_all_streams_properly() -> None:
    house = House(max_streams=2)
    streams = [open_stream(house) for _ in range(2)]
    await settle()
    house.app.close_streams()
    await asyncio.gather(*(serving for _, serving in streams))
    assert all(client.sent[-1].get("more_body", False) is False for client, _ in streams)


async def test_one_stream_too_many_is_refused_and_a_place_left_is_free_again() -> None:
    house = House(max_streams=1)
    client, serving = open_stream(house)
    await settle()
    refused = await get(house, ASKS)
    assert (refused.status, refused.json["error"]) == (503, "overloaded")
    client.gone.set()
    await serving
    client, serving = open_stream(house)
    await settle()
    assert client.reply.status == 200
    client.gone.set()
    await serving


async def test_a_get_that_takes_no_stream_is_405_and_told_both_methods() -> None:
    refused = await get(House(max_streams=1), ASKS | {"accept": "application/json"})
    assert (refused.status, refused.header("allow")) == (405, "GET, POST")


async def test_a_stream_needs_a_token() -> None:
    assert (await get(House(max_streams=1), {"accept": "text/event-stream"})).status == 401


async def test_without_the_stream_a_get_is_405() -> None:
    refused = await get(House(), ASKS)
    assert (refused.status, refused.header("allow")) == (405, "POST")
