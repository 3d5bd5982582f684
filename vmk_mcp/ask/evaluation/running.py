"""Labelled questions asked of the real service, one after the other."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import NamedTuple, Protocol

from msgspec import Struct

from vmk_mcp.ask.evaluation.comparing import match_rows
from vmk_mcp.ask.evaluation.model import (
    ANY_REFUSAL,
    Evaluation,
    Judged,
    Labelled,
    Leniency,
    Truth,
    Verdict,
)
from vmk_mcp.ask.evaluation.tallying import count_leniencies, tally_by_difficulty, tally_by_joins, tally_up
from vmk_mcp.ask.results import AskAnswer
from vmk_mcp.errors import InvalidArguments
from vmk_mcp.tool import Caller


class AskedService(Protocol):
    """What an evaluation asks: see `AskService`."""

    async def ask(self, question: str, source: str | None, caller: Caller) -> AskAnswer:
        """Have a statement drafted, and run it if the guard lets it through."""

    async def run_sql(self, sql: str, source: str | None, caller: Caller) -> AskAnswer:
        """Run a statement, if the guard lets it through."""


class Examination(Struct, frozen=True):
    """What is asked of whom.

    Attributes:
        today: what the gold queries' `{today}` stands for.
        on_judged: is told of each question as it is done.
    """

    service: AskedService
    source: str
    caller: Caller
    today: date
    on_judged: Callable[[Judged], None]


class _Finding(NamedTuple):
    verdict: Verdict
    explanation: str = ""
    leniencies: Sequence[Leniency] = ()


async def evaluate(examination: Examination, name: str, labelled: Sequence[Labelled]) -> Evaluation:
    """Ask all questions of the set of a name, and compare their rows with the gold's.

    Raises:
        InvalidArguments: a gold query is refused, or gives more rows than the service shows.
        NotFound: there is no such source.
        StoreUnavailable: its database cannot be reached.
    """
    judged, backend = [], ""
    for one in labelled:
        answer = await examination.service.ask(one.question, examination.source, examination.caller)
        truth = await _find_truth(examination, one)
        judged.append(_judge(one, answer, truth))
        examination.on_judged(judged[-1])
        backend = answer.backend
    return Evaluation(
        set=name,
        source=examination.source,
        backend=backend,
        overall=tally_up(judged, labelled),
        by_difficulty=tally_by_difficulty(judged, labelled),
        by_joins=tally_by_joins(judged, labelled),
        by_leniency=count_leniencies(judged),
        questions=judged,
    )


async def _find_truth(examination: Examination, one: Labelled) -> Truth | None:
    if one.gold is None:
        return None
    answer = await examination.service.run_sql(
        _fill_in(one.gold, examination.today), examination.source, examination.caller
    )
    if answer.rejected:
        raise InvalidArguments(
            f"The gold query of {one.id} was not run: {answer.rejection_reason}",
            hint="Mend it in the set; it has to pass the guard as any statement does.",
        )
    if answer.truncated:
        raise InvalidArguments(
            f"The gold query of {one.id} gives more rows than can be compared.",
            hint="Ask for fewer rows, or for their number.",
        )
    return Truth(answer, one.ordered)


def _fill_in(gold: str, today: date) -> str:
    words = {
        "{today}": today.isoformat(),
        "{year}": str(today.year),
        "{last_year}": str(today.year - 1),
        "{next_year}": str(today.year + 1),
    }
    for word, meant in words.items():
        gold = gold.replace(word, meant)
    return gold


def _judge(one: Labelled, answer: AskAnswer, truth: Truth | None) -> Judged:
    verdict, explanation, leniencies = _compare(one, answer, truth)
    return Judged(
        id=one.id,
        question=one.question,
        difficulty=one.difficulty,
        joins=one.joins,
        verdict=verdict,
        sql=answer.sql,
        reason_code=answer.reason_code,
        leniencies=leniencies,
        explanation=explanation,
        elapsed_ms=answer.elapsed_ms,
    )


def _compare(one: Labelled, answer: AskAnswer, truth: Truth | None) -> _Finding:
    if answer.rejected and truth is not None:
        return _Finding("refused", answer.rejection_reason or "")
    if truth is None:
        return _compare_refusal(one, answer)
    leniencies = match_rows(answer, truth)
    if leniencies is not None:
        return _Finding("correct", leniencies=leniencies)
    return _Finding(
        "wrong",
        f"{answer.row_count} rows, of which the gold query has {truth.answer.row_count}, or others.",
    )


def _compare_refusal(one: Labelled, answer: AskAnswer) -> _Finding:
    if not answer.rejected:
        return _Finding("wrong", "It has no answer in these records, and got one.")
    if one.refused in {ANY_REFUSAL, answer.reason_code}:
        return _Finding("correct")
    return _Finding("refused", f"It should be refused as {one.refused}, and was as {answer.reason_code}.")
