"""One run of the search part for all its tests; its page is written whatever they say of it."""

import os
from pathlib import Path
from typing import Final

import pytest

from tests.bench.search.measure import SearchFigures, measure_search
from tests.bench.search.page import write_page

_ROWS: Final = 100_000
_PAGE: Final = pytest.StashKey[str]()
_RESULTS: Final = Path(__file__).parent.with_name("RESULTS-search.md")


@pytest.fixture(scope="session")
def search_figures(request: pytest.FixtureRequest) -> SearchFigures:
    """The figures of this run, with `BENCH_ROWS` listings or 100,000."""
    if not Path("/proc/self/schedstat").exists():
        pytest.skip("the CPU time of another process is read from Linux's /proc")
    rows = int(os.environ.get("BENCH_ROWS") or _ROWS)
    found = measure_search(rows)
    page = write_page(found)
    request.config.stash[_PAGE] = page
    if rows == _ROWS:
        _RESULTS.write_text(page, "utf-8")
    return found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Show the page of this run, if there was one."""
    if _PAGE in config.stash:
        terminalreporter.write_line(config.stash[_PAGE])
