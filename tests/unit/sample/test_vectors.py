"""The vectors that come with the sample are of its texts, and of the model that they name."""

from collections.abc import Sequence
from importlib.resources import files

import numpy as np
import pytest

from vmk_mcp.embedding.local import LOCAL_MODEL, LocalEmbedder
from vmk_mcp.embedding.port import Vectors
from vmk_mcp.sample.listings import SAMPLE_COUNT
from vmk_mcp.sample.vectors import (
    digest_texts,
    draw_vectors,
    embed_texts,
    read_archive,
    sample_texts,
)


class CountingEmbedder:
    """Gives for each text its length, on the first of 768 axes."""

    model = "counting"
    dimensions = 768

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await self.embed_documents(texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dimensions), np.float32)
        rows[:, 0] = [len(text) for text in texts]
        return rows

    async def close(self) -> None:
        pass


def test_the_vectors_are_of_the_texts_as_they_are_now() -> None:
    # Where this fails after a wanted change of the sample or of its texts: python -m vmk_mcp.sample.vectors
    assert read_archive().digest == digest_texts(sample_texts())


def test_the_vectors_name_the_local_model() -> None:
    assert read_archive().model == LOCAL_MODEL


def test_there_is_a_unit_row_of_the_columns_width_for_each_listing() -> None:
    vectors = np.array(list(draw_vectors()))
    assert vectors.shape == (SAMPLE_COUNT, 768)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert not vectors[:, 384:].any()


def test_the_file_is_of_half_precision_and_under_five_mebibytes() -> None:
    assert read_archive().vectors.dtype == np.float16
    assert len(files("vmk_mcp.sample").joinpath("listings_vectors.npz").read_bytes()) < 5 * 2**20


async def test_embedding_some_listings_again_gives_their_vectors() -> None:
    numbers = [0, 411, 1_618, 2_717, SAMPLE_COUNT - 1]
    texts = sample_texts()
    embedder = LocalEmbedder()
    try:
        again = await embedder.embed_documents([texts[number] for number in numbers])
    finally:
        await embedder.close()
    assert (again * np.array(list(draw_vectors()))[numbers]).sum(axis=1).min() > 0.999


async def test_texts_are_embedded_in_their_order_over_all_batches() -> None:
    texts = ["я" * length for length in range(1, 40)]
    vectors = await embed_texts(CountingEmbedder(), texts)
    assert vectors.shape == (39, 384)
    assert vectors[:, 0].tolist() == list(range(1, 40))


def test_a_digest_tells_where_one_text_ends() -> None:
    assert digest_texts(["аб", "в"]) != digest_texts(["а", "бв"])
