"""Figures over judged questions."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from vmk_mcp.ask.evaluation.model import Judged, Labelled, Leniency, Tally

_MANY_JOINS: Final = 2


def tally_up(judged: Sequence[Judged], labelled: Sequence[Labelled]) -> Tally:
    """Count; `judged` and `labelled` are the same questions in the same order."""
    pairs = list(zip(judged, labelled, strict=True))
    answered = [(one, label) for one, label in pairs if one.reason_code is None]
    answerable = [one for one, label in pairs if label.gold is not None]
    verdicts = [one.verdict for one in judged]
    correct = verdicts.count("correct")
    return Tally(
        total=len(judged),
        correct=correct,
        wrong=verdicts.count("wrong"),
        refused=verdicts.count("refused"),
        answered=len(answered),
        accuracy=_ratio(correct, len(judged)),
        precision=_ratio(sum(one.verdict == "correct" for one, _ in answered), len(answered)),
        coverage=_ratio(sum(one.reason_code is None for one in answerable), len(answerable)),
    )


def tally_by_difficulty(judged: Sequence[Judged], labelled: Sequence[Labelled]) -> Mapping[str, Tally]:
    """Count the easy, medium and hard ones apart."""
    present = {one.difficulty for one in labelled}
    return {
        difficulty: _tally_some(judged, labelled, lambda one: one.difficulty == difficulty)  # noqa: B023 - called at once
        for difficulty in ("easy", "medium", "hard")
        if difficulty in present
    }


def tally_by_joins(judged: Sequence[Judged], labelled: Sequence[Labelled]) -> Mapping[str, Tally]:
    """Count by how many joins the gold query takes; `joins` are all with any."""
    kinds: Mapping[str, Callable[[Labelled], bool]] = {
        "0": lambda one: one.joins == 0,
        "1": lambda one: one.joins == 1,
        "2+": lambda one: one.joins >= _MANY_JOINS,
        "joins": lambda one: one.joins > 0,
    }
    tallies = {name: _tally_some(judged, labelled, is_kind) for name, is_kind in kinds.items()}
    return {name: tally for name, tally in tallies.items() if tally.total}


def count_leniencies(judged: Sequence[Judged]) -> Mapping[Leniency, int]:
    """Count the correct answers that rest on each leniency."""
    return Counter(leniency for one in judged for leniency in one.leniencies)


def _tally_some(
    judged: Sequence[Judged], labelled: Sequence[Labelled], is_meant: Callable[[Labelled], bool]
) -> Tally:
    chosen = [(one, label) for one, label in zip(judged, labelled, strict=True) if is_meant(label)]
    return tally_up([one for one, _ in chosen], [label for _, label in chosen])


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
