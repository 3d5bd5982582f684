"""What every embedder promises, the fake one included."""

from collections.abc import AsyncIterator

import numpy as np
import pytest
import respx

from tests.fakes import FakeEmbedder, RecordingObserver
from tests.unit.embedding.engines import FakeEngine
from tests.unit.embedding.servers import OLLAMA, OPENAI, PauseLog, embed_inputs, open_ollama, open_openai
from vmk_mcp.embedding.breaker import Breaker
from vmk_mcp.embedding.cache import CachedEmbedder
from vmk_mcp.embedding.local import LocalEmbedder, LocalModel
from vmk_mcp.embedding.port import Embedder
from vmk_mcp.errors import InvalidArguments


def open_embedder(name: str) -> Embedder:
    """Open the embedder that is called `name` below."""
    if name == "ollama":
        return open_ollama(PauseLog())
    if name == "openai":
        return open_openai(PauseLog())
    if name == "local":
        return LocalEmbedder(local_model=LocalModel(FakeEngine))
    if name == "breaker":
        return Breaker(FakeEmbedder(), RecordingObserver())
    return CachedEmbedder(FakeEmbedder(), RecordingObserver()) if name == "cache" else FakeEmbedder()


@pytest.fixture(params=["ollama", "openai", "local", "breaker", "cache", "fake"])
async def embedder(request: pytest.FixtureRequest) -> AsyncIterator[Embedder]:
    with respx.mock:
        respx.post(OLLAMA.url).mock(side_effect=embed_inputs(OLLAMA))
        respx.post(OPENAI.url).mock(side_effect=embed_inputs(OPENAI))
        opened = open_embedder(request.param)
        yield opened
        await opened.close()


async def test_both_kinds_come_as_float32_unit_rows_of_the_dimension(embedder: Embedder) -> None:
    for embed in (embedder.embed_queries, embedder.embed_documents):
        vectors = await embed(["дві кімнати", "будинок", "дві кімнати"])
        assert vectors.shape == (3, embedder.dimensions)
        assert vectors.dtype == np.float32
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
        assert np.array_equal(vectors[0], vectors[2])
        assert not np.array_equal(vectors[0], vectors[1])


async def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert (await embedder.embed_queries([])).shape == (0, embedder.dimensions)


async def test_texts_that_differ_in_blanks_only_are_the_same_text(embedder: Embedder) -> None:
    vectors = await embedder.embed_documents(["дві кімнати", " дві\n\tкімнати\0 "])
    assert np.array_equal(vectors[0], vectors[1])


async def test_an_empty_text_is_the_callers_mistake(embedder: Embedder) -> None:
    with pytest.raises(InvalidArguments, match="empty"):
        await embedder.embed_queries(["дві кімнати", " "])
