"""Notices that a client has gone away while its call runs."""

import asyncio
from typing import Final

from starlette.types import Receive

from vmk_mcp.running import Call

# Most calls are over by then: a watcher from the start would cost each of them a task of its own (20-25 us,
# against 1-3 us for the timer).
_PATIENCE_S: Final = 0.05


class DepartureWatch:
    """Cancels a call when its client's connection closes; used as a context manager around the call."""

    __slots__ = ("_call", "_receive", "_timer", "_watcher")

    def __init__(self, receive: Receive, call: Call) -> None:
        """Watch by `receive`, whose body must have been read whole."""
        self._receive = receive
        self._call = call
        self._timer: asyncio.TimerHandle | None = None
        self._watcher: asyncio.Task[None] | None = None

    def __enter__(self) -> "DepartureWatch":
        self._timer = asyncio.get_running_loop().call_later(_PATIENCE_S, self._arm)
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._watcher is not None:
            self._watcher.cancel()

    def _arm(self) -> None:
        self._watcher = asyncio.get_running_loop().create_task(self._watch())

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._call.cancel()
