"""Lending connections: how many, in which order, what becomes of dead ones, and how it ends."""

import asyncio
from typing import Any, cast

import pytest

from vmk_mcp.database.connections import Connections
from vmk_mcp.errors import StoreUnavailable


class FakeConnection:
    """Open until it is closed or terminated."""

    def __init__(self) -> None:
        self.closed = False
        self.ended_by = ""

    def is_closed(self) -> bool:
        return self.closed

    def terminate(self) -> None:
        self.closed, self.ended_by = True, "terminate"

    async def close(self, *, timeout: float) -> None:  # noqa: ASYNC109 (as asyncpg has it)
        assert timeout > 0
        self.closed, self.ended_by = True, "close"


class FakeServer:
    """Opens connections; told how to fail."""

    def __init__(self) -> None:
        self.made: list[FakeConnection] = []
        self.failure: Exception | None = None

    async def connect(self) -> Any:
        await asyncio.sleep(0)
        if self.failure is not None:
            raise self.failure
        self.made.append(FakeConnection())
        return self.made[-1]


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


def lending(server: FakeServer, size: int = 2, wait_s: float = 60) -> Connections:
    return Connections(server.connect, size=size, wait_s=wait_s)


async def settle() -> None:
    """Let all that can run do so."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_last_one_given_back_is_lent_first_and_no_more_are_opened_than_needed(
    server: FakeServer,
) -> None:
    connections = lending(server)
    for _ in range(3):
        connections.give_back(await connections.take())
    first, second = await connections.take(), await connections.take()
    connections.give_back(first)
    connections.give_back(second)
    assert await connections.take() is second
    assert len(server.made) == 2
    assert (connections.idle_count, connections.open_count) == (1, 2)


async def test_who_waits_is_served_in_turn(server: FakeServer) -> None:
    connections, served = lending(server, size=1), []

    async def call(name: str) -> None:
        connection = await connections.take()
        served.append(name)
        connections.give_back(connection)

    held = await connections.take()
    calls = [asyncio.create_task(call(name)) for name in "abc"]
    await settle()
    assert served == []
    connections.give_back(held)
    await asyncio.gather(*calls)
    assert served == ["a", "b", "c"]
    assert len(server.made) == 1


async def test_a_wait_that_is_too_long_is_told_as_busy_and_costs_no_place(server: FakeServer) -> None:
    connections = lending(server, size=1, wait_s=0)
    held = await connections.take()
    with pytest.raises(StoreUnavailable, match="busy"):
        await connections.take()
    connections.give_back(held)
    assert await connections.take() is held


async def test_a_wait_that_is_cancelled_costs_no_place(server: FakeServer) -> None:
    connections = lending(server, size=1)
    held = await connections.take()
    waiting = asyncio.create_task(connections.take())
    await settle()
    waiting.cancel()
    await settle()
    connections.give_back(held)
    assert await connections.take() is held


async def test_a_connection_that_does_not_come_about_costs_no_place(server: FakeServer) -> None:
    connections = lending(server, size=1)
    server.failure = ConnectionRefusedError()
    for _ in range(3):
        with pytest.raises(ConnectionRefusedError):
            await connections.take()
    server.failure = None
    await connections.take()
    assert connections.open_count == 1


async def test_dead_ones_are_neither_lent_nor_kept(server: FakeServer) -> None:
    connections = lending(server)
    first, second = await connections.take(), await connections.take()
    second.terminate()
    connections.give_back(first)
    connections.give_back(second)
    assert connections.idle_count == 1
    first.terminate()
    third = await connections.take()
    assert third not in (first, second)
    assert connections.open_count == 1


async def test_after_one_died_while_idle_the_other_idle_ones_are_not_trusted(server: FakeServer) -> None:
    connections = lending(server, size=3)
    first, second, third = [await connections.take() for _ in range(3)]
    connections.give_back(first)
    connections.give_back(second)
    new = await connections.take_new()
    assert new not in (first, second, third)
    assert [one.ended_by for one in server.made] == ["terminate", "terminate", "", ""]


async def test_closing_waits_for_all_calls_that_had_come_and_takes_no_new_one(server: FakeServer) -> None:
    connections = lending(server, size=1)
    held = await connections.take()
    waiting = asyncio.create_task(connections.take())
    await settle()
    closing = asyncio.create_task(connections.close())
    await settle()
    with pytest.raises(RuntimeError):
        await connections.take()
    connections.give_back(held)
    assert await waiting is held
    await settle()
    assert not closing.done()
    connections.give_back(held)
    await closing
    assert cast(FakeConnection, held).ended_by == "close"
    assert connections.open_count == 0


async def test_closing_that_is_given_up_leaves_no_idle_connection_open(server: FakeServer) -> None:
    connections = lending(server)
    held, idle = await connections.take(), await connections.take()
    connections.give_back(idle)
    closing = asyncio.create_task(connections.close())
    await settle()
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert cast(FakeConnection, idle).ended_by == "terminate"
    assert not held.is_closed()


async def test_more_are_opened_up_to_the_count_while_an_idle_one_is_lent(server: FakeServer) -> None:
    connections = lending(server, size=3)
    connections.give_back(first := await connections.take())
    opening = asyncio.create_task(connections.open_more(3))
    await asyncio.sleep(0)
    assert await connections.take() is first
    await opening
    assert (connections.open_count, len(server.made)) == (3, 3)


async def test_no_more_are_opened_than_there_may_be(server: FakeServer) -> None:
    connections = lending(server, size=2)
    await connections.open_more(5)
    assert (connections.open_count, connections.idle_count) == (2, 2)


async def test_a_place_is_free_again_after_one_that_could_not_be_opened(server: FakeServer) -> None:
    connections = lending(server, size=1, wait_s=0.01)
    server.failure = OSError("away")
    with pytest.raises(OSError, match="away"):
        await connections.open_more(1)
    server.failure = None
    connections.give_back(await connections.take())
    assert connections.idle_count == 1
