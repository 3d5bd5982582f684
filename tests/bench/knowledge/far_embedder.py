"""How fast documents are indexed where the embedder is a server that takes its time."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tests.bench.knowledge.figures import FarIndexing
from tests.fakes import RecordingObserver
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.embedding.cache import CachedEmbedder, CacheLimits
from vmk_mcp.knowledge.building import Wish
from vmk_mcp.knowledge.chunking.chunker import Chunker, ChunkRules
from vmk_mcp.knowledge.index import IndexFrame, KnowledgeIndex
from vmk_mcp.knowledge.indexing import Workshop
from vmk_mcp.knowledge.pgvector_store import PgvectorStore
from vmk_mcp.knowledge.records import IndexPlan
from vmk_mcp.knowledge.store import PostgresKnowledgeStore
from vmk_mcp.tool import ignore_progress

REQUEST_S: Final = 0.03
TEXT_S: Final = 0.002
_DIMENSIONS: Final = 384
_RULES: Final = ChunkRules(strategy="fixed_size_overlap", size=500, overlap=50)


class FarEmbedder:
    """Waits as long as a request to a server may take, and gives vectors that mean nothing."""

    model = "far"
    dimensions = _DIMENSIONS

    def __init__(self) -> None:
        self.requests = 0
        self._chance = np.random.default_rng(5)

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return await self.embed_documents(texts)

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.requests += 1
        await asyncio.sleep(REQUEST_S + TEXT_S * len(texts))
        rows = self._chance.standard_normal((len(texts), _DIMENSIONS)).astype(np.float32)
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    async def close(self) -> None:
        """Nothing is held."""


async def measure_far_indexing(database: StateDatabase, root: Path) -> FarIndexing:
    """Index a folder anew, every text embedded, beside how long that would take the embedder alone."""
    far = FarEmbedder()
    embedder = CachedEmbedder(far, RecordingObserver())
    plan = IndexPlan(
        provider="far", model=far.model, dimensions=_DIMENSIONS, chunker=_RULES.name,
        chunk_size=_RULES.size, chunk_overlap=_RULES.overlap, store="pgvector",
    )  # fmt: skip
    workshop = Workshop(Chunker(_RULES, embedder.embed_documents), embedder)
    frame = IndexFrame(root, plan, lambda _: workshop)
    index = KnowledgeIndex(PostgresKnowledgeStore(database), PgvectorStore(database), frame)
    started_s = perf_counter()
    _, survey = await index.rebuild(Wish(is_forced=True), ignore_progress)
    elapsed_s = perf_counter() - started_s
    await embedder.close()
    texts = survey.embedded_texts
    alone_s = REQUEST_S * -(-texts // CacheLimits().texts_per_request) + TEXT_S * texts
    return FarIndexing(sum(survey.counts.values()), survey.chunks, far.requests, elapsed_s, alone_s)
