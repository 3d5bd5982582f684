"""Log notifications over stdio: from the level on that the client asks for, and of nothing that is secret."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from tests.unit.stdio.talking import Client
from vmk_mcp.observe import StoreChanged, Warned


def set_level(id_: int, level: str) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id_, "method": "logging/setLevel", "params": {"level": level}}


def notices_of(received: Sequence[dict[str, Any]]) -> list[Any]:
    return [message["params"] for message in received if message.get("method") == "notifications/message"]


async def converse(client: Client, *messages: object) -> list[Any]:
    """Send messages one after another's answer, and give the notices that came with them."""
    serving = asyncio.create_task(client.run())
    for message in messages:
        client.heard.clear()
        client.send(message)
        await client.heard.wait()
        # What was noticed is written by a task of its own, which has its turn now.
        for _ in range(3):
            await asyncio.sleep(0)
    client.send(None)
    return notices_of(await serving)


def call_of(id_: int, tool: str) -> dict[str, object]:
    params = {"name": tool, "arguments": {"word": "слово"}}
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": params}


async def test_log_notifications_are_declared_where_they_are_sent() -> None:
    client = Client()
    client.send({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}, None)
    (answer,) = await client.run()
    assert answer["result"]["capabilities"]["logging"] == {}


async def test_a_client_that_asked_for_no_level_gets_no_log_notification() -> None:
    client = Client()
    client.notices.observe(Warned("settings", "Something is odd."))
    assert await converse(client, call_of(1, "say")) == []


async def test_calls_are_told_at_level_debug_without_the_words_of_the_query() -> None:
    notices = await converse(Client(), set_level(1, "debug"), call_of(2, "fail"), call_of(3, "say"))
    told = [(notice["level"], notice["data"]["tool"], notice["data"]["code"]) for notice in notices]
    assert ("debug", "fail", "not_found") in told
    assert "слово" not in json.dumps(notices, ensure_ascii=False)


async def test_what_is_below_the_level_is_kept_back() -> None:
    client = Client()
    serving = asyncio.create_task(client.run())
    client.send(set_level(1, "warning"))
    await client.heard.wait()
    client.notices.observe(StoreChanged("listings", reachable=True))
    client.notices.observe(StoreChanged("listings", reachable=False))
    client.notices.observe(Warned("settings", "Something is odd."))
    for _ in range(5):
        await asyncio.sleep(0)
    client.send(None)
    assert [(notice["level"], notice["logger"], notice["data"]) for notice in notices_of(await serving)] == [
        ("warning", "store", {"store": "listings", "reachable": False}),
        ("warning", "settings", {"message": "Something is odd."}),
    ]
