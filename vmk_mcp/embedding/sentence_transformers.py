"""An embedder inside this process by the package `sentence-transformers`, which is an extra."""

import asyncio
import importlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Protocol

from vmk_mcp.embedding.port import Vectors
from vmk_mcp.embedding.prefixes import prefixes_for
from vmk_mcp.embedding.texts import normalise_text
from vmk_mcp.embedding.vectors import unit_rows
from vmk_mcp.errors import EmbeddingUnavailable, StartError

DEFAULT_MODEL: Final = "all-MiniLM-L6-v2"

_BATCH: Final = 32


class Transformer(Protocol):
    """The part of `sentence_transformers.SentenceTransformer` that is used."""

    def encode(self, sentences: list[str], **options: object) -> Vectors:
        """Give `(n, dimensions) float32`."""

    def get_sentence_embedding_dimension(self) -> int | None:
        """Give the length of the vectors."""


def load_transformer(model: str) -> Transformer:
    """Load a model by its name or folder; the first time it may be downloaded.

    Raises:
        StartError: the package is not installed, or the model cannot be had.
    """
    try:
        package = importlib.import_module("sentence_transformers")
    except ImportError:
        raise StartError(
            "VECTOR_EMBEDDING_PROVIDER is sentence_transformers, which is not installed.",
            hint="Install vmk-mcp[sentence-transformers], or set VECTOR_EMBEDDING_PROVIDER to local.",
        ) from None
    try:
        transformer: Transformer = package.SentenceTransformer(model)
    except Exception:  # noqa: BLE001 (the package has no one kind for what goes wrong with a model)
        raise StartError(
            f"The model {model!r} cannot be loaded by sentence_transformers.",
            hint="Set VECTOR_EMBEDDING_MODEL to a model that is on this machine, or let it be downloaded.",
        ) from None
    return transformer


class SentenceTransformersEmbedder:
    """Embeds on one thread of its own; see `Embedder`.

    Args:
        model: name or folder of the model, which is loaded at once.
        load: gives the model; see `load_transformer`.
    """

    def __init__(self, model: str, *, load: Callable[[str], Transformer] = load_transformer) -> None:
        self.model = model
        self._transformer = load(model)
        self.dimensions = self._transformer.get_sentence_embedding_dimension() or 0
        self._prefixes = prefixes_for(model)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedder")

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_queries`."""
        return await self._embed(self._prefixes.query, texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_documents`."""
        return await self._embed(self._prefixes.document, texts)

    async def close(self) -> None:
        """Let the thread end after the texts that it is at."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _embed(self, prefix: str, texts: Sequence[str]) -> Vectors:
        inputs = [prefix + normalise_text(text) for text in texts]
        loop = asyncio.get_running_loop()
        rows = await loop.run_in_executor(self._thread, self._encode, inputs) if inputs else []
        return unit_rows(rows, count=len(inputs), dimensions=self.dimensions, model=self.model)

    def _encode(self, inputs: list[str]) -> Sequence[Vectors]:
        try:
            return list(
                self._transformer.encode(
                    inputs, batch_size=_BATCH, convert_to_numpy=True, show_progress_bar=False
                )
            )
        except (RuntimeError, ValueError):
            raise EmbeddingUnavailable(
                f"The model {self.model!r} failed in sentence_transformers.",
                hint="Look at the memory of this machine, then try again.",
            ) from None
