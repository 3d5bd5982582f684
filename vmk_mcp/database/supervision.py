"""Looks after the embedded server while it is used: one that is gone is started again."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Protocol

from vmk_mcp.errors import VmkError
from vmk_mcp.observe import Crashed, Observer, Warned

_LOOK_S: Final = 1.0
_LONGEST_PAUSE_S: Final = 30.0


class Restartable(Protocol):
    """What is looked after; see `EmbeddedServer`."""

    @property
    def title(self) -> str:
        """What people call it, in the middle of a sentence."""

    def is_running(self) -> bool:
        """Say whether it runs; never waits."""

    def start_again(self) -> None:
        """Start it unless it runs, and block until it works; raises `StartError` or `OSError`."""


async def keep_running(
    server: Restartable, observer: Observer, pause: Callable[[float], Awaitable[object]] = asyncio.sleep
) -> None:
    """Look every second whether `server` runs, and start it if not; ends by its cancellation only.

    A start is a thread's work. One that is under way at the cancellation goes on: to let go of the server
    waits for it.

    Args:
        server: see `Restartable`.
        observer: warned of a server that is gone, of what keeps it from starting, and that it runs again.
        pause: waits that many seconds.
    """
    while True:
        await pause(_LOOK_S)
        if not server.is_running():
            observer.observe(_warning(server, "is gone; it is being started again."))
            await _bring_back(server, observer, pause)
            observer.observe(_warning(server, "runs again."))


async def _bring_back(
    server: Restartable, observer: Observer, pause: Callable[[float], Awaitable[object]]
) -> None:
    pause_s, told = _LOOK_S, ""
    while (trouble := await _try_start(server, observer)) is not None:
        if trouble != told:
            told = trouble
            observer.observe(_warning(server, f"is not back yet: {trouble}"))
        await pause(pause_s)
        pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)


async def _try_start(server: Restartable, observer: Observer) -> str | None:
    """Give what keeps the server from starting, or None when it runs."""
    try:
        await asyncio.to_thread(server.start_again)
    except VmkError as error:
        return f"{error.message} {error.hint}"
    except OSError as error:
        return f"Its files cannot be used: {error.strerror or 'the system refuses'}."
    except Exception as bug:  # noqa: BLE001 (nobody awaits the outcome, and the next try may go well)
        observer.observe(Crashed("", bug))
        return "This is a fault of vmk-mcp itself; the log says more."
    return None


def _warning(server: Restartable, what: str) -> Warned:
    return Warned("database", f"The {server.title} {what}")
