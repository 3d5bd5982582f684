"""A few connections, lent to one call at a time and kept open."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from vmk_mcp.database.failures import DRIVER_ERRORS
from vmk_mcp.database.hosts import Connection
from vmk_mcp.errors import StoreUnavailable

_CLOSE_TIMEOUT_S: Final = 1.0


class Connections:
    """At most `size` connections, each opened when it is first needed; the last one given back is lent first.

    What is taken is given back exactly once, whatever has become of it; one that is closed by then leaves its
    place to a new one. A statement that was cancelled may still be ending: the driver has the next one wait.
    """

    def __init__(self, connect: Callable[[], Awaitable[Connection]], *, size: int, wait_s: float) -> None:
        """Describe the connections; nothing is opened yet.

        Args:
            connect: opens one, ready for use.
            size: how many there are at most.
            wait_s: how long a call waits while all are lent.
        """
        self._connect = connect
        self._size = size
        self._wait_s = wait_s
        self._slots = asyncio.Semaphore(size)
        self._idle: list[Connection] = []
        self._lent = 0
        self._closed = False

    @property
    def idle_count(self) -> int:
        """How many open connections wait for work."""
        return len(self._idle)

    @property
    def open_count(self) -> int:
        """How many connections are open."""
        return len(self._idle) + self._lent

    async def take(self) -> Connection:
        """Lend a connection.

        Raises:
            StoreUnavailable: all were lent, for all of `wait_s`.
            RuntimeError: after `close`.
        """
        await self._take_slot()
        try:
            connection = self._pop_idle() or await self._connect()
        except BaseException:
            self._slots.release()
            raise
        self._lent += 1
        return connection

    async def take_new(self) -> Connection:
        """Lend a connection after one has died while idle: so, most likely, did the others; see `take`."""
        while (idle := self._pop_idle()) is not None:
            idle.terminate()
        return await self.take()

    def give_back(self, connection: Connection) -> None:
        """Take back what was lent."""
        self._lent -= 1
        if not connection.is_closed():
            self._idle.append(connection)
        self._slots.release()

    async def open_more(self, count: int) -> None:
        """Open connections one after another until `count` are open; calls have the idle ones meanwhile.

        Raises: as `take` does, and what `connect` raises.
        """
        while self.open_count < min(count, self._size):
            await self._take_slot()
            try:
                # Put last in line: what calls have used is warmer.
                self._idle.insert(0, await self._connect())
            finally:
                self._slots.release()

    async def close(self) -> None:
        """Wait for the calls that have a connection or wait for one, and close all."""
        self._closed = True
        try:
            for _ in range(self._size):
                await self._slots.acquire()
            while (idle := self._pop_idle()) is not None:
                # One that is already broken has nothing left to say.
                with suppress(*DRIVER_ERRORS):
                    await idle.close(timeout=_CLOSE_TIMEOUT_S)
        finally:
            while (idle := self._pop_idle()) is not None:
                idle.terminate()

    async def _take_slot(self) -> None:
        if self._closed:
            raise RuntimeError("the database is used after close()")
        if not self._slots.locked():
            await self._slots.acquire()
            return
        try:
            async with asyncio.timeout(self._wait_s):
                await self._slots.acquire()
        except TimeoutError:
            raise StoreUnavailable(
                "All connections to the database are busy with other calls.",
                hint="Try again in a few seconds.",
            ) from None

    def _pop_idle(self) -> "Connection | None":
        """Give an idle connection, or None; those that were closed from afar are dropped."""
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_closed():
                return connection
        return None
