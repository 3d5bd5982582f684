"""What wakes the watcher: changes in the folder, a signal, or the time of the next full scan."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from enum import Enum
from pathlib import Path
from typing import Final

from watchfiles import awatch

GATHER_S: Final = 2.0
"""Changes that come within this time make one batch."""

_LOOK_AGAIN_S: Final = 5.0
_POLL_MS: Final = 1_000


class Reason(Enum):
    """Why the folder is looked at."""

    CHANGE = "change"
    ASKED = "asked"
    TIME = "time"


class Trigger:
    """Wakes the one who waits; what happens meanwhile is kept until the next wait."""

    def __init__(self, gather_s: float = GATHER_S) -> None:
        self._gather_s = gather_s
        self._woken = asyncio.Event()
        self._asked = asyncio.Event()
        self._hurried = asyncio.Event()

    def note_change(self) -> None:
        """Something changed in the folder."""
        self._woken.set()

    def ask(self) -> None:
        """Somebody wants a full scan, now."""
        self._asked.set()
        self._woken.set()
        self._hurried.set()

    async def wait(self, at_most_s: float) -> Reason:
        """Wait for a reason to look, and then until what belongs to it has come too."""
        reason = Reason.TIME
        try:
            async with asyncio.timeout(at_most_s):
                await self._woken.wait()
        except TimeoutError:
            pass  # then the time is the reason
        else:
            reason = Reason.CHANGE
            if not self._asked.is_set():
                await asyncio.sleep(self._gather_s)
        if self._asked.is_set():
            reason = Reason.ASKED
        self._asked.clear()
        self._woken.clear()
        self._hurried.clear()
        return reason

    async def pause(self, seconds: float) -> None:
        """Wait that long, or until somebody asks; what is asked for is still due then.

        One who asks ends one pause: those that follow while nothing can be done last their time.
        """
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._hurried.wait()
        self._hurried.clear()


async def watch_folder(
    folder: Path, trigger: Trigger, say: Callable[[str], None], *, polls: bool = False
) -> None:
    """Tell `trigger` of changes, for ever; a folder that is replaced or comes back is watched anew.

    Args:
        folder: watched with all that is below it.
        trigger: told of each change, soon after it.
        say: told, once, where the system gives no events.
        polls: look every second instead of waiting for events, which network folders do not send.
    """
    while True:
        try:
            async for _ in _changes_until_replaced(folder, polls=polls):
                trigger.note_change()
        except FileNotFoundError:
            pass  # the next look says that the folder is not there
        except OSError:
            if not polls:
                say("This system gives no events of so large a folder, so that it is looked at every second.")
            polls = True
        await _until_there(folder)
        # Nothing told of what happened while nobody watched.
        trigger.note_change()


async def _until_there(folder: Path) -> None:
    while True:
        await asyncio.sleep(_LOOK_AGAIN_S)
        if await asyncio.to_thread(folder.is_dir):
            return


async def _changes_until_replaced(folder: Path, *, polls: bool) -> AsyncIterator[None]:
    """Give a sign at each change, until the path leads to another folder than at first, or to none."""
    place = _place_of(folder)
    changes = awatch(
        folder,
        watch_filter=None,
        debounce=200,
        step=50,
        rust_timeout=int(_LOOK_AGAIN_S * 1000),
        yield_on_timeout=True,
        force_polling=polls,
        poll_delay_ms=_POLL_MS,
        ignore_permission_denied=True,
    )
    async with contextlib.aclosing(changes):
        async for found in changes:
            if found:
                yield
            if await asyncio.to_thread(_place_of, folder) != place:
                return


def _place_of(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
