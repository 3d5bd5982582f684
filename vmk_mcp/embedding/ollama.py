"""An embedder behind Ollama's `/api/embed`."""

import asyncio
from collections.abc import Sequence

import httpx
import msgspec
from msgspec import Struct

from vmk_mcp.embedding.endpoint import JsonEndpoint, Pause, Route
from vmk_mcp.embedding.failures import Server
from vmk_mcp.embedding.remote import RemoteEmbedder, RemoteModel


class _Request(Struct, frozen=True):
    model: str
    input: list[str]
    truncate: bool = True


class _Answer(Struct, frozen=True):
    embeddings: list[list[float]]


class OllamaEmbedder(RemoteEmbedder):
    """Has Ollama embed; see `Embedder`.

    Ollama stands in one's own network, so the environment's proxy is not asked.
    """

    def __init__(
        self, model: RemoteModel, *, client: httpx.AsyncClient | None = None, pause: Pause = asyncio.sleep
    ) -> None:
        route = Route(f"{model.base_url.rstrip('/')}/api/embed", model.timeout_s)
        connections = httpx.AsyncClient(trust_env=False) if client is None else client
        super().__init__(model, JsonEndpoint(route, _server(model.name), client=connections, pause=pause))

    async def _ask(self, inputs: list[str]) -> Sequence[Sequence[float]]:
        body = msgspec.json.encode(_Request(self.model, inputs))
        answer = await self._endpoint.post(body, _Answer, most_bytes=self._most_bytes(len(inputs)))
        return answer.embeddings


def _server(model: str) -> Server:
    return Server(
        name="Ollama",
        model=model,
        address_setting="OLLAMA_BASE_URL",
        timeout_setting="OLLAMA_REQUEST_TIMEOUT",
        key_setting="the proxy in front of Ollama",
        missing_model_hint=f"Run `ollama pull {model}` there, or set OLLAMA_EMBED_MODEL to a model it has.",
        address_hint="Its address looks like http://127.0.0.1:11434, and Ollama must be 0.3 or newer.",
    )
