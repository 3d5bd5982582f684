"""The ask family's one service: a question or a statement, the guard, and rows."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct

from vmk_mcp.ask.guard import GuardLimits
from vmk_mcp.ask.model import Draft, Refusal
from vmk_mcp.ask.ports import AskedQuery, AskStore, Drafter, QueryRecorder, Snapshot, SnapshotReader
from vmk_mcp.ask.results import AskAnswer, Explained, SchemaShown
from vmk_mcp.ask.showing import show_answer, show_plan, show_schema
from vmk_mcp.ask.trying import Budget, Trial, Tried
from vmk_mcp.errors import InvalidArguments, NotFound, NotOffered, TooSlow, VmkError
from vmk_mcp.observe import Observer, StatementJudged
from vmk_mcp.tool import ALL, Caller, Readiness

NO_BACKEND: Final = "none"
"""Of a statement that the caller brought along."""
_RUN: Final = "ok"
_TIME_IS_UP: Final = "timeout"


class AskRules(Struct, frozen=True):
    """Limits of a call.

    Attributes:
        timeout_s: of one call, the drafter's time apart.
        repair_tries: how often a refused draft goes back to the drafter.
        clock: seconds that never go back.
        now: the time of day, for the log.
    """

    timeout_s: float
    repair_tries: int
    clock: Callable[[], float]
    now: Callable[[], datetime]


class OfferedSource(Struct, frozen=True):
    """A database that may be asked.

    Attributes:
        needs_all_towns: only a caller for all towns may ask it.
    """

    name: str
    reader: SnapshotReader
    store: AskStore
    limits: GuardLimits
    needs_all_towns: bool = False


class Outside(Struct, frozen=True):
    """What the service needs beside its sources."""

    drafter: Drafter
    recorder: QueryRecorder
    observer: Observer


class _Call(Struct, frozen=True):
    tool: str
    source: OfferedSource
    caller: Caller
    question: str
    backend: str


async def _find_trouble(source: OfferedSource) -> str | None:
    """Say why a source cannot be asked right now, or None."""
    try:
        await source.reader.check()
    except VmkError as error:
        return f"{source.name}: {error.message}"
    return None


async def _read(source: OfferedSource, budget: Budget) -> Snapshot:
    try:
        async with asyncio.timeout(budget.left_s):
            return await source.reader.get()
    except TimeoutError:
        raise TooSlow(
            f"The source {source.name} is still being read for the first time.",
            hint="Try again in a few seconds.",
        ) from None


class AskService:
    """Answers the family's tools; the first source is the default.

    Every method raises `NotFound` for a source that is not there or not open to the caller, and
    `StoreUnavailable` or `NotOffered` where one cannot be had at the moment.
    """

    def __init__(
        self, sources: Sequence[OfferedSource], outside: Outside, rules: AskRules, troubles: Mapping[str, str]
    ) -> None:
        """Join the ports; `troubles` says of each source that was asked for and is not there why."""
        self._sources = {source.name: source for source in sources}
        self._outside = outside
        self._rules = rules
        self._troubles = dict(troubles)

    async def readiness(self) -> Readiness:
        """Say how the family stands now; never raises `VmkError`."""
        troubles = [f"{name}: {reason}" for name, reason in self._troubles.items()]
        found = await asyncio.gather(*map(_find_trouble, self._sources.values()))
        reasons = (*troubles, *(trouble for trouble in found if trouble))
        served = sum(trouble is None for trouble in found)
        status = "unavailable" if not served else "degraded" if reasons else "ok"
        return Readiness(status, reasons)

    async def list_schema(self, source: str | None, caller: Caller) -> SchemaShown:
        """Give the relations that are open to asking."""
        snapshot = await self._find(source, caller).reader.get()
        return show_schema(snapshot.asked.schema)

    async def ask(self, question: str, source: str | None, caller: Caller) -> AskAnswer:
        """Have a statement drafted, and run it if the guard lets it through."""
        if not question.strip():
            raise InvalidArguments("The question is empty.", hint="Ask in plain words.", field="question")
        backend = self._outside.drafter.backend
        call = _Call("ask", self._find(source, caller), caller, question, backend)
        tried, elapsed_ms = await self._try(call, lambda trial: self._draft_and_run(question, trial))
        return show_answer(tried, backend=backend, elapsed_ms=elapsed_ms)

    async def run_sql(self, sql: str, source: str | None, caller: Caller) -> AskAnswer:
        """Run a statement that the caller wrote, if the guard lets it through."""
        call = _Call("run_sql", self._find(source, caller), caller, "", NO_BACKEND)
        tried, elapsed_ms = await self._try(call, lambda trial: trial.run(sql))
        return show_answer(tried, backend=NO_BACKEND, elapsed_ms=elapsed_ms)

    async def explain_sql(self, sql: str, source: str | None, caller: Caller) -> Explained:
        """Give the verdict on a statement that the caller wrote, and its plan; nothing is run."""
        call = _Call("explain_sql", self._find(source, caller), caller, "", NO_BACKEND)
        tried, elapsed_ms = await self._try(call, lambda trial: trial.judge(sql))
        return show_plan(tried, elapsed_ms=elapsed_ms)

    def _find(self, name: str | None, caller: Caller) -> OfferedSource:
        open_ones = {
            source.name: source
            for source in self._sources.values()
            if caller.towns == ALL or not source.needs_all_towns
        }
        if not open_ones:
            reasons = " ".join(f"{name}: {reason}" for name, reason in self._troubles.items())
            raise NotOffered("No source can be asked here.", hint=reasons)
        if name is None:
            return next(iter(open_ones.values()))
        if name not in open_ones:
            trouble = self._troubles.get(name)
            raise NotFound(
                f"The source {name!r} cannot be asked: {trouble}"
                if trouble
                else f"There is no source {name!r}.",
                hint=f"Take one of: {', '.join(open_ones)}.",
                field="source",
            )
        return open_ones[name]

    async def _try(self, call: _Call, work: Callable[[Trial], Awaitable[Tried]]) -> tuple[Tried, float]:
        """Do the work of a call, and have it logged however it ends."""
        budget = Budget(self._rules.timeout_s, self._rules.clock)
        source = call.source
        try:
            trial = Trial(await _read(source, budget), source.store, source.limits, budget)
            tried = await work(trial)
        except VmkError as error:
            await self._record(call, Tried(None, Refusal(error.code, error.message)), budget.elapsed_ms)
            raise
        elapsed_ms = budget.elapsed_ms
        await self._record(call, tried, elapsed_ms)
        return tried, elapsed_ms

    async def _draft_and_run(self, question: str, trial: Trial) -> Tried:
        refused: tuple[Draft, Refusal] | None = None
        for left in reversed(range(self._rules.repair_tries + 1)):
            with trial.budget.paused():
                draft = await self._outside.drafter.draft(question, trial.asked, refused)
            if isinstance(draft, Refusal):
                return Tried(refused[0].sql if refused else None, draft)
            tried = await trial.run(draft.sql)
            if tried.refusal is None or tried.refusal.code == _TIME_IS_UP or not left:
                break
            refused = draft, tried.refusal
        return tried

    async def _record(self, call: _Call, tried: Tried, elapsed_ms: float) -> None:
        code = tried.refusal.code if tried.refusal else ""
        self._outside.observer.observe(StatementJudged(call.tool, call.source.name, code or _RUN))
        await self._outside.recorder.record(
            AskedQuery(
                asked_at=self._rules.now(),
                token=call.caller.name,
                source=call.source.name,
                tool=call.tool,
                question=call.question,
                sql=tried.sql or "",
                backend=call.backend,
                rejected=tried.refusal is not None,
                reason_code=code,
                row_count=len(tried.selected.rows) if tried.selected else 0,
                elapsed_ms=elapsed_ms,
            )
        )
