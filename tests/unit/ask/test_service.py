"""The service over played sources: who may ask what, tries, time, and what goes on record."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from tests.fakes import FakeClock, RecordingObserver
from tests.unit.ask.asked_source import SOURCE
from vmk_mcp.ask.guard import CheckedSelect, GuardLimits
from vmk_mcp.ask.model import AskedSource, Draft, Refusal
from vmk_mcp.ask.ports import AskedQuery, Selected, SelectedColumn, Snapshot
from vmk_mcp.ask.service import AskRules, AskService, OfferedSource, Outside
from vmk_mcp.ask.showing import tell_apart
from vmk_mcp.ask.store import PostgresAskStore
from vmk_mcp.ask.trying import Budget
from vmk_mcp.database.asking import AskedDatabase
from vmk_mcp.database.selecting import SelectionLimits
from vmk_mcp.errors import InvalidArguments, NotFound, NotOffered, StoreUnavailable, TooSlow
from vmk_mcp.observe import StatementJudged
from vmk_mcp.tool import Caller

TESTER = Caller(name="tester")
COUNTY = Caller(name="county", towns="all")
COUNT = "SELECT count(*) AS n FROM permits"
PLAN = [{"Plan": {"Node Type": "Aggregate", "Total Cost": 40.0, "Plan Rows": 1}}]


class PlayedReader:
    """See `SnapshotReader`; fails while `failure` is set."""

    failure: Exception | None = None
    is_slow = False

    async def get(self) -> Snapshot:
        """See `SnapshotReader.get`."""
        if self.is_slow:
            await asyncio.Event().wait()
        if self.failure is not None:
            raise self.failure
        return Snapshot(SOURCE)

    async def check(self) -> None:
        """See `SnapshotReader.check`."""
        await self.get()


class PlayedStore:
    """See `AskStore`; keeps what was run, and each step takes as long as it is told."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.takes_s = 0.0
        self.ran: list[str] = []
        self.allowed_s: list[float] = []
        self.plan: object = PLAN
        self.outcome: Selected | Refusal = Selected(
            (SelectedColumn("n", "bigint"),), ((7,),), truncated=False
        )

    async def explain(self, checked: CheckedSelect, within_s: float) -> object | Refusal:
        """See `AskStore.explain`."""
        self.allowed_s.append(within_s)
        self.clock.advance(self.takes_s)
        return self.plan

    async def run(self, checked: CheckedSelect, within_s: float) -> Selected | Refusal:
        """See `AskStore.run`."""
        self.allowed_s.append(within_s)
        self.ran.append(checked.sql)
        return self.outcome


class PlayedDrafter:
    """Says one thing after another, each after the same time."""

    backend = "played"

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.takes_s = 0.0
        self.says: list[Draft | Refusal] = [Draft(COUNT)]
        self.tries = 0

    async def draft(
        self, question: str, source: AskedSource, refused: tuple[Draft, Refusal] | None
    ) -> Draft | Refusal:
        """See `Drafter.draft`."""
        self.tries += 1
        self.clock.advance(self.takes_s)
        return self.says[min(self.tries, len(self.says)) - 1]


class MemoryLog:
    """See `QueryRecorder`."""

    def __init__(self) -> None:
        self.queries: list[AskedQuery] = []

    async def record(self, query: AskedQuery) -> None:
        """See `QueryRecorder.record`."""
        self.queries.append(query)


class Stage:
    """A service of two sources, the second for callers of all towns, and all that stands behind it."""

    def __init__(self, *, repair_tries: int = 1, sources: int = 2, timeout_s: float = 10.0) -> None:
        self.clock, self.reader, self.log = FakeClock(), PlayedReader(), MemoryLog()
        self.store, self.drafter = PlayedStore(self.clock), PlayedDrafter(self.clock)
        self.observer = RecordingObserver()
        both = [
            OfferedSource("city", self.reader, self.store, GuardLimits()),
            OfferedSource("county", self.reader, self.store, GuardLimits(), needs_all_towns=True),
        ]
        self.service = AskService(
            both[:sources],
            Outside(self.drafter, self.log, self.observer),
            AskRules(timeout_s, repair_tries, self.clock, lambda: datetime(2026, 11, 15, tzinfo=UTC)),
            {"spatial": "The PostGIS cluster does not run here."},
        )


@pytest.fixture
def stage() -> Stage:
    """A fresh one."""
    return Stage()


async def test_a_question_is_drafted_checked_and_run(stage: Stage) -> None:
    answer = await stage.service.ask("How many?", None, TESTER)
    assert answer.rows == [{"n": 7}]
    assert stage.store.ran == [answer.sql]
    assert (answer.rejected, answer.backend) == (False, "played")


@pytest.mark.parametrize("tries", [0, 1, 3])
async def test_a_refused_draft_is_tried_again_as_often_as_the_setting_says(tries: int) -> None:
    stage = Stage(repair_tries=tries)
    stage.drafter.says = [Draft("SELECT nope FROM permits LIMIT 1")]
    answer = await stage.service.ask("How many?", None, TESTER)
    assert stage.drafter.tries == tries + 1
    assert (answer.reason_code, stage.store.ran) == ("unknown_column", [])


async def test_a_drafter_that_gives_up_on_the_second_try_is_believed(stage: Stage) -> None:
    stage.drafter.says = [
        Draft("SELECT nope FROM permits LIMIT 1"),
        Refusal("unanswerable", "No such thing."),
    ]
    answer = await stage.service.ask("How many?", None, TESTER)
    assert (answer.reason_code, answer.rejection_reason) == ("unanswerable", "No such thing.")
    assert answer.sql == "SELECT nope FROM permits LIMIT 1"


async def test_what_postgres_refuses_goes_back_to_the_drafter_too(stage: Stage) -> None:
    stage.store.plan = Refusal("unknown_column", "Postgres finds no such column.")
    answer = await stage.service.ask("How many?", None, TESTER)
    assert (answer.reason_code, stage.drafter.tries) == ("unknown_column", 2)


async def test_after_a_timeout_no_other_draft_is_tried(stage: Stage) -> None:
    stage.store.outcome = Refusal("timeout", "It took too long.")
    answer = await stage.service.ask("How many?", None, TESTER)
    assert (answer.rejected, answer.reason_code, stage.drafter.tries) == (True, "timeout", 1)


async def test_the_drafters_time_does_not_count_and_the_planners_does(stage: Stage) -> None:
    stage.drafter.takes_s, stage.store.takes_s = 50.0, 0.75
    answer = await stage.service.ask("How many?", None, TESTER)
    assert stage.store.allowed_s == [1.0, 9.25]
    assert answer.elapsed_ms == 50_750.0


async def test_a_call_whose_time_is_up_leaves_the_next_step_next_to_nothing(stage: Stage) -> None:
    stage.store.takes_s = 60.0
    await stage.service.run_sql(COUNT, None, TESTER)
    assert stage.store.allowed_s[-1] == pytest.approx(0.1)


async def test_a_dear_plan_is_refused_before_anything_runs(stage: Stage) -> None:
    stage.store.plan = [{"Plan": {"Node Type": "Aggregate", "Total Cost": 1e9, "Plan Rows": 1}}]
    answer = await stage.service.run_sql(COUNT, None, TESTER)
    assert (answer.reason_code, stage.store.ran) == ("too_expensive", [])


async def test_the_first_source_is_the_default_and_towns_bound_the_others(stage: Stage) -> None:
    assert (await stage.service.ask("How many?", "county", COUNTY)).rejected is False
    with pytest.raises(NotFound, match="no source 'county'") as caught:
        await stage.service.ask("How many?", "county", TESTER)
    assert caught.value.hint == "Take one of: city."
    with pytest.raises(NotFound):
        await stage.service.list_schema("county", Caller(name="town", towns=frozenset({"榜头镇"})))


async def test_a_source_that_could_not_be_had_is_told_with_the_reason(stage: Stage) -> None:
    with pytest.raises(NotFound, match="PostGIS cluster does not run"):
        await stage.service.ask("How many?", "spatial", TESTER)


async def test_without_any_source_all_is_told_and_nothing_breaks() -> None:
    stage = Stage(sources=0)
    with pytest.raises(NotOffered) as caught:
        await stage.service.ask("How many?", None, TESTER)
    assert "PostGIS" in caught.value.hint
    assert (await stage.service.readiness()).status == "unavailable"


@pytest.mark.parametrize("question", ["", " ", "\n\t "])
async def test_an_empty_question_is_sent_back(stage: Stage, question: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        await stage.service.ask(question, None, TESTER)
    assert caught.value.field == "question"


async def test_readiness_names_what_is_missing_and_what_is_away(stage: Stage) -> None:
    assert (await stage.service.readiness()).status == "degraded"
    stage.reader.failure = StoreUnavailable("The database is away.")
    ready = await stage.service.readiness()
    assert ready.status == "unavailable"
    assert "city: The database is away." in ready.reasons


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda service: service.ask("How many?", None, TESTER), ("ask", "How many?", "played", "", 1)),
        (lambda service: service.run_sql("DROP TABLE permits", None, TESTER),
         ("run_sql", "", "none", "not_select", 0)),
        (lambda service: service.explain_sql(COUNT, None, TESTER), ("explain_sql", "", "none", "", 0)),
    ],
)  # fmt: skip
async def test_each_call_is_put_on_record_and_counted(
    stage: Stage, call: Callable[[AskService], Any], expected: tuple[object, ...]
) -> None:
    await call(stage.service)
    (kept,) = stage.log.queries
    assert (kept.tool, kept.question, kept.backend, kept.reason_code, kept.row_count) == expected
    assert kept.rejected is bool(kept.reason_code)
    (judged,) = stage.observer.of(StatementJudged)
    assert judged.code == (kept.reason_code or "ok")


async def test_a_source_that_is_not_read_in_time_is_told_to_be_tried_again() -> None:
    stage = Stage(timeout_s=0.0)
    stage.reader.is_slow = True
    with pytest.raises(TooSlow, match="being read for the first time") as caught:
        await stage.service.ask("How many?", None, TESTER)
    assert caught.value.retryable


async def test_a_call_that_fails_is_on_record_too(stage: Stage) -> None:
    stage.reader.failure = StoreUnavailable("The database is away.")
    with pytest.raises(StoreUnavailable):
        await stage.service.ask("How many?", None, TESTER)
    assert [kept.reason_code for kept in stage.log.queries] == ["store_unavailable"]


class Unreached:
    """A database that no statement comes to."""

    async def select(self, *_: object, **__: object) -> None:
        """See `AskedDatabase.select`."""
        raise AssertionError("a statement was run")

    explain = select


@pytest.mark.parametrize("made", ["SELECT 1", Draft("SELECT 1"), None])
async def test_the_store_takes_nothing_that_the_guard_did_not_make(made: object) -> None:
    store = PostgresAskStore(cast(AskedDatabase, Unreached()), SelectionLimits())
    with pytest.raises(TypeError, match="CheckedSelect"):
        await store.run(cast(CheckedSelect, made), 1.0)
    with pytest.raises(TypeError, match="CheckedSelect"):
        await store.explain(cast(CheckedSelect, made), 1.0)


def test_columns_of_one_name_are_told_apart() -> None:
    assert tell_apart(["id", "id", "id_2", "id"]) == ["id", "id_2", "id_2_2", "id_3"]


def test_a_budget_gives_its_time_back_while_it_is_paused() -> None:
    clock = FakeClock()
    budget = Budget(10.0, clock)
    clock.advance(3.0)
    with budget.paused():
        clock.advance(100.0)
    assert budget.left_s == 7.0
    assert budget.elapsed_ms == 103_000.0
