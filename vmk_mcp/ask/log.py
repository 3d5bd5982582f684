"""The query log: calls are taken at once and written in the background, none lost on a clean stop."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.ask.ports import AskedQuery
from vmk_mcp.database.query import load_query
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.errors import VmkError
from vmk_mcp.observe import Observer, Warned

_MOST_WAITING: Final = 1_000
_MOST_AT_ONCE: Final = 100
_LONGEST_TEXT: Final = 64 * 1024
# While the state database is away, calls go on; those that find no place any more are counted as lost.
_WAIT_FOR_PLACE_S: Final = 0.5
_PAUSES_S: Final = (0.5, 1.0, 2.0, 5.0)
_STOP_WITHIN_S: Final = 5.0


class _Written(Struct, frozen=True):
    id: int


class _Since(Struct, frozen=True):
    since: datetime | None


class _Verdicts(Struct, frozen=True):
    reason_code: str
    queries: int


class RejectionReport(Struct, frozen=True):
    """How many calls were rejected, and why; the rate is 0 where there were none."""

    total_queries: int
    rejected: int
    accepted: int
    rejection_rate: float
    rejected_by_reason: Mapping[str, int]


_WRITE: Final = load_query("ask/write_query", row=_Written)
_REPORT: Final = load_query("ask/report_rejections", row=_Verdicts)


class PostgresQueryLog:
    """See `QueryRecorder`; open it before the first call, close it after the last."""

    def __init__(
        self, database: StateDatabase, observer: Observer, *, stop_within_s: float = _STOP_WITHIN_S
    ) -> None:
        """Describe the log; `close` waits at most `stop_within_s` for what is still to be written."""
        self._stop_within_s = stop_within_s
        self._database = database
        self._observer = observer
        self._waiting: asyncio.Queue[AskedQuery] = asyncio.Queue(_MOST_WAITING)
        self._writing: asyncio.Task[None] | None = None
        self._asked = 0
        self._kept = 0
        self.trouble = ""
        """Why nothing can be put on record, as `check` found; else empty."""

    async def open(self) -> None:
        """Begin to write."""
        self._writing = asyncio.create_task(self._write_on())

    async def close(self) -> None:
        """Write what is still waiting, for a few seconds at most, and end."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._stop_within_s):
                await self._waiting.join()
        if self._writing is not None:
            self._writing.cancel()
            await asyncio.wait([self._writing])
        if lost := self._asked - self._kept:
            self._observer.observe(
                Warned("query log", f"{lost} calls are not on record: the state database was away.")
            )

    async def record(self, query: AskedQuery) -> None:
        """See `QueryRecorder.record`."""
        self._asked += 1
        with suppress(TimeoutError):
            async with asyncio.timeout(_WAIT_FOR_PLACE_S):
                await self._waiting.put(query)

    async def check(self, now: datetime) -> None:
        """See whether the tables are there, and warn where they are not; never raises `VmkError`."""
        try:
            await self.report(now)
            self.trouble = ""
        except VmkError as error:
            self.trouble = f"Nothing that is asked is put on record: {error.message}"
            self._observer.observe(Warned("query log", self.trouble))

    async def report(self, since: datetime | None) -> RejectionReport:
        """Count calls since a moment, or all; raises `StoreUnavailable`."""
        verdicts = await self._database.fetch_all(_REPORT, _Since(since))
        return summarize_verdicts({one.reason_code: one.queries for one in verdicts})

    async def _write_on(self) -> None:
        while True:
            batch = [await self._waiting.get()]
            while len(batch) < _MOST_AT_ONCE and not self._waiting.empty():
                batch.append(self._waiting.get_nowait())
            await self._write(batch)
            for _ in batch:
                self._waiting.task_done()

    async def _write(self, batch: Sequence[AskedQuery]) -> None:
        """Write a batch, however often it takes."""
        rows = [_storable(query) for query in batch]
        tries = 0
        while True:
            try:
                await self._database.write_all(_WRITE, rows)
            except VmkError as error:
                if not error.retryable:
                    self._observer.observe(Warned("query log", error.message))
                    return
                await asyncio.sleep(_PAUSES_S[min(tries, len(_PAUSES_S) - 1)])
                tries += 1
            else:
                self._kept += len(batch)
                return


def summarize_verdicts(verdicts: Mapping[str, int]) -> RejectionReport:
    """Sum up counts by reason code, "" standing for what was run."""
    total = sum(verdicts.values())
    accepted = verdicts.get("", 0)
    rejected = {code: count for code, count in verdicts.items() if code}
    return RejectionReport(
        total_queries=total,
        rejected=total - accepted,
        accepted=accepted,
        rejection_rate=round((total - accepted) / total, 4) if total else 0.0,
        rejected_by_reason=rejected,
    )


def _storable(query: AskedQuery) -> AskedQuery:
    """Give a call whose texts Postgres can hold."""
    return msgspec.structs.replace(
        query, question=_storable_text(query.question), sql=_storable_text(query.sql)
    )


def _storable_text(text: str) -> str:
    shortened = text[:_LONGEST_TEXT].replace("\0", "\N{REPLACEMENT CHARACTER}")
    return shortened.encode("utf-8", "replace").decode()
