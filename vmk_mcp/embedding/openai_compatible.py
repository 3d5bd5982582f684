"""An embedder behind an OpenAI-compatible `/v1/embeddings`: OpenAI, infinity, vLLM, TEI and others."""

import asyncio
from collections.abc import Sequence
from typing import Final

import httpx
import msgspec
from msgspec import Struct

from vmk_mcp.embedding.endpoint import JsonEndpoint, Pause, Route
from vmk_mcp.embedding.failures import Server
from vmk_mcp.embedding.remote import RemoteEmbedder, RemoteModel
from vmk_mcp.errors import EmbeddingUnavailable

# These models, and no others, shorten their vectors on request and refuse nothing for it.
_SHORTENABLE: Final = "text-embedding-3"


class _Request(Struct, frozen=True, omit_defaults=True):
    model: str
    input: list[str]
    encoding_format: str
    dimensions: int | None = None


class _Row(Struct, frozen=True):
    index: int
    embedding: list[float]


class _Answer(Struct, frozen=True):
    data: list[_Row]


class OpenAICompatibleEmbedder(RemoteEmbedder):
    """Has a server that speaks OpenAI's embeddings API embed; see `Embedder`.

    The address may end in `/v1` or not, or be the full one that ends in `/embeddings`.
    """

    def __init__(
        self,
        model: RemoteModel,
        *,
        api_key: str = "",
        client: httpx.AsyncClient | None = None,
        pause: Pause = asyncio.sleep,
    ) -> None:
        headers = (("authorization", f"Bearer {api_key}"),) if api_key else ()
        route = Route(_embeddings_address(model.base_url), model.timeout_s, headers)
        connections = httpx.AsyncClient() if client is None else client
        super().__init__(model, JsonEndpoint(route, _server(model.name), client=connections, pause=pause))

    async def _ask(self, inputs: list[str]) -> Sequence[Sequence[float]]:
        shortened = self.dimensions if self.model.startswith(_SHORTENABLE) else None
        body = msgspec.json.encode(_Request(self.model, inputs, "float", shortened))
        answer = await self._endpoint.post(body, _Answer, most_bytes=self._most_bytes(len(inputs)))
        rows = sorted(answer.data, key=lambda row: row.index)
        if len(rows) == len(inputs) and [row.index for row in rows] != list(range(len(inputs))):
            raise EmbeddingUnavailable(
                "The embedding server did not say which vector belongs to which text.",
                hint="Check that EMBED_BASE_URL leads to a server that speaks OpenAI's embeddings API.",
            )
        return [row.embedding for row in rows]


def _embeddings_address(base_url: str) -> str:
    address = base_url.rstrip("/")
    if address.endswith("/embeddings"):
        return address
    return f"{address}/embeddings" if address.endswith("/v1") else f"{address}/v1/embeddings"


def _server(model: str) -> Server:
    return Server(
        name="The embedding server",
        model=model,
        address_setting="EMBED_BASE_URL",
        timeout_setting="OLLAMA_REQUEST_TIMEOUT",
        key_setting="EMBED_API_KEY",
        missing_model_hint="Set EMBED_MODEL to a model that it serves.",
        address_hint="It is the address before /v1, or the full one that ends in /embeddings.",
    )
