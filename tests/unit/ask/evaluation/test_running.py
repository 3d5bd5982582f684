"""Sets, verdicts and figures, with a service that answers from a table."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.unit.ask.evaluation.test_comparing import answer
from vmk_mcp.ask.evaluation.model import Evaluation, Judged, Labelled
from vmk_mcp.ask.evaluation.running import Examination, evaluate
from vmk_mcp.ask.evaluation.sets import SHIPPED, read_set
from vmk_mcp.ask.results import AskAnswer
from vmk_mcp.errors import InvalidArguments
from vmk_mcp.tool import Caller


class PlayedService:
    """Answers each text with the rows that it was given, and refuses all others."""

    def __init__(self, **answers: AskAnswer) -> None:
        self._answers = answers
        self.asked: list[str] = []

    async def ask(self, question: str, source: str | None, caller: Caller) -> AskAnswer:
        """See `AskedService.ask`."""
        self.asked.append(question)
        refused = AskAnswer(
            sql=None, rejected=True, rejection_reason="No.", reason_code="unanswerable", backend="played",
            elapsed_ms=1.0,
        )  # fmt: skip
        return self._answers.get(question, refused)

    async def run_sql(self, sql: str, source: str | None, caller: Caller) -> AskAnswer:
        """See `AskedService.run_sql`."""
        return await self.ask(sql, source, caller)


def count(number: int) -> AskAnswer:
    return answer(["bigint"], [number])


def label(id: str, *, gold: str | None = None, refused: str | None = None, **more: Any) -> Labelled:
    return Labelled(id=id, question=id, difficulty="easy", gold=gold, refused=refused, **more)


async def run(service: PlayedService, *labelled: Labelled) -> Evaluation:
    told: list[Judged] = []
    caller = Caller(name="tester", rights=frozenset({"ask"}))
    done = await evaluate(Examination(service, "s", caller, date(2026, 3, 10), told.append), "set", labelled)
    assert told == list(done.questions)
    return done


async def test_verdicts_and_figures_are_counted_apart() -> None:
    service = PlayedService(right=count(1), wrong=count(2), answered=count(3), one=count(1))
    done = await run(
        service,
        label("right", gold="one", joins=2),
        label("wrong", gold="one", joins=1),
        label("untold", gold="one"),
        label("answered", refused="refused"),
        label("noanswer", refused="unanswerable"),
        label("otherwise", refused="ambiguous_question"),
    )
    assert [one.verdict for one in done.questions] == [
        "correct", "wrong", "refused", "wrong", "correct", "refused",
    ]  # fmt: skip
    overall = done.overall
    assert (overall.total, overall.correct, overall.wrong, overall.refused) == (6, 2, 2, 2)
    assert (overall.accuracy, overall.precision, overall.coverage) == (0.3333, 0.3333, 0.6667)
    assert done.by_joins["joins"].total == 2
    assert done.by_joins["2+"].accuracy == 1.0
    assert done.by_difficulty.keys() == {"easy"}


async def test_answers_that_are_correct_by_a_leniency_are_counted_apart() -> None:
    service = PlayedService(
        plain=count(1), wide=answer(["bigint", "text"], [1, "a"]), none=answer(["bigint"]), one=count(1)
    )
    done = await run(
        service, label("plain", gold="one"), label("wide", gold="one"), label("none", gold="none"),
        label("untold", gold="one"), label("noanswer", refused="refused"),
    )  # fmt: skip
    assert done.overall.correct == 4
    assert done.by_leniency == {"further_columns": 1, "no_rows": 1}


async def test_the_day_is_put_into_a_gold_query() -> None:
    service = PlayedService()
    with pytest.raises(InvalidArguments):
        await run(service, label("a", gold="{today} {last_year} {year} {next_year}"))
    assert service.asked == ["a", "2026-03-10 2025 2026 2027"]


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_sets_are_as_large_and_mixed_as_promised(name: str) -> None:
    labelled = read_set(name)
    answerable = [one for one in labelled if one.gold is not None]
    assert len({one.id for one in labelled}) == len(labelled) >= (60 if name == "municipal" else 30)
    assert {one.difficulty for one in labelled} == {"easy", "medium", "hard"}
    assert any(one.refused == "unanswerable" for one in labelled)
    if name == "municipal":
        assert sum(one.joins > 0 for one in answerable) * 3 >= len(labelled)
        assert any(one.refused == "ambiguous_question" for one in labelled)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no questions"),
        ("{", "Line 1"),
        ('{"id": "a", "question": "b", "difficulty": "huge", "gold": "c"}', "Line 1"),
        ('\n{"id": "a", "question": "b", "difficulty": "easy"}', "Line 2"),
        ('{"id": "a", "question": "b", "difficulty": "easy", "gold": "c", "refused": "d"}', "both"),
    ],
)
def test_a_set_that_cannot_be_read_is_named_with_its_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidArguments) as raised:
        read_set(str(path))
    assert told in raised.value.message


def test_a_set_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidArguments, match="no set of questions"):
        read_set(str(tmp_path / "none.jsonl"))
