"""What readiness is told of the embedder."""

import pytest

from vmk_mcp.embedding.standing import EmbedderStanding
from vmk_mcp.observe import Embedded, EmbedderChanged


@pytest.fixture
def standing() -> EmbedderStanding:
    return EmbedderStanding()


def test_nothing_is_wrong_until_something_is_told(standing: EmbedderStanding) -> None:
    assert standing.reasons() == []


def test_an_open_breaker_is_a_reason_until_it_closes(standing: EmbedderStanding) -> None:
    standing.observe(EmbedderChanged("m", reachable=False, reason="gone"))
    assert standing.reasons() == ["gone"]
    standing.observe(EmbedderChanged("m", reachable=True, reason=""))
    assert standing.reasons() == []


def test_one_failure_is_forgotten_when_the_next_text_is_embedded(standing: EmbedderStanding) -> None:
    standing.note_unreachable("gone")
    assert standing.reasons() == ["gone"]
    standing.observe(Embedded("m", texts=2, cached=1, elapsed_s=0.1))
    assert standing.reasons() == []


def test_an_answer_out_of_the_cache_says_nothing_of_the_embedder(standing: EmbedderStanding) -> None:
    standing.note_unreachable("gone")
    standing.observe(Embedded("m", texts=2, cached=2, elapsed_s=0.0))
    standing.observe(Embedded("m", texts=0, cached=0, elapsed_s=0.0))
    assert standing.reasons() == ["gone"]


def test_vectors_that_do_not_match_stay_a_reason_whatever_is_embedded(standing: EmbedderStanding) -> None:
    standing.note_mismatch("Mismatch")
    standing.observe(Embedded("m", texts=1, cached=0, elapsed_s=0.1))
    assert standing.reasons() == ["Mismatch"]
