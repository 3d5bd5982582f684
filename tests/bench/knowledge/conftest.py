"""One run of the knowledge bench for all its tests; its page is written whatever they say of it."""

import asyncio
import os
from pathlib import Path
from typing import Final

import pytest

import vmk_mcp
from tests.bench.knowledge.far_embedder import measure_far_indexing
from tests.bench.knowledge.figures import Figures
from tests.bench.knowledge.generated import write_folder
from tests.bench.knowledge.page import write_page
from tests.bench.knowledge.questions import read_questions
from tests.bench.knowledge.retrieval import CHUNKINGS, measure_retrieval
from tests.bench.knowledge.stores import STORES, measure_searching
from tests.integration.servers import open_folder, quiet, started
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.pool import PoolLimits
from vmk_mcp.database.prepare import prepare_database
from vmk_mcp.database.scripts import STATE
from vmk_mcp.database.state import StateDatabase

# A full run takes half an hour on two quiet cores; a tenth of it shows whether anything broke.
_FULL: Final = (2_000, 100_000)
FILES: Final = int(os.environ.get("BENCH_FILES") or 200)
CHUNKS: Final = int(os.environ.get("BENCH_CHUNKS") or 10_000)
_PAGE: Final = pytest.StashKey[str]()
_SAMPLE: Final = Path(vmk_mcp.__file__).parent / "sample" / "documents"
_RESULTS: Final = Path(__file__).parents[1] / "RESULTS-knowledge.md"


@pytest.fixture(scope="session")
def knowledge_figures(request: pytest.FixtureRequest) -> Figures:
    """The figures of this run, with `BENCH_FILES` files and `BENCH_CHUNKS` chunks."""
    with open_folder() as folder:
        figures = asyncio.run(_measure(folder))
    page = write_page(figures)
    request.config.stash[_PAGE] = page
    # The page beside this folder is of the full size; other sizes are for the one who asked for them.
    if (FILES, CHUNKS) == _FULL:
        _RESULTS.write_text(page, "utf-8")
    return figures


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Show the page of this run, if there was one."""
    if _PAGE in config.stash:
        terminalreporter.write_line(config.stash[_PAGE])


async def _measure(folder: Path) -> Figures:
    generated = folder / "generated"
    generated.mkdir()
    folders = ((_SAMPLE, read_questions()), (generated, write_folder(generated, FILES)))
    with started(folder / "server") as server:
        await prepare_database(server, STATE, quiet)
        database = StateDatabase(server.dsn(Role.WRITER, STATE.database), limits=PoolLimits(4, 600))
        await database.open()
        try:
            searches = [await measure_searching(one, CHUNKS, database, folder / one) for one in STORES]
            retrievals = [
                await measure_retrieval(database, root, questions, chunking)
                for root, questions in folders
                for chunking in CHUNKINGS
            ]
            far = await measure_far_indexing(database, generated)
        finally:
            await database.close()
    return Figures(tuple(retrievals), far, tuple(searches))
