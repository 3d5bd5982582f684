"""Calls at work: so many at once, each of which can be cancelled by its request id; for every door."""

import asyncio
from enum import Enum
from typing import Any, Final

from vmk_mcp.protocol.work import RequestId, Work
from vmk_mcp.tool import Progress, ignore_progress


class Unfinished(Enum):
    """Why work gave neither a result nor an error."""

    CANCELLED = "cancelled"
    OVERLOADED = "overloaded"


class Call:
    """One call in the task that awaits it; `cancel` ends the work, not the task."""

    __slots__ = ("_cancelled", "_task")

    def __init__(self) -> None:
        """Stand for the work that the current task is about to run."""
        self._task = asyncio.current_task()
        self._cancelled = False

    def cancel(self) -> None:
        """Interrupt the work at its next await; a second time does nothing."""
        if self._task is not None and not self._cancelled:
            self._cancelled = True
            self._task.cancel()

    def absorb(self) -> bool:
        """Say whether a `CancelledError` was this call's own; then the task goes on as if it had not come."""
        if self._cancelled and self._task is not None:
            return self._task.uncancel() == 0
        return False


class Running:
    """The calls of this process: so many at work, so many more in line, and no more.

    Attributes:
        capacity: how many calls there can be, at work and in line.
        running: calls at work now.
        waiting: calls in line now.
    """

    def __init__(self, max_running: int, max_waiting: int) -> None:
        """Run up to `max_running` calls at once and let `max_waiting` wait, first come first served."""
        self._slots = asyncio.Semaphore(max_running)
        self._max_waiting = max_waiting
        self._calls: dict[tuple[str, RequestId], list[Call]] = {}
        self.capacity: Final = max_running + max_waiting
        self.running = 0
        self.waiting = 0

    async def run(self, work: Work, call: Call, progress: Progress = ignore_progress) -> Any:
        """Run `work` in a free place and give its outcome for `Protocol.write`: a result or an exception.

        Gives an `Unfinished` where there is neither. Cancellation of the task from outside goes through.
        """
        key = (work.caller.name, work.id)
        self._calls.setdefault(key, []).append(call)
        try:
            if self._slots.locked():
                if self.waiting >= self._max_waiting:
                    return Unfinished.OVERLOADED
                await self._wait()
            else:
                await self._slots.acquire()
            outcome = await self._work(work, progress)
            # Work may finish in spite of being cancelled; nobody waits for it any more.
            return Unfinished.CANCELLED if call.absorb() else outcome
        except asyncio.CancelledError:
            if call.absorb():
                return Unfinished.CANCELLED
            raise
        finally:
            self._forget(key, call)

    def cancel(self, caller_name: str, request_id: RequestId) -> None:
        """Cancel the call of that caller and id, if exactly one runs; ids of several clients may coincide."""
        calls = self._calls.get((caller_name, request_id), ())
        if len(calls) == 1:
            calls[0].cancel()

    async def _wait(self) -> None:
        self.waiting += 1
        try:
            await self._slots.acquire()
        finally:
            self.waiting -= 1

    async def _work(self, work: Work, progress: Progress) -> Any:
        self.running += 1
        try:
            return await work.begin(progress)
        except Exception as problem:  # noqa: BLE001  (every fate of a call is told apart in Protocol.write)
            return problem
        finally:
            self.running -= 1
            self._slots.release()

    def _forget(self, key: tuple[str, RequestId], call: Call) -> None:
        calls = self._calls[key]
        calls.remove(call)
        if not calls:
            del self._calls[key]
