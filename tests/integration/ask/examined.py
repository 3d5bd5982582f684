"""Evaluations over real databases: the real service, guard and offline drafter."""

import time
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

import msgspec

from tests.fakes import RecordingObserver
from tests.integration.ask.asked import CALLER, MemoryLog
from vmk_mcp.ask.drafting.offline.drafter import OfflineDrafter
from vmk_mcp.ask.evaluation.model import Evaluation, Judged, Labelled
from vmk_mcp.ask.evaluation.running import Examination, evaluate
from vmk_mcp.ask.guard import GuardLimits
from vmk_mcp.ask.service import AskRules, AskService, OfferedSource, Outside
from vmk_mcp.ask.sources.catalog import PostgresCatalog
from vmk_mcp.ask.sources.files import SourceFile
from vmk_mcp.ask.sources.live import Calendar, LiveSource
from vmk_mcp.ask.store import PostgresAskStore
from vmk_mcp.database.ask_connections import AskLogin
from vmk_mcp.database.asking import AskedDatabase
from vmk_mcp.database.selecting import SelectionLimits

TODAY: Final = date(2026, 11, 15)
HERE: Final = Path(__file__).parent


async def examine(login: AskLogin, file: SourceFile, labelled: Sequence[Labelled]) -> Evaluation:
    """Ask all of `labelled` of the database behind `login`."""
    observer = RecordingObserver()
    database = AskedDatabase("examined", login, size=2, observer=observer)
    source = LiveSource("examined", file, PostgresCatalog(database), Calendar(time.monotonic, lambda: TODAY))
    offered = OfferedSource("examined", source, PostgresAskStore(database, SelectionLimits()), GuardLimits())
    service = AskService(
        [offered],
        Outside(OfflineDrafter(), MemoryLog(), observer),
        AskRules(10.0, 1, time.monotonic, lambda: datetime(2026, 11, 15, tzinfo=UTC)),
        {},
    )
    judged: list[Judged] = []
    try:
        return await evaluate(
            Examination(service, "examined", CALLER, TODAY, judged.append), "examined", labelled
        )
    finally:
        await database.close()


def read_lines(path: Path) -> list[Labelled]:
    """Read labelled questions from a file."""
    return [msgspec.json.decode(line, type=Labelled) for line in path.read_bytes().splitlines()]


def explain(evaluation: Evaluation) -> str:
    """Give the table of figures, and a line for each question that is not correct."""
    lines = [f"{evaluation.overall}"]
    lines += [f"{name}: {tally}" for name, tally in evaluation.by_difficulty.items()]
    lines += [
        f"{one.verdict} {one.id} {one.question} | {one.sql} | {one.explanation}"
        for one in evaluation.questions
        if one.verdict != "correct"
    ]
    return "\n".join(lines)
