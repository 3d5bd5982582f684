"""What befell the calls of a soak: who may fail when, what failed all the same, and the summary."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Final

from msgspec import Struct, field

_AFTERMATH_S: Final = 0.5
"""A call may have begun to fail just before the probe found all well."""
_MOST_COMPLAINTS: Final = 40


class Episode(Struct):
    """One fault, from its beginning until all is found well again.

    Attributes:
        kind: its name.
        tools: those that may fail.
        excuses: codes of errors that calls of these may meet meanwhile.
        began: seconds of the monotonic clock.
        ended: the same; infinite as long as it lasts.
        met: outcomes of the calls that it excused.
    """

    kind: str
    tools: frozenset[str]
    excuses: frozenset[str]
    began: float
    ended: float = float("inf")
    met: Counter[str] = field(default_factory=Counter)


class Ledger:
    """Books every call and every fault.

    Attributes:
        complaints: whatever should not have been, in sentences; empty after a good run.
        calls: how many calls of each tool had each outcome.
    """

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self.calls: dict[str, Counter[str]] = defaultdict(Counter)
        self.notes: list[str] = []
        self._episodes: list[Episode] = []
        self._lasting: list[float] = []
        self._started = time.monotonic()

    @contextmanager
    def episode(self, kind: str, tools: frozenset[str], excuses: frozenset[str]) -> Iterator[None]:
        """Excuse calls of `tools` that meet one of the codes `excuses` until the end of the block."""
        episode = Episode(kind, tools, excuses, time.monotonic())
        self._episodes.append(episode)
        try:
            yield
        finally:
            episode.ended = time.monotonic() + _AFTERMATH_S

    def book(self, tool: str, outcome: str, began: float) -> None:
        """Book a call that was answered rightly, or turned away with the time to wait."""
        self.calls[tool][outcome] += 1
        self._lasting.append(time.monotonic() - began)

    def book_failure(self, tool: str, code: str, began: float, told: str) -> None:
        """Book a named failure; one that no fault explains is complained of."""
        self.book(tool, code, began)
        for episode in reversed(self._episodes):
            if episode.ended >= began and code in episode.excuses and tool in episode.tools:
                episode.met[code] += 1
                return
        self.complain(f"{tool} failed with {code} while no fault explains it: {told[:400]}")

    def complain(self, sentence: str) -> None:
        """Take note of what should not have been."""
        if len(self.complaints) < _MOST_COMPLAINTS:
            self.complaints.append(f"{time.monotonic() - self._started:.1f} s: {sentence}")

    def count(self) -> int:
        """Give how many calls were booked."""
        return len(self._lasting)

    def struck(self) -> Counter[str]:
        """Give how often each fault struck."""
        return Counter(episode.kind for episode in self._episodes)

    def summary(self) -> str:
        """Give all of it in lines for people."""
        lines = [f"{self.count()} calls in {time.monotonic() - self._started:.0f} s"]
        lines += [f"  {tool}: {_list(outcomes)}" for tool, outcomes in sorted(self.calls.items())]
        if self._lasting:
            slowest = sorted(self._lasting)
            at_99 = slowest[len(slowest) * 99 // 100]
            lines.append(f"  p50 {median(slowest):.3f} s, p99 {at_99:.3f} s, slowest {slowest[-1]:.2f} s")
        lines.append("faults, seconds until all was well again, and what calls met meanwhile")
        for kind in sorted(self.struck()):
            same = [episode for episode in self._episodes if episode.kind == kind]
            took = sorted(episode.ended - _AFTERMATH_S - episode.began for episode in same)
            met = sum((episode.met for episode in same), Counter[str]())
            lines.append(
                f"  {kind}: {len(same)} times, {median(took):.1f} s, at most {took[-1]:.1f} s; {_list(met)}"
            )
        return "\n".join([*lines, *self.notes])


def _list(outcomes: Counter[str]) -> str:
    return ", ".join(f"{outcome} {count}" for outcome, count in outcomes.most_common()) or "nothing"
