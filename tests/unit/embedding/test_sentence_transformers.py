"""The embedder over the package `sentence-transformers`, of which a stand-in is loaded by its name."""

import sys
from types import ModuleType

import numpy as np
import pytest

from vmk_mcp.embedding.port import Vectors
from vmk_mcp.embedding.sentence_transformers import SentenceTransformersEmbedder, load_transformer
from vmk_mcp.errors import EmbeddingUnavailable, StartError


class Stand:
    """Stands in for `SentenceTransformer`; remembers what it was given."""

    def __init__(self, model: str) -> None:
        if model == "no-such-model":
            raise OSError("cannot be found under some address")
        self.given: list[str] = []
        self.failure: Exception | None = None

    def get_sentence_embedding_dimension(self) -> int:
        return 3

    def encode(self, sentences: list[str], **options: object) -> Vectors:
        assert options["show_progress_bar"] is False
        if self.failure is not None:
            raise self.failure
        self.given += sentences
        return np.array([[len(text), 1, 0] for text in sentences], dtype=np.float32)


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = Stand  # type: ignore[attr-defined]  # (a module made up here)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)


@pytest.mark.usefixtures("package")
async def test_texts_are_embedded_with_the_models_own_prefixes() -> None:
    embedder = SentenceTransformersEmbedder("intfloat/e5-small")
    vectors = await embedder.embed_documents(["два  слова", "одне"])
    await embedder.embed_queries(["питання"])
    stand = embedder._transformer
    assert isinstance(stand, Stand)
    assert stand.given == ["passage: два слова", "passage: одне", "query: питання"]
    assert vectors.shape == (2, 3)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert (await embedder.embed_documents([])).shape == (0, 3)
    await embedder.close()


@pytest.mark.usefixtures("package")
async def test_a_failure_of_the_model_is_named_without_its_text() -> None:
    embedder = SentenceTransformersEmbedder("all-MiniLM-L6-v2")
    stand = embedder._transformer
    assert isinstance(stand, Stand)
    stand.failure = RuntimeError("CUDA out of memory at 0x7f")
    with pytest.raises(EmbeddingUnavailable) as failed:
        await embedder.embed_queries(["x"])
    assert "CUDA" not in failed.value.message
    await embedder.close()


@pytest.mark.usefixtures("package")
def test_a_model_that_cannot_be_had_is_named() -> None:
    with pytest.raises(StartError, match="no-such-model"):
        load_transformer("no-such-model")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(StartError, match="not installed"):
        load_transformer("all-MiniLM-L6-v2")
