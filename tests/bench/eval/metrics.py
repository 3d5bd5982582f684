"""Measures of a ranked list against graded judgments; each is of one query, and 0 to 1."""

from collections.abc import Sequence
from math import log2

from tests.bench.eval.rules import FITS_HARD


def recall(grades: Sequence[int], relevant: int, *, depth: int) -> float:
    """Give the share of what could be right among the first `depth` that is.

    With fewer right listings than places the whole is the right listings, else the places: so recall@1 says
    whether the first is right.

    Args:
        grades: of the listings found, in their order.
        relevant: how many right listings there are, at least one.
        depth: how many places are looked at.
    """
    found = sum(grade >= FITS_HARD for grade in grades[:depth])
    return found / min(depth, relevant)


def ndcg(grades: Sequence[int], ideal: Sequence[int], *, depth: int = 10) -> float:
    """Give the discounted gain against that of the best order there could be.

    The gain of a grade is `2 ** grade - 1`, the discount of place n `log2(n + 1)` (Burges et al., 2005).

    Args:
        grades: of the listings found, in their order.
        ideal: all grades that there are, highest first, of which one at least is above zero.
        depth: how many places are looked at.
    """
    return _gain(grades[:depth]) / _gain(ideal[:depth])


def reciprocal_rank(grades: Sequence[int]) -> float:
    """Give one over the place of the first right listing; 0 where there is none."""
    return next((1 / place for place, grade in enumerate(grades, start=1) if grade >= FITS_HARD), 0.0)


def _gain(grades: Sequence[int]) -> float:
    return sum(((1 << grade) - 1) / log2(place + 1) for place, grade in enumerate(grades, start=1))
