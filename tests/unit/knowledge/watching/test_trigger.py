"""What wakes the watcher, and how changes are gathered."""

import asyncio
from pathlib import Path

import pytest

from vmk_mcp.knowledge.watching import trigger as module
from vmk_mcp.knowledge.watching.trigger import Reason, Trigger, watch_folder

LONG_S = 3_600.0


async def test_a_change_wakes_and_is_the_reason() -> None:
    trigger = Trigger(gather_s=0)
    trigger.note_change()
    assert await trigger.wait(LONG_S) is Reason.CHANGE


async def test_changes_that_come_while_others_are_gathered_make_one_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trigger = Trigger()
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        trigger.note_change()

    monkeypatch.setattr("vmk_mcp.knowledge.watching.trigger.asyncio.sleep", sleep)
    trigger.note_change()
    await trigger.wait(LONG_S)
    monkeypatch.undo()
    assert slept == [2]
    assert await trigger.wait(0) is Reason.TIME


async def test_asking_wakes_at_once_and_only_once() -> None:
    trigger = Trigger(gather_s=LONG_S)
    trigger.ask()
    assert await trigger.wait(LONG_S) is Reason.ASKED
    assert await trigger.wait(0) is Reason.TIME


async def test_who_asks_while_changes_are_gathered_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    trigger = Trigger()

    async def sleep(seconds: float) -> None:
        trigger.ask()

    monkeypatch.setattr("vmk_mcp.knowledge.watching.trigger.asyncio.sleep", sleep)
    trigger.note_change()
    assert await trigger.wait(LONG_S) is Reason.ASKED


async def test_what_happened_during_a_wait_or_before_it_is_not_lost() -> None:
    trigger = Trigger(gather_s=0)
    waiting = asyncio.create_task(trigger.wait(LONG_S))
    await asyncio.sleep(0)
    trigger.note_change()
    assert await waiting is Reason.CHANGE


async def test_a_pause_ends_early_when_somebody_asks_and_what_is_asked_stays_due() -> None:
    trigger = Trigger()
    pausing = asyncio.create_task(trigger.pause(LONG_S))
    await asyncio.sleep(0)
    trigger.note_change()
    await asyncio.sleep(0)
    assert not pausing.done()
    trigger.ask()
    await pausing
    assert await trigger.wait(LONG_S) is Reason.ASKED


async def test_one_who_asks_ends_one_pause_and_not_all_that_follow() -> None:
    trigger = Trigger()
    trigger.ask()
    await trigger.pause(LONG_S)
    pausing = asyncio.create_task(trigger.pause(LONG_S))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not pausing.done()
    pausing.cancel()
    assert await trigger.wait(LONG_S) is Reason.ASKED


async def test_a_system_without_events_is_polled_and_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the kernel's watches are used up: inotify says so with an OSError."""
    ways: list[bool] = []
    said: list[str] = []
    enough = asyncio.Event()

    async def refuse(folder: Path, *, polls: bool) -> object:
        ways.append(polls)
        if len(ways) == 3:
            enough.set()
        raise OSError("OS file watch limit reached")
        yield

    monkeypatch.setattr(module, "_changes_until_replaced", refuse)
    monkeypatch.setattr(module, "_LOOK_AGAIN_S", 0)
    watching = asyncio.create_task(watch_folder(tmp_path, Trigger(), said.append))
    await enough.wait()
    watching.cancel()
    assert ways == [False, True, True]
    assert said == ["This system gives no events of so large a folder, so that it is looked at every second."]
