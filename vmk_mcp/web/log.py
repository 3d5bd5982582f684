"""The log on stderr: one JSON line a call, written straight from a struct, and structlog for the rest."""

import asyncio
import contextlib
import re
import time
import weakref
from collections.abc import Callable
from functools import cache
from typing import BinaryIO, Final, cast

import msgspec
import orjson
import structlog
from msgspec import Struct

from vmk_mcp.observe import (
    CallFinished,
    Crashed,
    Embedded,
    Event,
    QueryFailed,
    StatementJudged,
    StoreChanged,
    Warned,
)

_FLUSH_AFTER_S: Final = 0.05
_FLUSH_ABOVE_BYTES: Final = 64 * 1024
# A client may send as many unknown arguments as a body holds; a log line stays a line.
_NAMES: Final = 16
_NAME_LENGTH: Final = 64


class _CallLine(Struct, frozen=True, omit_defaults=True):
    """A call as the log shows it; times in milliseconds."""

    timestamp: str
    level: str
    event: str
    request_id: str
    token: str
    method: str
    tool: str
    code: str
    status: int
    elapsed_ms: float
    stages_ms: dict[str, float]
    rows: int
    dropped: tuple[str, ...] = ()
    traceparent: str = ""
    query: str = ""


class LineBuffer:
    """Lines for a binary stream, written together at most 50 ms later.

    One system call for the lines of many calls: under load that is half the price of logging.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._waiting = bytearray()
        self._due: asyncio.TimerHandle | None = None
        # What waits when the buffer or the process ends is written then.
        weakref.finalize(self, _write_out, stream, self._waiting)

    def write(self, lines: bytes) -> None:
        """Take whole lines; outside an event loop they are written at once."""
        self._waiting += lines
        if self._due is not None and len(self._waiting) < _FLUSH_ABOVE_BYTES:
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.flush()
            return
        if len(self._waiting) >= _FLUSH_ABOVE_BYTES:
            self.flush()
        else:
            self._due = loop.call_later(_FLUSH_AFTER_S, self.flush)

    def flush(self) -> None:
        """Write what is waiting."""
        if self._due is not None:
            self._due.cancel()
            self._due = None
        _write_out(self._stream, self._waiting)


class _UtcStamp:
    """Times as ISO 8601 in UTC with milliseconds; the part before them is made once a second."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._second = -1
        self._text = ""

    def __call__(self) -> str:
        now_s = self._now()
        second = int(now_s)
        if second != self._second:
            self._second = second
            self._text = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
        return f"{self._text}.{int((now_s - second) * 1000):03d}Z"


class LogObserver:
    """Writes events as JSON lines; never a token, a contact, or a query that the operator did not ask for."""

    def __init__(
        self, lines: LineBuffer, *, shows_queries: bool, now: Callable[[], float] = time.time
    ) -> None:
        """Write to `lines`; `now` gives seconds since the epoch."""
        self._lines = lines
        self._shows_queries = shows_queries
        self._away: set[str] = set()
        self._encode: Final = msgspec.json.Encoder().encode
        self._stamp = _UtcStamp(now)
        self._log: structlog.typing.FilteringBoundLogger = structlog.wrap_logger(
            structlog.BytesLogger(cast(BinaryIO, lines)),  # it needs no more of a file than write and flush
            processors=[
                structlog.processors.add_log_level,
                self._add_timestamp,
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(serializer=_to_json),
            ],
            wrapper_class=structlog.make_filtering_bound_logger(0),
        )

    def observe(self, event: Event) -> None:
        """Write `event`."""
        if isinstance(event, CallFinished):
            self._lines.write(self._encode(self._call_line(event)) + b"\n")
        else:
            self._write_rare(event)

    def _call_line(self, call: CallFinished) -> _CallLine:
        stages = call.stages
        return _CallLine(
            self._stamp(),
            "info",
            "call",
            call.request_id,
            call.token,
            call.method,
            call.tool,
            call.code,
            call.status,
            _milliseconds(call.elapsed_s),
            {stage: _milliseconds(seconds) for stage, seconds in stages.items()} if stages else stages,
            call.rows,
            tuple(name[:_NAME_LENGTH] for name in call.dropped[:_NAMES]),
            call.traceparent,
            call.query if self._shows_queries else "",
        )

    def _write_rare(self, event: Event) -> None:
        if isinstance(event, Embedded | StatementJudged):
            return  # each call's own line has the time that it took; verdicts are counted
        if isinstance(event, StoreChanged) and not self._is_news(event):
            return
        if isinstance(event, Crashed):
            self._log.error("crashed", request_id=event.request_id, exc_info=event.error)
            return
        is_bad = isinstance(event, Warned | QueryFailed) or getattr(event, "reachable", True) is False
        write = self._log.warning if is_bad else self._log.info
        write(_snake_case(type(event).__name__), **msgspec.structs.asdict(event))

    def _is_news(self, event: StoreChanged) -> bool:
        """A store that answers is news only after it did not."""
        was_away = event.store in self._away
        change = self._away.discard if event.reachable else self._away.add
        change(event.store)
        return was_away or not event.reachable

    def _add_timestamp(
        self, _logger: object, _method: str, fields: structlog.typing.EventDict
    ) -> structlog.typing.EventDict:
        return {"timestamp": self._stamp(), **fields}


def _write_out(stream: BinaryIO, waiting: bytearray) -> None:
    if waiting and not stream.closed:
        lines = bytes(waiting)
        waiting.clear()
        # A log that nobody can read any more is no reason to stop serving, and there is no place to say so.
        with contextlib.suppress(OSError):
            stream.write(lines)
            stream.flush()


@cache
def _snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _to_json(fields: structlog.typing.EventDict, **_: object) -> bytes:
    # structlog hands over json.dumps' own options as well; orjson has no use for them.
    return orjson.dumps(fields, default=str)


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)
