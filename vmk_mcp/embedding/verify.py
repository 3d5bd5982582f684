"""Checks at start that an embedder works and that its vectors belong to those that are stored."""

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np
from msgspec import Struct

from vmk_mcp.embedding.port import Embedder, Vectors
from vmk_mcp.embedding.vectors import wrong_dimension
from vmk_mcp.errors import StartError

_PROBE: Final = "Двокімнатна квартира біля метро"
# The same model quantised otherwise agrees to .98; with another prefix, or a text put together otherwise, to
# .6-.9; vectors of two models have nothing in common (|cosine| < .1 at 768 dimensions).
_SAME: Final = 0.9
_RELATED: Final = 0.5


class Agreement(Struct, frozen=True):
    """How far stored vectors and freshly made ones of the same texts agree.

    Attributes:
        matches: the stored vectors are of this embedder's kind.
        mean_cosine: 1 for equal ones; 0 where nothing could be compared.
        compared: number of vectors compared.
        sentence: the outcome for an operator, with the names of both models.
    """

    matches: bool
    mean_cosine: float
    compared: int
    sentence: str


class EmbedsQueries(Protocol):
    """The part of an `Embedder` that a probe needs."""

    @property
    def model(self) -> str:
        """See `Embedder.model`."""

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_queries`."""


async def check_dimensions(embedder: EmbedsQueries, expected: int) -> None:
    """Embed a probe text.

    Raises:
        EmbeddingUnavailable: the embedder does not work, or its vectors are not of `expected` dimensions.
    """
    vectors = await embedder.embed_queries([_PROBE])
    if vectors.shape[1] != expected:
        raise wrong_dimension(embedder.model, given=vectors.shape[1], expected=expected)


def refuse_other_model(embedder: Embedder, recorded_model: str) -> None:
    """Compare names with the model on record; a tag `latest` and the letter case make no difference.

    Raises:
        StartError: the names differ.
    """
    if _plain_name(embedder.model) != _plain_name(recorded_model):
        raise StartError(
            f"The stored vectors were made by {recorded_model!r}; the embedder is {embedder.model!r}.",
            hint=f"Set the embedder to {recorded_model!r}, or make all vectors anew: `vmk-mcp embed --all`.",
        )


async def compare_with_stored(
    embedder: Embedder, texts: Sequence[str], stored: Vectors, stored_model: str
) -> Agreement:
    """Embed stored documents again and compare.

    Args:
        embedder: the embedder that is to search among the stored vectors.
        texts: the documents.
        stored: `(len(texts), d) float32`, their stored vectors, of any length.
        stored_model: the model that is said to have made them.

    Raises:
        EmbeddingUnavailable: the embedder does not work.
    """
    names = f"the embedder {embedder.model!r} and the stored vectors (said to be of {stored_model!r})"
    if not texts:
        return Agreement(
            matches=True, mean_cosine=0.0, compared=0, sentence=f"Nothing is stored to compare {names} by."
        )
    if stored.shape[1] != embedder.dimensions:
        sizes = f"{embedder.dimensions} and {stored.shape[1]}"
        return Agreement(
            matches=False, mean_cosine=0.0, compared=0, sentence=f"Of different dimensions, {sizes}: {names}."
        )
    mean = _mean_cosine(await embedder.embed_documents(texts), stored)
    sentence = f"{_verdict(mean)}: {names}; mean cosine {mean:.2f} over {len(texts)} documents."
    return Agreement(matches=mean >= _SAME, mean_cosine=mean, compared=len(texts), sentence=sentence)


def _verdict(mean_cosine: float) -> str:
    if mean_cosine >= _SAME:
        return "Match"
    if mean_cosine >= _RELATED:
        return "Same model perhaps, but other texts or another EMBED_DOCUMENT_PREFIX"
    return "Mismatch, made by different models"


def _mean_cosine(fresh: Vectors, stored: Vectors) -> float:
    lengths = np.linalg.norm(stored, axis=1)
    # A stored zero vector agrees with nothing.
    cosines = np.einsum("nd,nd->n", fresh, stored) / np.where(lengths > 0, lengths, 1.0)
    return float(cosines.mean())


def _plain_name(model: str) -> str:
    return model.casefold().removesuffix(":latest")
