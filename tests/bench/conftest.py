"""One run of the whole bench for all its tests; its report is written whatever they say of it."""

import asyncio
import os
from pathlib import Path
from typing import Final

import pytest

from tests.bench.figures import Figures
from tests.bench.measure import ROUNDS, ROUNDS_OF_OTHERS, measure
from tests.bench.report import write_report
from tests.bench.turns import CONCURRENCY
from tests.integration.servers import open_folder
from vmk_mcp.sample.listings import SAMPLE_COUNT

_REPORT: Final = pytest.StashKey[str]()
_RESULTS: Final = Path(__file__).with_name("RESULTS.md")


@pytest.fixture(scope="session")
def figures(request: pytest.FixtureRequest) -> Figures:
    """The figures of this run, with `BENCH_ROWS` listings or those of the sample."""
    if not Path("/proc/self/schedstat").exists():
        pytest.skip("the CPU time of another process is read from Linux's /proc")
    rows = int(os.environ.get("BENCH_ROWS") or SAMPLE_COUNT)
    with open_folder() as folder:
        found = asyncio.run(measure(folder, rows))
    report = write_report(found, concurrency=CONCURRENCY, rounds=ROUNDS, others_rounds=ROUNDS_OF_OTHERS)
    request.config.stash[_REPORT] = report
    # The report beside this module is of the sample; other sizes are for the one who asked for them.
    if rows == SAMPLE_COUNT:
        _RESULTS.write_text(report, "utf-8")
    return found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Show the report of this run, if there was one."""
    if _REPORT in config.stash:
        terminalreporter.write_line(config.stash[_REPORT])
