"""Asking as the exchanges were recorded from it: real guard and service, a made-up city and drafter."""

from datetime import UTC, date, datetime
from typing import Final

from tests.fakes import FakeClock, RecordingObserver
from vmk_mcp.ask.guard import CheckedSelect, GuardLimits
from vmk_mcp.ask.model import (
    AskedSource,
    Draft,
    ForeignKey,
    Glossary,
    OpenColumn,
    OpenSchema,
    OpenTable,
    Refusal,
)
from vmk_mcp.ask.ports import AskedQuery, Selected, SelectedColumn, Snapshot
from vmk_mcp.ask.service import AskRules, AskService, OfferedSource, Outside
from vmk_mcp.ask.sqlstates import refuse_state
from vmk_mcp.ask.tools import offer_ask
from vmk_mcp.tool import Offer

_SCHEMA: Final = OpenSchema(
    "public",
    (
        OpenTable(
            "contractors",
            (OpenColumn("contractor_id", "integer"), OpenColumn("name", "text"), OpenColumn("trade", "text")),
            ("contractor_id",),
            (),
            50,
        ),
        OpenTable(
            "permits",
            (
                OpenColumn("permit_id", "integer"),
                OpenColumn("permit_number", "text"),
                OpenColumn("status", "text"),
                OpenColumn("contractor_id", "integer"),
                OpenColumn("applied_date", "date"),
                OpenColumn("valuation", "numeric(14,2)", "what the work is worth, US dollars"),
            ),
            ("permit_id",),
            (ForeignKey(("contractor_id",), "contractors", ("contractor_id",)),),
            2_600,
        ),
    ),
)
_SOURCE: Final = AskedSource(
    name="municipal",
    schema=_SCHEMA,
    values={"permits.status": ("denied", "finaled", "issued")},
    glossary=Glossary(),
    today=date(2026, 11, 15),
)

_DRAFTS: Final[dict[str, tuple[Draft | Refusal, ...]]] = {
    "How many permits are there in total?": (Draft("select count(*) as count from permits"),),
    "How many permits does each contractor hold?": (
        Draft("SELECT business_name, count(*) AS permit_count FROM contractors GROUP BY 1"),
        Draft(
            "SELECT c.name, count(*) AS permit_count FROM permits p JOIN contractors c "
            "ON p.contractor_id = c.contractor_id GROUP BY c.name ORDER BY permit_count DESC"
        ),
    ),
    "Show me the recent activity.": (
        Refusal(
            "ambiguous_question",
            "Recent activity of which records: permits or contractors? And over which time?",
        ),
    ),
    "What does an inspector earn?": (Refusal("unanswerable", "The data holds no salaries."),),
    "Please delete all the permit records.": (Draft("DROP TABLE permits"), Draft("DROP TABLE permits")),
    "Which trades are there?": (
        Refusal("generation_failed", "The model is overloaded: ask again in a moment."),
    ),
    "How much is all of it worth?": (Draft("SELECT sum(valuation) AS total FROM permits"),),
}
_ANSWERS: Final = (
    ("/ 0", refuse_state("22012")),
    ("sum(valuation)", refuse_state("57014")),
    (
        "permit_count",
        Selected(
            (SelectedColumn("name", "text"), SelectedColumn("permit_count", "bigint")),
            (("Garcia Builders", 208), ("Kim Builders", 168)),
            truncated=False,
        ),
    ),
    ("count(*)", Selected((SelectedColumn("count", "bigint"),), ((2_600,),), truncated=False)),
    (
        "applied_date",
        Selected(
            (SelectedColumn("permit_number", "text"), SelectedColumn("applied_date", "date"),
             SelectedColumn("valuation", "numeric")),
            (("P-2026-02600", "2026-11-15", 12_500.5), ("P-2026-02599", "2026-11-14", None)),
            truncated=True,
        ),
    ),
)  # fmt: skip
"""By what the statement holds; the first that fits."""
_PLAN: Final = [
    {
        "Plan": {
            "Node Type": "Seq Scan",
            "Relation Name": "permits",
            "Schema": "public",
            "Startup Cost": 0.0,
            "Total Cost": 83.0,
            "Plan Rows": 2_600,
            "Plan Width": 24,
        }
    }
]


class PlayedDrafter:
    """See `Drafter`: has one answer for the first try of a question and one for the next."""

    backend = "played"

    async def draft(
        self, question: str, source: AskedSource, refused: tuple[Draft, Refusal] | None
    ) -> Draft | Refusal:
        """See `Drafter.draft`."""
        return _DRAFTS[question][0 if refused is None else 1]


class PlayedAskStore:
    """See `AskStore`."""

    async def explain(self, checked: CheckedSelect, within_s: float) -> object | Refusal:
        """See `AskStore.explain`."""
        return _PLAN

    async def run(self, checked: CheckedSelect, within_s: float) -> Selected | Refusal:
        """See `AskStore.run`."""
        return next(answer for words, answer in _ANSWERS if words in checked.sql)


class PlayedCity:
    """See `SnapshotReader`."""

    async def get(self) -> Snapshot:
        """See `SnapshotReader.get`."""
        return Snapshot(_SOURCE)

    async def check(self) -> None:
        """See `SnapshotReader.check`."""


class NoRecord:
    """See `QueryRecorder`."""

    async def record(self, query: AskedQuery) -> None:
        """See `QueryRecorder.record`."""


def make_ask_offer() -> Offer:
    """Make the offer over the played city, whose clock stands still."""
    source = OfferedSource("municipal", PlayedCity(), PlayedAskStore(), GuardLimits())
    rules = AskRules(10.0, 1, FakeClock(), lambda: datetime(2026, 11, 15, tzinfo=UTC))
    service = AskService([source], Outside(PlayedDrafter(), NoRecord(), RecordingObserver()), rules, {})
    return offer_ask(service, ["municipal"])
