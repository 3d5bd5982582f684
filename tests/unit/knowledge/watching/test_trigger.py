"""What wakes the watcher, and how changes are gathered."""

import asyncio
from pathlib import Path

import pytest

from vmk_mcp.knowledge.watching import trigger as module
from vmk_mcp.knowledge.watching.trigger import Trigger, watch_folder

LONG_S = 3_600.0


async def test_a_change_wakes_for_a_look_that_is_not_a_full_one() -> None:
    trigger = Trigger(gather_s=0, full_scan_s=LONG_S)
    trigger.note_change()
    assert await trigger.wait() is False


async def test_changes_that_come_while_others_are_gathered_make_one_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trigger = Trigger(gather_s=2, full_scan_s=LONG_S)
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        trigger.note_change()

    monkeypatch.setattr(module.asyncio, "sleep", sleep)
    trigger.note_change()
    await trigger.wait()
    monkeypatch.undo()
    assert slept == [2]
    assert not trigger._woken.is_set()


async def test_asking_wakes_at_once_for_a_full_look_and_the_next_is_an_ordinary_one() -> None:
    trigger = Trigger(gather_s=LONG_S, full_scan_s=LONG_S)
    trigger.ask()
    assert await trigger.wait() is True
    trigger = Trigger(gather_s=0, full_scan_s=LONG_S)
    trigger.ask()
    await trigger.wait()
    trigger.note_change()
    assert await trigger.wait() is False


async def test_without_any_event_a_full_look_is_due_by_the_clock() -> None:
    assert await Trigger(gather_s=LONG_S, full_scan_s=0).wait() is True


async def test_what_happened_before_the_wait_is_not_lost() -> None:
    trigger = Trigger(gather_s=0, full_scan_s=LONG_S)
    waiting = asyncio.create_task(trigger.wait())
    await asyncio.sleep(0)
    trigger.note_change()
    assert await waiting is False


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
