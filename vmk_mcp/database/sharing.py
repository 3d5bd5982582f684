"""Locks by which processes on one machine share one server and the last to leave stops it."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from vmk_mcp.errors import StartError

_POLL_S: Final = 0.05
# Making a cluster takes seconds even on a slow disk; whoever waits longer waits for something that hangs.
_TURN_LIMIT_S: Final = 120.0


class FileLock:
    """A lock on one file that the kernel frees when its process ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def take_exclusive(self, timeout_s: float) -> None:
        """Wait until nobody else holds the lock; raises `StartError` after `timeout_s`."""
        deadline = time.monotonic() + timeout_s
        while not self.try_exclusive():
            if time.monotonic() > deadline:
                self.release()
                raise StartError(
                    f"Another process has held {self._path} for {timeout_s:.0f} s.",
                    hint="It is starting or stopping the embedded Postgres; look whether it hangs.",
                )
            time.sleep(_POLL_S)

    def try_exclusive(self) -> bool:
        """Take the lock, or turn a shared one into it, if nobody else holds it; never waits."""
        try:
            fcntl.flock(self._open(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def take_shared(self) -> None:
        """Hold the lock together with others; waits while someone holds it alone."""
        fcntl.flock(self._open(), fcntl.LOCK_SH)

    def release(self) -> None:
        """Let go; does nothing when not held."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> int:
        if self._file is None:
            # Python opens files closed to children, so the server itself never holds a lock.
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        return self._file


class Sharing:
    """The users of one server: who comes and who goes does it alone, and the last one to go is told so."""

    def __init__(self, home: Path) -> None:
        self._turn = FileLock(home / "turn.lock")
        self._users = FileLock(home / "users.lock")
        self._joined = False

    @contextmanager
    def joining(self) -> Iterator[None]:
        """Hold the turn while the server is made or started; whoever ends without an error is a user."""
        self._turn.take_exclusive(_TURN_LIMIT_S)
        try:
            # Only who holds the turn ever holds this one alone, so there is nothing to wait for.
            self._users.take_shared()
            yield
            self._joined = True
        finally:
            if not self._joined:
                self._users.release()
            self._turn.release()

    def leave(self, stop: Callable[[], None]) -> None:
        """Be no user any more; calls `stop` if there is no other. A second call does nothing."""
        if not self._joined:
            return
        self._turn.take_exclusive(_TURN_LIMIT_S)
        self._joined = False
        try:
            if self._users.try_exclusive():
                stop()
        finally:
            self._users.release()
            self._turn.release()
