"""Every query searched in every mode, and each answer held against the judgments."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from tests.bench.eval.facts import Facts, read_active
from tests.bench.eval.labelled import read_queries
from tests.bench.eval.metrics import ndcg, recall, reciprocal_rank
from tests.bench.eval.modes import DEPTH, MODES, Mode, Tools, search
from tests.bench.eval.rules import FITS_HARD, LabelledQuery, contradicts, grade
from vmk_mcp.sample.listings import make_listings


class Hit(Struct, frozen=True):
    """A listing found, its grade, and whether a filter of the query's wishes should have kept it out."""

    id: int
    title: str
    grade: int
    is_wrong: bool


class Scores(Struct, frozen=True):
    """Measures of one answer or of many, each 0 to 1."""

    recall_1: float
    recall_5: float
    ndcg_10: float
    mrr: float


class Answer(Struct, frozen=True):
    """What one mode brought for one query.

    Attributes:
        relevant: how many listings of the sample are right.
        scores: None for a query that no listing fits.
    """

    category: str
    query: LabelledQuery
    mode: Mode
    relevant: int
    hits: Sequence[Hit]
    scores: Scores | None


class _Judged(Struct, frozen=True):
    """The grades of the whole sample for one query."""

    grades: Mapping[int, int]
    ideal: Sequence[int]
    relevant: int


_MEASURES: Final = Scores.__struct_fields__


async def judge_all(tools: Tools) -> list[Answer]:
    """Search every labelled query in every mode."""
    known = {facts.id: facts for facts in read_active(make_listings())}
    answers: list[Answer] = []
    for category, queries in read_queries().items():
        for query in queries:
            judged = _grade_sample(query, known)
            results = await asyncio.gather(*(search(tools, mode, query.text) for mode in MODES))
            answers += [
                _judge(category, query, mode, judged, [known[listing.id] for listing in result.listings])
                for mode, result in zip(MODES, results, strict=True)
            ]
    return answers


def _judge(
    category: str, query: LabelledQuery, mode: Mode, judged: _Judged, found: Sequence[Facts]
) -> Answer:
    hits = [Hit(facts.id, facts.title, judged.grades[facts.id], contradicts(query, facts)) for facts in found]
    scores = None if query.empty else _score([hit.grade for hit in hits], judged)
    return Answer(category, query, mode, judged.relevant, hits, scores)


def _grade_sample(query: LabelledQuery, known: Mapping[int, Facts]) -> _Judged:
    grades = {number: grade(query, facts) for number, facts in known.items()}
    ideal = sorted(grades.values(), reverse=True)[:DEPTH]
    return _Judged(grades, ideal, sum(value >= FITS_HARD for value in grades.values()))


def _score(grades: Sequence[int], judged: _Judged) -> Scores:
    return Scores(
        recall_1=recall(grades, judged.relevant, depth=1),
        recall_5=recall(grades, judged.relevant, depth=5),
        ndcg_10=ndcg(grades, judged.ideal, depth=DEPTH),
        mrr=reciprocal_rank(grades),
    )


def mean_scores(answers: Sequence[Answer]) -> Scores:
    """Give the mean of each measure over the answers that have any."""
    scored = [answer.scores for answer in answers if answer.scores is not None]
    return Scores(
        **{name: sum(getattr(scores, name) for scores in scored) / len(scored) for name in _MEASURES}
    )


def wrong_share(answers: Sequence[Answer]) -> float:
    """Give the share of the listings found that contradict a hard wish which a filter could have kept."""
    hits = [hit for answer in answers for hit in answer.hits]
    return sum(hit.is_wrong for hit in hits) / len(hits) if hits else 0.0


def in_mode(answers: Sequence[Answer], mode: Mode) -> list[Answer]:
    """Give the answers of one mode."""
    return [answer for answer in answers if answer.mode == mode]
