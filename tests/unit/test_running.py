import asyncio
from collections.abc import Awaitable, Callable

import pytest
from msgspec import Struct

from tests.unit.web.door import settle
from vmk_mcp.protocol.work import RequestId, ToolCall
from vmk_mcp.running import Call, Running, Unfinished
from vmk_mcp.tool import CallContext, Caller, Tool

ALICE = Caller(name="alice")


class Nothing(Struct, frozen=True):
    """No arguments."""


def work_of(run: Callable[[], Awaitable[Nothing]], id: RequestId = 1, caller: Caller = ALICE) -> ToolCall:
    async def call(arguments: Nothing, context: CallContext) -> Nothing:
        return await run()

    tool = Tool(family="f", name="t", title="", description="", arguments=Nothing, result=Nothing, call=call)
    return ToolCall(id, tool, Nothing(), caller)


class Step:
    """Work that goes on when it is told to."""

    def __init__(self) -> None:
        self.go = asyncio.Event()

    async def run(self) -> Nothing:
        """Wait for the word."""
        await self.go.wait()
        return Nothing()


async def start(running: Running, work: ToolCall) -> object:
    return await running.run(work, Call())


async def test_a_result_comes_back_as_it_is() -> None:
    step = Step()
    step.go.set()
    assert await start(Running(1, 0), work_of(step.run)) == Nothing()


async def test_an_exception_comes_back_as_a_value_and_frees_the_place() -> None:
    async def fail() -> Nothing:
        raise ZeroDivisionError

    running = Running(1, 0)
    for _ in range(2):
        assert isinstance(await start(running, work_of(fail)), ZeroDivisionError)
    assert running.running == 0


async def test_no_more_run_at_once_than_there_are_places_and_the_rest_wait_in_turn() -> None:
    running = Running(2, 2)
    steps = [Step() for _ in range(4)]
    calls = [asyncio.create_task(start(running, work_of(step.run))) for step in steps]
    await settle()
    assert (running.running, running.waiting) == (2, 2)
    steps[0].go.set()
    steps[2].go.set()
    await settle()
    assert [call.done() for call in calls] == [True, False, True, False]
    steps[1].go.set()
    steps[3].go.set()
    await asyncio.gather(*calls)
    assert (running.running, running.waiting) == (0, 0)


async def test_one_more_than_may_wait_is_told_so_at_once() -> None:
    running, step = Running(1, 0), Step()
    first = asyncio.create_task(start(running, work_of(step.run)))
    await settle()
    assert await start(running, work_of(step.run)) is Unfinished.OVERLOADED
    step.go.set()
    await first
    assert await start(running, work_of(step.run)) == Nothing()


async def test_a_cancelled_call_gives_way_while_its_task_goes_on() -> None:
    running, step = Running(1, 0), Step()
    task = asyncio.create_task(start(running, work_of(step.run, "a")))
    await settle()
    running.cancel("alice", "a")
    assert await task is Unfinished.CANCELLED
    assert task.cancelling() == 0
    step.go.set()
    assert await start(running, work_of(step.run)) == Nothing()


async def test_a_call_in_line_can_be_cancelled_too() -> None:
    running, step = Running(1, 1), Step()
    first = asyncio.create_task(start(running, work_of(step.run, 1)))
    second = asyncio.create_task(start(running, work_of(step.run, 2)))
    await settle()
    running.cancel("alice", 2)
    assert await second is Unfinished.CANCELLED
    assert running.waiting == 0
    step.go.set()
    assert await first == Nothing()


@pytest.mark.parametrize(("caller", "id_"), [("bob", 1), ("alice", "1"), ("alice", 2)])
async def test_a_cancellation_for_another_caller_or_id_changes_nothing(caller: str, id_: RequestId) -> None:
    running, step = Running(1, 0), Step()
    task = asyncio.create_task(start(running, work_of(step.run, 1)))
    await settle()
    running.cancel(caller, id_)
    step.go.set()
    assert await task == Nothing()


async def test_a_call_that_is_over_cannot_be_cancelled() -> None:
    running, step = Running(1, 0), Step()
    step.go.set()
    await start(running, work_of(step.run))
    running.cancel("alice", 1)
    await asyncio.sleep(0)


async def test_cancelling_twice_is_cancelling_once() -> None:
    running, step = Running(1, 0), Step()
    task = asyncio.create_task(start(running, work_of(step.run)))
    await settle()
    running.cancel("alice", 1)
    running.cancel("alice", 1)
    assert await task is Unfinished.CANCELLED
    assert task.cancelling() == 0


async def test_work_that_finishes_although_it_was_cancelled_counts_as_cancelled() -> None:
    async def stubborn() -> Nothing:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return Nothing()
        return Nothing()

    running = Running(1, 0)
    task = asyncio.create_task(start(running, work_of(stubborn)))
    await settle()
    running.cancel("alice", 1)
    assert await task is Unfinished.CANCELLED
    assert task.cancelling() == 0


async def test_the_end_of_the_process_goes_through_and_frees_the_place() -> None:
    running, step = Running(1, 0), Step()
    task = asyncio.create_task(start(running, work_of(step.run)))
    await settle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert running.running == 0
    step.go.set()
    assert await start(running, work_of(step.run)) == Nothing()
