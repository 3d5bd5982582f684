"""One statement on its way: through the guard, the planner and the database, within the time of one call."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import msgspec
from msgspec import Struct

from vmk_mcp.ask.guard import CheckedSelect, GuardLimits, PlanVerdict, check, check_plan
from vmk_mcp.ask.model import Refusal
from vmk_mcp.ask.ports import AskStore, Selected, Snapshot

_EXPLAIN_WITHIN_S: Final = 1.0
_LEAST_S: Final = 0.1
_CHECKED_AT_ONCE: Final = 4_096
"""Characters; a statement of less takes the guard milliseconds."""


class Budget:
    """The time of one call; what passes in `paused` does not count."""

    def __init__(self, timeout_s: float, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._started = clock()
        self._deadline = self._started + timeout_s

    @property
    def left_s(self) -> float:
        """Seconds that are left, never quite none: what starts too late then ends at once."""
        return max(_LEAST_S, self._deadline - self._clock())

    @property
    def elapsed_ms(self) -> float:
        """Milliseconds since the start, the paused ones included."""
        return round((self._clock() - self._started) * 1000, 1)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Stop the time for the block."""
        before = self._clock()
        try:
            yield
        finally:
            self._deadline += self._clock() - before


class Tried(Struct, frozen=True):
    """How far a statement came.

    Attributes:
        sql: as the guard wrote it down, or as it was proposed where it did not pass; None: nothing was.
        refusal: why it did not come further, or None.
        plan: the planner's, decoded.
        selected: what it gave, where it was run.
    """

    sql: str | None
    refusal: Refusal | None = None
    plan: object = None
    verdict: PlanVerdict | None = None
    checked: CheckedSelect | None = None
    selected: Selected | None = None


class Trial:
    """Takes statements as far as they come, in one source as it was at the start of a call."""

    def __init__(self, snapshot: Snapshot, store: AskStore, limits: GuardLimits, budget: Budget) -> None:
        self.asked = snapshot.asked
        self.budget = budget
        self._behind = snapshot.behind
        self._store = store
        self._limits = limits

    async def judge(self, sql: str) -> Tried:
        """Take a statement through the guard and the planner; nothing is run."""
        checked = await self._check(sql)
        if isinstance(checked, Refusal):
            return Tried(sql, checked)
        plan: Any = await self._store.explain(checked, min(_EXPLAIN_WITHIN_S, self.budget.left_s))
        if isinstance(plan, Refusal):
            return Tried(checked.sql, plan)
        verdict = check_plan(plan, checked, self._limits, self._behind)
        if isinstance(verdict, Refusal):
            return Tried(checked.sql, verdict, plan)
        return Tried(checked.sql, plan=plan, verdict=verdict, checked=checked)

    async def _check(self, sql: str) -> CheckedSelect | Refusal:
        if len(sql) < _CHECKED_AT_ONCE:
            return check(sql, self.asked.schema, self._limits)
        # Tenths of a second, in which other calls go on.
        return await asyncio.to_thread(check, sql, self.asked.schema, self._limits)

    async def run(self, sql: str) -> Tried:
        """Run a statement that passes both."""
        judged = await self.judge(sql)
        if judged.checked is None:
            return judged
        selected = await self._store.run(judged.checked, self.budget.left_s)
        if isinstance(selected, Refusal):
            return msgspec.structs.replace(judged, refusal=selected)
        return msgspec.structs.replace(judged, selected=selected)
