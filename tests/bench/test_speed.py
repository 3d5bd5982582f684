"""Every claim of speed, as a ratio against a peer or as a limit, all from one run."""

import pytest

from tests.bench.figures import Figures
from tests.bench.limits import (
    IDLE_BYTES,
    LIMITS,
    LIMITS_BESIDE_OTHERS,
    OWN_SHARE_MS,
    RATE_TODAY,
    SECOND_START_S,
)
from tests.bench.others import TOOLBOX

pytestmark = pytest.mark.bench


@pytest.mark.parametrize("call", LIMITS)
def test_a_call_costs_little_more_cpu_than_at_the_bare_peer(figures: Figures, call: str) -> None:
    (cost,) = (cost for cost in figures.costs if cost.call == call)
    assert cost.ratio <= LIMITS[call].today


def test_all_peers_answer_with_the_same_listings(figures: Figures) -> None:
    assert {call: len(ids["ours"]) for call, ids in figures.answered.items()} == {
        "by id": 1,
        "page of 20": 20,
        "vector top 10": 10,
    }
    for ids in figures.answered.values():
        assert ids == dict.fromkeys(ids, ids["ours"])


@pytest.mark.parametrize(("call", "other"), LIMITS_BESIDE_OTHERS)
def test_a_call_costs_less_cpu_than_at_a_peer_that_others_built(
    figures: Figures, call: str, other: str
) -> None:
    if other in figures.not_had:
        pytest.skip(figures.not_had[other])
    (cost,) = (cost for cost in figures.costs if cost.call == call)
    assert cost.ratio_to(other) <= LIMITS_BESIDE_OTHERS[call, other].today


def test_two_workers_answer_about_as_many_calls_as_the_fastest_peer_or_more(figures: Figures) -> None:
    if TOOLBOX in figures.not_had:
        pytest.skip(figures.not_had[TOOLBOX])
    assert {rate.call for rate in figures.rates if rate.ratio < RATE_TODAY} == set()


def test_little_is_added_to_a_brief_search_by_what_is_not_postgres_or_the_embedder(figures: Figures) -> None:
    assert figures.own_ms <= OWN_SHARE_MS


def test_a_second_start_is_ready_in_time(figures: Figures) -> None:
    # Others' work on the machine only adds: the least disturbed start shows what ours needs.
    assert min(figures.starts.second_s) < SECOND_START_S


def test_the_service_without_the_local_model_is_small_in_memory(figures: Figures) -> None:
    assert not figures.starts.without_model.has_model
    assert figures.starts.without_model.resident_bytes < IDLE_BYTES


def test_the_model_is_there_where_its_memory_is_shown(figures: Figures) -> None:
    assert figures.starts.with_model.has_model
