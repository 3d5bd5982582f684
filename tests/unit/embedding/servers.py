"""Embedding servers as respx plays them, one way of asking and answering for each protocol."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

import httpx
from msgspec import Struct

from tests.fakes import embed_words
from vmk_mcp.embedding.ollama import OllamaEmbedder
from vmk_mcp.embedding.openai_compatible import OpenAICompatibleEmbedder
from vmk_mcp.embedding.remote import RemoteEmbedder, RemoteModel

DIMENSIONS: Final = 4


class PauseLog:
    """Takes the place of sleeping; keeps how long it would have been."""

    def __init__(self) -> None:
        self.pauses_s: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.pauses_s.append(seconds)


class Medium(Struct, frozen=True):
    """One protocol: its address, how to open an embedder for it, and how its answers look."""

    url: str
    open: Callable[[PauseLog, float], RemoteEmbedder]
    answer: Callable[[Sequence[Sequence[float]]], dict[str, Any]]
    address_setting: str


def open_ollama(pause: PauseLog, timeout_s: float = 60.0) -> RemoteEmbedder:
    """Open an embedder of `nomic-embed-text` in four dimensions."""
    model = RemoteModel("http://embedder:11434", "nomic-embed-text", DIMENSIONS, timeout_s)
    return OllamaEmbedder(model, pause=pause)


def open_openai(pause: PauseLog, timeout_s: float = 60.0) -> RemoteEmbedder:
    """Open an embedder of `bge-m3` in four dimensions."""
    model = RemoteModel("http://embedder:7997", "bge-m3", DIMENSIONS, timeout_s)
    return OpenAICompatibleEmbedder(model, api_key="made-up-key", pause=pause)


def ollama_answer(rows: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Shape `rows` as `/api/embed` does."""
    return {"model": "nomic-embed-text", "embeddings": rows, "total_duration": 14143917}


def openai_answer(rows: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Shape `rows` as `/v1/embeddings` does."""
    data = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
    return {"object": "list", "data": data, "model": "bge-m3", "usage": {"prompt_tokens": 1}}


OLLAMA: Final = Medium("http://embedder:11434/api/embed", open_ollama, ollama_answer, "OLLAMA_BASE_URL")
OPENAI: Final = Medium("http://embedder:7997/v1/embeddings", open_openai, openai_answer, "EMBED_BASE_URL")


def embed_inputs(medium: Medium) -> Callable[[httpx.Request], httpx.Response]:
    """Give a server that embeds what it is sent, as `FakeEmbedder` does, without unit length."""

    def serve(request: httpx.Request) -> httpx.Response:
        inputs = json.loads(request.content)["input"]
        rows = [(3 * embed_words("query", text, "m", DIMENSIONS)).tolist() for text in inputs]
        return httpx.Response(200, json=medium.answer(rows))

    return serve
