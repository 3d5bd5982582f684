"""The judged answers as a page to read."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tests.bench.eval.judging import Answer, in_mode, mean_scores, wrong_share
from tests.bench.eval.modes import DEPTH, MODES, Mode

SHOWN: Final = Mode("hybrid", interprets=True)
"""The mode whose worst queries are listed: the one to be used."""

_WORST: Final = 25

_INTRODUCTION: Final = """\
# What a search finds

Written by `make eval`: {queries} queries of people in Ukrainian, Russian and between, each searched in the
sample's {listings:,} active listings by the real service with its default arguments and no filters given.
Judgments come out of the rules of [queries.toml](queries.toml) over columns and texts: 3 fits all wishes, 2
all hard ones, 1 all but one, and that nearly; 2 and 3 are right.

- **recall@k**: right listings among the first k, over k or over all that are right if those are fewer;
  recall@1 is the share of queries whose first listing is right.
- **nDCG@10**: gain `2^grade - 1`, discount `log2(place + 1)`, against the best order of all the listings.
- **MRR**: one over the place of the first right listing, 0 past the tenth.
- **wrong filter**: share of the first ten that are known to contradict a hard wish that a filter could have
  kept (price, rooms, town, deal and the like), of all queries.
- **calm**: share of the {empty} queries that nothing fits for which nothing is brought.

`interpreted` reads filters out of the wording.
"""


def write_report(answers: Sequence[Answer], listings: int) -> str:
    """Write the page in Markdown."""
    one_mode = in_mode(answers, SHOWN)
    empty = sum(answer.query.empty for answer in one_mode)
    parts = (
        _INTRODUCTION.format(queries=len(one_mode), listings=listings, empty=empty),
        "## By mode\n",
        _table(
            ("mode", "recall@1", "recall@5", "nDCG@10", "MRR", "wrong filter", "calm"), _mode_rows(answers)
        ),
        "## nDCG@10 by category\n",
        _table(("category", "queries", *(mode.name for mode in MODES)), _category_rows(answers)),
        f"## The {_WORST} worst queries of `{SHOWN.name}`\n",
        _table(("nDCG@10", "query", "right", "grades", "came first"), _worst_rows(one_mode)),
        "## Answers where nothing is right\n",
        _table(("query", "brought", "came first"), _empty_rows(one_mode)),
    )
    return "\n".join(parts)


def _mode_rows(answers: Sequence[Answer]) -> Iterator[tuple[str, ...]]:
    for mode in MODES:
        given = in_mode(answers, mode)
        scores = mean_scores(given)
        empty = [answer for answer in given if answer.query.empty]
        calm = sum(not answer.hits for answer in empty) / len(empty)
        yield (
            mode.name,
            *(f"{value:.3f}" for value in (scores.recall_1, scores.recall_5, scores.ndcg_10, scores.mrr)),
            f"{wrong_share(given):.1%}",
            f"{calm:.0%}",
        )


def _category_rows(answers: Sequence[Answer]) -> Iterator[tuple[str, ...]]:
    for category in dict.fromkeys(answer.category for answer in answers if answer.scores is not None):
        of_category = [answer for answer in answers if answer.category == category]
        figures = (f"{mean_scores(in_mode(of_category, mode)).ndcg_10:.3f}" for mode in MODES)
        yield (category, str(len(of_category) // len(MODES)), *figures)


def _worst_rows(answers: Iterable[Answer]) -> Iterator[tuple[str, ...]]:
    scored = [(answer.scores.ndcg_10, answer) for answer in answers if answer.scores is not None]
    for score, answer in sorted(scored, key=lambda pair: pair[0])[:_WORST]:
        grades = "".join(str(hit.grade) for hit in answer.hits) or "-"
        yield (f"{score:.3f}", _cell(answer.query.text), str(answer.relevant), grades, _first(answer))


def _empty_rows(answers: Iterable[Answer]) -> Iterator[tuple[str, ...]]:
    for answer in answers:
        if answer.query.empty:
            brought = f"{DEPTH} and more" if len(answer.hits) == DEPTH else str(len(answer.hits))
            yield (_cell(answer.query.text), brought, _first(answer))


def _first(answer: Answer) -> str:
    return f"{answer.hits[0].id} {_cell(answer.hits[0].title)}" if answer.hits else "nothing"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "/").split())


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"
