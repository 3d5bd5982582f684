"""Checks at start: dimension, name of the model, and agreement with stored vectors."""

import numpy as np
import pytest

from tests.fakes import FakeEmbedder
from vmk_mcp.embedding.port import Vectors
from vmk_mcp.embedding.verify import check_dimensions, compare_with_stored, refuse_other_model
from vmk_mcp.errors import EmbeddingUnavailable, StartError

TEXTS = ["Двокімнатна квартира", "Будинок біля лісу", "Офіс у центрі"]


async def stored(model: str = "fake-model") -> Vectors:
    """Give the vectors that `model` makes of the texts."""
    return await FakeEmbedder(model).embed_documents(TEXTS)


async def test_an_embedder_of_the_expected_dimension_passes() -> None:
    embedder = FakeEmbedder(dimensions=768)
    await check_dimensions(embedder, 768)
    assert len(embedder.requests) == 1


async def test_another_dimension_is_refused_with_both_numbers() -> None:
    with pytest.raises(EmbeddingUnavailable, match="1024 dimensions where 768"):
        await check_dimensions(FakeEmbedder(dimensions=1024), 768)


async def test_an_embedder_that_is_down_is_found_at_start() -> None:
    embedder = FakeEmbedder()
    embedder.failure = EmbeddingUnavailable("Ollama cannot be reached.")
    with pytest.raises(EmbeddingUnavailable, match="cannot be reached"):
        await check_dimensions(embedder, 768)


@pytest.mark.parametrize("recorded", ["nomic-embed-text", "nomic-embed-text:latest", "Nomic-Embed-Text"])
def test_the_same_model_by_another_spelling_passes(recorded: str) -> None:
    refuse_other_model(FakeEmbedder("nomic-embed-text"), recorded)


@pytest.mark.parametrize("recorded", ["multilingual-e5-small", "nomic-embed-text:v1.5", ""])
def test_another_model_is_refused_with_both_names(recorded: str) -> None:
    with pytest.raises(StartError) as caught:
        refuse_other_model(FakeEmbedder("nomic-embed-text"), recorded)
    assert "'nomic-embed-text'" in caught.value.message
    assert repr(recorded) in caught.value.message


async def test_vectors_of_the_same_model_match_whatever_their_length() -> None:
    agreement = await compare_with_stored(FakeEmbedder(), TEXTS, 7 * await stored(), "fake-model")
    assert agreement.matches
    assert agreement.mean_cosine == pytest.approx(1.0, abs=1e-5)
    assert agreement.compared == 3
    assert agreement.sentence.startswith("Match")


async def test_vectors_of_another_model_are_a_mismatch_with_both_names() -> None:
    agreement = await compare_with_stored(FakeEmbedder(), TEXTS, await stored("other-model"), "said-model")
    assert not agreement.matches
    assert abs(agreement.mean_cosine) < 0.2
    assert agreement.sentence.startswith("Mismatch")
    assert "'fake-model'" in agreement.sentence
    assert "'said-model'" in agreement.sentence


async def test_vectors_that_are_near_but_not_the_same_point_at_the_prefix() -> None:
    blurred = await stored() + 1.2 * await stored("other-model")
    agreement = await compare_with_stored(FakeEmbedder(), TEXTS, blurred.astype(np.float32), "fake-model")
    assert not agreement.matches
    assert "EMBED_DOCUMENT_PREFIX" in agreement.sentence


async def test_vectors_of_another_dimension_are_a_mismatch_with_both_numbers() -> None:
    embedder = FakeEmbedder(dimensions=384)
    agreement = await compare_with_stored(embedder, TEXTS, await stored(), "fake-model")
    assert not agreement.matches
    assert "384 and 768" in agreement.sentence
    assert embedder.requests == []


async def test_a_stored_zero_vector_agrees_with_nothing_and_breaks_nothing() -> None:
    agreement = await compare_with_stored(
        FakeEmbedder(), TEXTS, np.zeros((3, 768), dtype=np.float32), "fake-model"
    )
    assert not agreement.matches
    assert agreement.mean_cosine == 0.0


async def test_an_empty_table_is_no_mismatch() -> None:
    agreement = await compare_with_stored(
        FakeEmbedder(), [], np.zeros((0, 768), dtype=np.float32), "fake-model"
    )
    assert agreement.matches
    assert agreement.compared == 0
