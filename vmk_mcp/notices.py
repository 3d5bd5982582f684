"""Log notifications: what a client of its own process is told of what happens there (beside stdio)."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, get_args

from vmk_mcp.observe import (
    CallFinished,
    Crashed,
    EmbedderChanged,
    Event,
    QueryFailed,
    StoreChanged,
    Warned,
)
from vmk_mcp.protocol.results import log_notification
from vmk_mcp.protocol.work import LogLevel

WriteLine = Callable[[bytes], Awaitable[None]]
"""Writes one message; raises `ConnectionError` once nobody reads."""

_Notice = tuple[LogLevel, str, Mapping[str, object]]
"""Level, logger and content of one notification."""

_RANKS: Final[Mapping[LogLevel, int]] = {level: rank for rank, level in enumerate(get_args(LogLevel))}
# A client that reads slowly is told of the latest; what happened long ago stands in the log on stderr.
_MOST_WAITING: Final = 256


class LogNotices:
    """An observer that hands events on to a client, from the level on that it asked for.

    Before `logging/setLevel` nothing is sent: most clients have no use for it. No notice holds a query, a
    token's secret or a traceback.
    """

    def __init__(self) -> None:
        self._least: int | None = None
        self._waiting: deque[bytes] = deque(maxlen=_MOST_WAITING)
        self._filled = asyncio.Event()

    def set_level(self, level: LogLevel) -> None:
        """Send what is of `level` or above from now on."""
        self._least = _RANKS[level]

    def observe(self, event: Event) -> None:
        """See `Observer.observe`."""
        if self._least is None or (notice := _notice_of(event)) is None:
            return
        level, logger, content = notice
        if _RANKS[level] >= self._least:
            self._waiting.append(log_notification(level, logger, content))
            self._filled.set()

    async def send(self, write_line: WriteLine) -> None:
        """Write what comes, until cancelled or until nobody reads (`ConnectionError`)."""
        while True:
            await self._filled.wait()
            self._filled.clear()
            while self._waiting:
                await write_line(self._waiting.popleft())


def _notice_of(event: Event) -> _Notice | None:
    notice: _Notice | None = None
    match event:
        case CallFinished(tool=tool, method=method, code=code, elapsed_s=elapsed_s):
            took_ms = round(elapsed_s * 1000, 1)
            notice = "debug", "call", {"method": method, "tool": tool, "code": code, "elapsed_ms": took_ms}
        case Warned(subject=subject, message=message):
            notice = "warning", subject, {"message": message}
        case StoreChanged(store=store, reachable=reachable):
            notice = _level_of(reachable=reachable), "store", {"store": store, "reachable": reachable}
        case EmbedderChanged(model=model, reachable=reachable):
            notice = _level_of(reachable=reachable), "embedder", {"model": model, "reachable": reachable}
        case QueryFailed(query=query, code=code):
            notice = "warning", "database", {"query": query, "code": code}
        case Crashed(request_id=request_id):
            notice = "error", "fault", {"message": "internal error", "request_id": request_id}
        case _:
            pass  # told with the call that it belongs to, or of no use to a client
    return notice


def _level_of(*, reachable: bool) -> LogLevel:
    return "info" if reachable else "warning"
