"""How well questions find the documents that answer them, and how fast documents are indexed."""

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tests.bench.knowledge.figures import Retrieval
from tests.bench.knowledge.questions import Question
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.embedding.local import LOCAL_MODEL, MAX_TOKENS, NATIVE_DIMENSIONS, LocalEmbedder
from vmk_mcp.knowledge.building import Wish
from vmk_mcp.knowledge.chunking.chunker import Chunker, ChunkRules
from vmk_mcp.knowledge.chunking.guard import Guard
from vmk_mcp.knowledge.index import IndexFrame, KnowledgeIndex
from vmk_mcp.knowledge.indexing import Workshop
from vmk_mcp.knowledge.pgvector_store import PgvectorStore
from vmk_mcp.knowledge.records import IndexPlan, NearestQuery
from vmk_mcp.knowledge.store import PostgresKnowledgeStore
from vmk_mcp.tool import ignore_progress

CHUNKINGS: Final = ("fixed_size", "fixed_size_overlap", "semantic")
_SIZE: Final = 500
_OVERLAP: Final = 50
_TOP_K: Final = 5


class TimedEmbedder:
    """The local embedder; `embedding_s` is the time in which it was at work on documents, for one or many."""

    def __init__(self, embedder: LocalEmbedder) -> None:
        self._embedder = embedder
        self.model = embedder.model
        self.dimensions = embedder.dimensions
        self.embedding_s = 0.0
        self._under_way = 0
        self._began_s = 0.0

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return await self._embedder.embed_queries(texts)

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if not self._under_way:
            self._began_s = perf_counter()
        self._under_way += 1
        try:
            return await self._embedder.embed_documents(texts)
        finally:
            self._under_way -= 1
            if not self._under_way:
                self.embedding_s += perf_counter() - self._began_s


async def measure_retrieval(
    database: StateDatabase, root: Path, questions: Sequence[Question], chunking: str
) -> Retrieval:
    """Index a folder anew, every text embedded, and ask all questions."""
    local = LocalEmbedder(NATIVE_DIMENSIONS)
    await local.embed_documents(["to have the model loaded"])
    embedder, guard = TimedEmbedder(local), Guard(local.count_document_tokens, MAX_TOKENS)
    rules = ChunkRules(strategy=chunking, size=_SIZE, overlap=_OVERLAP, most_characters=3_900)
    plan = IndexPlan(
        provider="local", model=LOCAL_MODEL, dimensions=NATIVE_DIMENSIONS, chunker=rules.name,
        chunk_size=_SIZE, chunk_overlap=_OVERLAP, store="pgvector",
    )  # fmt: skip
    store, vectors = PostgresKnowledgeStore(database), PgvectorStore(database)
    workshop = Workshop(Chunker(rules, embedder.embed_documents, guard), embedder)
    index = KnowledgeIndex(store, vectors, IndexFrame(root, plan, lambda _: workshop))
    started_s = perf_counter()
    generation, survey = await index.rebuild(Wish(is_forced=True), ignore_progress)
    elapsed_s = perf_counter() - started_s
    missed = []
    for question in questions:
        (vector,) = await embedder.embed_queries([question.ask])
        near = await vectors.find_nearest(
            NearestQuery(generation=generation.id, owner=None, vector=vector, limit=_TOP_K)
        )
        chunks = await store.read_chunks(generation.id, None, [one.id for one in near])
        if not {chunk.file_path for chunk in chunks} & set(question.files):
            missed.append(question.ask)
    await local.close()
    return Retrieval(
        folder=root.name,
        chunking=chunking,
        files=sum(survey.counts.values()),
        chunks=survey.chunks,
        questions=len(questions),
        found=1 - len(missed) / len(questions),
        missed=tuple(missed),
        elapsed_s=elapsed_s,
        embedding_s=embedder.embedding_s,
    )
