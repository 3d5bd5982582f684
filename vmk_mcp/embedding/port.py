"""The port that turns texts into vectors."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""Rows of unit length, `(n, dimensions)`; or one such row, `(dimensions,)`."""

Kind = Literal["query", "document"]

Embed = Callable[[Sequence[str]], Awaitable[Vectors]]


class Embedder(Protocol):
    """Turns texts into vectors whose cosine says how near their meanings are.

    Both ways of embedding give `(len(texts), dimensions) float32, unit rows`, in the order of the texts, and
    `(0, dimensions)` of no texts. Texts are normalised (see `texts.normalise_text`) and cut at the embedder's
    own limit of length.

    Raises:
        EmbeddingUnavailable: the embedder cannot be reached, is too slow, or gave something unusable.
        InvalidArguments: a text holds no character that could be embedded.
    """

    @property
    def model(self) -> str:
        """Name of the model, as the operator knows it."""

    @property
    def dimensions(self) -> int:
        """Length of every vector."""

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed what somebody searches for."""

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed what is to be found."""

    async def close(self) -> None:
        """Let go of connections and threads; nothing is embedded afterwards."""
