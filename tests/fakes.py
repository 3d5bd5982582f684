"""Stateful stand-ins for what the services need from outside: deterministic, in memory, told how to fail."""

import asyncio
import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

import numpy as np

from vmk_mcp.embedding.port import Kind, Vectors
from vmk_mcp.embedding.texts import normalise_text
from vmk_mcp.errors import VmkError
from vmk_mcp.observe import Event

EventT = TypeVar("EventT")


class RecordingObserver:
    """Keeps every event that it is told."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def observe(self, event: Event) -> None:
        """See `Observer.observe`."""
        self.events.append(event)

    def of(self, kind: type[EventT]) -> list[EventT]:
        """Give the events of one kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]


class FakeClock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s

    def advance(self, seconds: float) -> None:
        """Move on."""
        self.now_s += seconds


class FakeEmbedder:
    """See `Embedder`: texts that share words are near each other, and the kind makes a small difference.

    Attributes:
        requests: what it was asked for, in order: the kind and the texts of each call.
        failure: raised by each call while it is set.
        closed: nothing may be embedded any more.
    """

    def __init__(self, model: str = "fake-model", dimensions: int = 768) -> None:
        self.model = model
        self.dimensions = dimensions
        self.requests: list[tuple[Kind, tuple[str, ...]]] = []
        self.failure: VmkError | None = None
        self.closed = False
        self._open = asyncio.Event()
        self._open.set()

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_queries`."""
        return await self._embed("query", texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_documents`."""
        return await self._embed("document", texts)

    async def close(self) -> None:
        """See `Embedder.close`."""
        self.closed = True

    def hold(self) -> None:
        """Let no call return until `release`."""
        self._open.clear()

    def release(self) -> None:
        """Let the calls that are held return."""
        self._open.set()

    async def _embed(self, kind: Kind, texts: Sequence[str]) -> Vectors:
        assert not self.closed, "embedded after close"
        normal = [normalise_text(text) for text in texts]
        self.requests.append((kind, tuple(texts)))
        await self._open.wait()
        if self.failure is not None:
            raise self.failure
        rows = [embed_words(kind, text, self.model, self.dimensions) for text in normal]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.dimensions)


def embed_words(kind: Kind, text: str, model: str, dimensions: int) -> Vectors:
    """Give the sum of the words' own directions, a little of the kind's, as a unit row."""
    total = 0.2 * _direction(f"{kind}: ", model, dimensions)
    for word in text.casefold().split():
        total = total + _direction(word, model, dimensions)
    unit: Vectors = (total / np.linalg.norm(total)).astype(np.float32)
    return unit


@lru_cache(maxsize=4096)
def _direction(word: str, model: str, dimensions: int) -> Vectors:
    seed = int.from_bytes(hashlib.blake2b(f"{model}\n{word}".encode(), digest_size=8).digest())
    direction = np.random.default_rng(seed).standard_normal(dimensions)
    unit: Vectors = (direction / np.linalg.norm(direction)).astype(np.float32)
    return unit
