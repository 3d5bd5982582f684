"""Labelled questions, how each came out, and the figures over all of them."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct

from vmk_mcp.ask.results import AskAnswer

ANY_REFUSAL: Final = "refused"
"""A label that says only that a question is not answered, whatever the reason code."""

Difficulty = Literal["easy", "medium", "hard"]
Verdict = Literal["correct", "wrong", "refused"]
Leniency = Literal["no_rows", "further_columns", "column_order", "tolerance"]
"""What a match rests on beside equal rows: neither side has any (such a question tells little), columns that
the gold lacks, another order of the columns, or numbers equal only within the tolerance."""


class Labelled(Struct, frozen=True, forbid_unknown_fields=True):
    """A question and what its answer has to be: a line of a set.

    Attributes:
        joins: tables beside the first that the gold query reads.
        gold: the query whose rows are right; None where the question has no answer. `{today}`, `{year}`,
            `{last_year}` and `{next_year}` in it go by the day asked.
        refused: why there is none: `ambiguous_question`, `unanswerable`, or `refused` for either.
        ordered: whether the question asks for an order of the rows.
    """

    id: str
    question: str
    difficulty: Difficulty
    joins: int = 0
    gold: str | None = None
    refused: str | None = None
    ordered: bool = False


class Judged(Struct, frozen=True, kw_only=True):
    """How a question came out.

    Attributes:
        verdict: `correct` as well where one without an answer was refused as labelled.
        leniencies: on which `correct` rests; empty where rows and columns are the gold's.
        explanation: of what is not correct; else empty.
    """

    id: str
    question: str
    difficulty: Difficulty
    joins: int
    verdict: Verdict
    sql: str | None
    reason_code: str | None
    leniencies: Sequence[Leniency] = ()
    explanation: str = ""
    elapsed_ms: float


class Tally(Struct, frozen=True):
    """Figures of some questions; those that are none of anything are null.

    Attributes:
        answered: questions that got rows.
        accuracy: correct of all.
        precision: correct of those answered.
        coverage: answered, of those that have an answer.
    """

    total: int
    correct: int
    wrong: int
    refused: int
    answered: int
    accuracy: float | None
    precision: float | None
    coverage: float | None


class Evaluation(Struct, frozen=True):
    """All figures of one run over one set.

    Attributes:
        by_joins: has `0`, `1`, `2+` and `joins`, those with any.
        by_leniency: correct answers that rest on each leniency; those that rest on none are left out.
    """

    set: str
    source: str
    backend: str
    overall: Tally
    by_difficulty: Mapping[str, Tally]
    by_joins: Mapping[str, Tally]
    by_leniency: Mapping[Leniency, int]
    questions: Sequence[Judged]


class Truth(Struct, frozen=True):
    """The rows that a gold query gave, and whether their order counts."""

    answer: AskAnswer
    ordered: bool
