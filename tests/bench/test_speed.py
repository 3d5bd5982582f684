"""Every claim of speed, as a ratio against a peer or as a limit, all from one run."""

import pytest

from tests.bench.figures import Figures
from tests.bench.limits import IDLE_BYTES, LIMITS, SECOND_START_S

pytestmark = pytest.mark.bench


@pytest.mark.parametrize("call", LIMITS)
def test_a_call_costs_little_more_cpu_than_at_the_bare_peer(figures: Figures, call: str) -> None:
    (cost,) = (cost for cost in figures.costs if cost.call == call)
    assert cost.ratio <= LIMITS[call].today


def test_both_peers_answer_with_the_same_listings(figures: Figures) -> None:
    assert {call: len(ours) for call, (ours, _) in figures.answered.items()} == {
        "by id": 1,
        "page of 20": 20,
        "vector top 10": 10,
    }
    assert {call: ours for call, (ours, _) in figures.answered.items()} == {
        call: bare for call, (_, bare) in figures.answered.items()
    }


def test_a_second_start_is_ready_in_time(figures: Figures) -> None:
    # Others' work on the machine only adds: the least disturbed start shows what ours needs.
    assert min(figures.starts.second_s) < SECOND_START_S


def test_the_service_without_the_local_model_is_small_in_memory(figures: Figures) -> None:
    assert not figures.starts.without_model.has_model
    assert figures.starts.without_model.resident_bytes < IDLE_BYTES


def test_the_model_is_there_where_its_memory_is_shown(figures: Figures) -> None:
    assert figures.starts.with_model.has_model
