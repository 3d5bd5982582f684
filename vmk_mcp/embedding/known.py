"""An embedder in front of which the vectors of some documents lie ready."""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from vmk_mcp.embedding.port import Embedder, Vectors


def digest_text(text: str) -> str:
    """Give the SHA-256 of a text, hexadecimal, by which its vector is known."""
    return hashlib.sha256(text.encode()).hexdigest()


class KnownDocuments:
    """Gives the vectors of known documents, and has `inner` embed the others; see `Embedder`.

    Args:
        inner: of the model that made the known vectors.
        known: `(dimensions,) float32, unit rows` by `digest_text`.
    """

    def __init__(self, inner: Embedder, known: Mapping[str, Vectors]) -> None:
        self.model = inner.model
        self.dimensions = inner.dimensions
        self._inner = inner
        self._known = known

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_queries`."""
        return await self._inner.embed_queries(texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_documents`."""
        rows = [self._known.get(digest_text(text)) for text in texts]
        missing = [text for text, row in zip(texts, rows, strict=True) if row is None]
        others = iter(await self._inner.embed_documents(missing) if missing else ())
        vectors = [next(others) if row is None else row for row in rows]
        return np.array(vectors, dtype=np.float32).reshape(len(texts), self.dimensions)

    async def close(self) -> None:
        """See `Embedder.close`."""
        await self._inner.close()
