"""A service over a real database: real guard, store and source; a played drafter, and the log in memory."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime

from msgspec import Struct

from tests.fakes import RecordingObserver
from vmk_mcp.ask.guard import GuardLimits
from vmk_mcp.ask.model import AskedSource, Draft, Refusal
from vmk_mcp.ask.ports import AskedQuery, Drafter
from vmk_mcp.ask.service import AskRules, AskService, OfferedSource, Outside
from vmk_mcp.ask.sources.catalog import PostgresCatalog
from vmk_mcp.ask.sources.files import SourceFile
from vmk_mcp.ask.sources.live import Calendar, LiveSource
from vmk_mcp.ask.store import PostgresAskStore
from vmk_mcp.database.ask_connections import AskLogin
from vmk_mcp.database.asking import AskedDatabase
from vmk_mcp.database.selecting import SelectionLimits
from vmk_mcp.tool import ALL, Caller

CALLER = Caller(name="tester", rights=frozenset({"ask", "ask.run_sql", "ask.explain_sql"}), towns=ALL)


class ObedientDrafter:
    """Proposes whatever it was told last, whatever the question: a model that an attacker has won over."""

    backend = "obedient"

    def __init__(self) -> None:
        self.says: list[Draft | Refusal] = []
        self.refused: list[tuple[Draft, Refusal] | None] = []

    async def draft(
        self, question: str, source: AskedSource, refused: tuple[Draft, Refusal] | None
    ) -> Draft | Refusal:
        """See `Drafter.draft`."""
        self.refused.append(refused)
        return self.says.pop(0) if len(self.says) > 1 else self.says[0]


class MemoryLog:
    """See `QueryRecorder`."""

    def __init__(self) -> None:
        self.queries: list[AskedQuery] = []

    async def record(self, query: AskedQuery) -> None:
        """See `QueryRecorder.record`."""
        self.queries.append(query)


class AskedCity(Struct, frozen=True):
    """The parts of a service that a test looks at."""

    service: AskService
    database: AskedDatabase
    source: LiveSource
    drafter: ObedientDrafter
    log: MemoryLog
    observer: RecordingObserver


@asynccontextmanager
async def open_city(
    dsn: str, *, file: SourceFile | None = None, timeout_s: float = 10.0, drafter: Drafter | None = None
) -> AsyncIterator[AskedCity]:
    """Open the service over the database at `dsn`, and close its connections at the end.

    With another `drafter` the obedient one is asked nothing.
    """
    observer, obedient, log = RecordingObserver(), ObedientDrafter(), MemoryLog()
    database = AskedDatabase("city", AskLogin(dsn), size=4, observer=observer)
    calendar = Calendar(time.monotonic, lambda: date(2026, 11, 15))
    source = LiveSource("city", file or SourceFile(), PostgresCatalog(database), calendar)
    store = PostgresAskStore(database, SelectionLimits())
    service = AskService(
        [OfferedSource("city", source, store, GuardLimits())],
        Outside(drafter or obedient, log, observer),
        AskRules(timeout_s, 1, time.monotonic, lambda: datetime(2026, 11, 15, tzinfo=UTC)),
        {},
    )
    try:
        yield AskedCity(service, database, source, obedient, log, observer)
    finally:
        await source.close()
        await database.close()


def values(rows: Sequence[dict[str, object]]) -> list[list[object]]:
    """Give the rows without the names of their columns."""
    return [list(row.values()) for row in rows]
