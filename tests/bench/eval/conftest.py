"""One run of all labelled queries for all claims; its report is written whatever they say of it."""

import asyncio
from pathlib import Path
from typing import Final

import pytest

from tests.bench.eval.facts import read_active
from tests.bench.eval.judging import Answer, judge_all
from tests.bench.eval.modes import opened_tools
from tests.bench.eval.report import write_report
from tests.integration.servers import open_folder
from vmk_mcp.sample.listings import make_listings

_REPORT: Final = pytest.StashKey[str]()
_RESULTS: Final = Path(__file__).with_name("RESULTS.md")


@pytest.fixture(scope="session")
def answers(request: pytest.FixtureRequest) -> list[Answer]:
    """Every labelled query in every mode, judged."""
    with open_folder() as folder:
        found = asyncio.run(_judge(folder))
    report = write_report(found, len(read_active(make_listings())))
    request.config.stash[_REPORT] = report
    _RESULTS.write_text(report, "utf-8")
    return found


async def _judge(folder: Path) -> list[Answer]:
    async with opened_tools(folder / "state") as tools:
        return await judge_all(tools)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Show the report of this run, if there was one."""
    if _REPORT in config.stash:
        terminalreporter.write_line(config.stash[_REPORT])
