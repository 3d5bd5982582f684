"""What the guard takes for a query, beside what parsing it takes."""

import statistics
import time
from collections.abc import Callable
from typing import Final

import pytest
from postgast import parse

from tests.unit.ask.guard.open_city import ask_guard, read_cases
from vmk_mcp.ask.guard import CheckedSelect

MEDIAN_S: Final = 0.001
ROUNDS: Final = 5


def best_times(work: Callable[[str], object], statements: list[str]) -> list[float]:
    """Give the least time of each statement over some rounds, in seconds."""
    best = [float("inf")] * len(statements)
    for _ in range(ROUNDS):
        for place, sql in enumerate(statements):
            start = time.perf_counter()
            work(sql)
            best[place] = min(best[place], time.perf_counter() - start)
    return best


@pytest.mark.bench
def test_the_guard_takes_less_than_a_millisecond_for_the_median_query(
    capsys: pytest.CaptureFixture[str],
) -> None:
    statements = [case.sql for case in read_cases("legitimate")]
    assert all(isinstance(ask_guard(sql), CheckedSelect) for sql in statements)
    guarded, parsed = best_times(ask_guard, statements), best_times(parse, statements)
    median, ninth = statistics.median(guarded), statistics.quantiles(guarded, n=20)[18]
    with capsys.disabled():
        print(  # noqa: T201 - a bench speaks to the one who runs it
            f"\nguard: p50 {median * 1e6:.0f} us, p95 {ninth * 1e6:.0f} us; "
            f"{median / statistics.median(parsed):.1f} times PostgreSQL's own parser"
        )
    assert median < MEDIAN_S
