"""The measures against values worked out by hand."""

import pytest

from tests.bench.eval.metrics import ndcg, recall, reciprocal_rank


def test_ndcg_is_one_for_the_best_order() -> None:
    assert ndcg([3, 2, 1, 0], [3, 2, 1, 0]) == 1


def test_ndcg_weighs_each_grade_by_its_place() -> None:
    # Found 2, 0, 3: 3/log2(2) + 0 + 7/log2(4) = 6.5; best 3, 2: 7/log2(2) + 3/log2(3) = 8.892789.
    assert ndcg([2, 0, 3], [3, 2, 0]) == pytest.approx(6.5 / 8.892789, abs=1e-6)


def test_ndcg_looks_no_deeper_than_its_depth() -> None:
    assert ndcg([0, 0, 3], [3, 3, 3], depth=2) == 0
    # One of two best ones on the first place: 7 of 7 + 7/log2(3) = 11.416508.
    assert ndcg([3, 0, 3], [3, 3, 3], depth=2) == pytest.approx(7 / 11.416508, abs=1e-6)


def test_a_short_answer_is_held_against_all_that_there_is() -> None:
    assert ndcg([3], [3, 3]) == pytest.approx(7 / 11.416508, abs=1e-6)


def test_nothing_found_scores_nothing() -> None:
    assert (ndcg([], [3]), recall([], 4, depth=5), reciprocal_rank([])) == (0, 0, 0)


def test_recall_counts_right_listings_over_the_places_there_are() -> None:
    assert recall([3, 1, 2, 0, 0, 3], relevant=40, depth=5) == 2 / 5


def test_recall_counts_over_the_right_listings_where_they_are_fewer_than_the_places() -> None:
    assert recall([1, 3, 2, 0, 0], relevant=3, depth=5) == 2 / 3


def test_recall_at_one_says_whether_the_first_is_right() -> None:
    assert [recall([first, 3], relevant=9, depth=1) for first in (3, 2, 1, 0)] == [1, 1, 0, 0]


def test_the_reciprocal_rank_is_that_of_the_first_right_listing() -> None:
    assert [reciprocal_rank(grades) for grades in ([2, 3], [1, 0, 3], [1, 1])] == [1, 1 / 3, 0]
