"""What all embedders behind HTTP share."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from vmk_mcp.embedding.endpoint import JsonEndpoint
from vmk_mcp.embedding.port import Vectors
from vmk_mcp.embedding.prefixes import Prefixes, prefixes_for
from vmk_mcp.embedding.texts import normalise_text
from vmk_mcp.embedding.vectors import unit_rows

# A float64 takes up to 25 characters in JSON; servers indent, and add names and counts.
_BYTES_PER_VALUE: Final = 40
_BYTES_AROUND: Final = 65_536


class RemoteModel(Struct, frozen=True):
    """A model behind HTTP.

    Attributes:
        base_url: address of the server, in the form that its settings document.
        name: the model's name, as the server knows it.
        dimensions: length that its vectors must have.
        timeout_s: seconds one request may take, its retry included.
        prefixes: put before the texts; None: the model's own.
    """

    base_url: str
    name: str
    dimensions: int = 768
    timeout_s: float = 60.0
    prefixes: Prefixes | None = None


class RemoteEmbedder(ABC):
    """Prepares texts, has a server embed them in one request a call, and checks what it answered."""

    def __init__(self, model: RemoteModel, endpoint: JsonEndpoint) -> None:
        self.model = model.name
        self.dimensions = model.dimensions
        self._prefixes = prefixes_for(model.name) if model.prefixes is None else model.prefixes
        self._endpoint = endpoint

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_queries`."""
        return await self._embed(self._prefixes.query, texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_documents`."""
        return await self._embed(self._prefixes.document, texts)

    async def close(self) -> None:
        """Close the connections to the server."""
        await self._endpoint.close()

    async def _embed(self, prefix: str, texts: Sequence[str]) -> Vectors:
        inputs = [prefix + normalise_text(text) for text in texts]
        rows = await self._ask(inputs) if inputs else []
        return unit_rows(rows, count=len(inputs), dimensions=self.dimensions, model=self.model)

    @abstractmethod
    async def _ask(self, inputs: list[str]) -> Sequence[Sequence[float]]:
        """Have the server embed `inputs`; gives one row each, in their order, unchecked."""

    def _most_bytes(self, count: int) -> int:
        # Room for four times the dimension: a model of another one is to be named, not cut off.
        return _BYTES_AROUND + count * 4 * self.dimensions * _BYTES_PER_VALUE
