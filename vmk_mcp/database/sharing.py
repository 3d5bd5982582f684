"""Locks by which processes on one machine share one server and the last to leave stops it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from vmk_mcp.errors import StartError
from vmk_mcp.private_files import FileLock

# Making a cluster takes seconds even on a slow disk; whoever waits longer waits for something that hangs.
_TURN_LIMIT_S: Final = 120.0


class Sharing:
    """The users of one server: who comes and who goes does it alone, and the last one to go is told so."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._turn = FileLock(home / "turn.lock")
        self._users = FileLock(home / "users.lock")
        self._joined = False
        # Two threads of one process have the same locks on files, which keep them apart no more.
        self._one_thread = threading.Lock()

    @contextmanager
    def joining(self) -> Iterator[None]:
        """Hold the turn while the server is made or started; whoever ends without an error is a user."""
        self._take_turn()
        try:
            # Only who holds the turn ever holds this one alone, so there is nothing to wait for.
            self._users.take_shared()
            yield
            self._joined = True
        finally:
            if not self._joined:
                self._users.release()
            self._turn.release()

    def mend(self, start: Callable[[], None]) -> None:
        """Call `start` while nobody else comes or goes; does nothing for one who has left."""
        with self._one_thread:
            if not self._joined:
                return
            self._take_turn()
            try:
                start()
            finally:
                self._turn.release()

    def leave(self, stop: Callable[[], None]) -> None:
        """Be no user any more; calls `stop` if there is no other. A second call does nothing."""
        with self._one_thread:
            if not self._joined:
                return
            self._take_turn()
            self._joined = False
            try:
                if self._users.try_exclusive():
                    stop()
            finally:
                self._users.release()
                self._turn.release()

    def _take_turn(self) -> None:
        try:
            self._turn.take_exclusive(_TURN_LIMIT_S)
        except TimeoutError:
            raise StartError(
                f"Another process has held its turn in {self._home} for {_TURN_LIMIT_S:.0f} s.",
                hint="It is starting or stopping the embedded Postgres; look whether it hangs.",
            ) from None
