"""What is claimed of searches, over the labelled queries."""

import pytest

from tests.bench.eval.judging import Answer, in_mode, mean_scores, wrong_share
from tests.bench.eval.modes import KINDS, Mode

pytestmark = pytest.mark.bench

_BEST = Mode("hybrid", interprets=True)


@pytest.mark.parametrize("kind", KINDS)
def test_reading_filters_out_of_the_wording_makes_a_search_better(answers: list[Answer], kind: str) -> None:
    read, unread = (in_mode(answers, Mode(kind, interprets)) for interprets in (True, False))
    assert mean_scores(read).ndcg_10 > mean_scores(unread).ndcg_10
    assert wrong_share(read) < wrong_share(unread)


@pytest.mark.parametrize("interprets", [True, False])
@pytest.mark.parametrize("kind", ["semantic", "words"])
def test_a_hybrid_search_with_interpretation_beats_every_single_mode(
    answers: list[Answer], kind: str, interprets: bool
) -> None:
    single = mean_scores(in_mode(answers, Mode(kind, interprets)))
    assert mean_scores(in_mode(answers, _BEST)).ndcg_10 > single.ndcg_10
