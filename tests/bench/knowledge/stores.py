"""How long a search among many chunks takes in each store, and how complete it is."""

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter
from typing import Final

import numpy as np

from tests.bench.knowledge.figures import Searching
from tests.fake_vector_truth import FakeVectorTruth
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.knowledge.faiss_vectors import FaissVectors
from vmk_mcp.knowledge.following import FollowingStore
from vmk_mcp.knowledge.pgvector_store import PgvectorStore
from vmk_mcp.knowledge.ports import OutsideVectors, VectorStore
from vmk_mcp.knowledge.qdrant_vectors import QdrantVectors
from vmk_mcp.knowledge.records import (
    ChunkChanges,
    ChunkDraft,
    FileNote,
    Generation,
    IndexPlan,
    NearestQuery,
    Vectors,
)
from vmk_mcp.knowledge.store import PostgresKnowledgeStore

STORES: Final = ("pgvector", "faiss", "qdrant (folder)")
DIMENSIONS: Final = 384
_SEARCHES: Final = 100
_NEAREST: Final = 10
_AT_ONCE: Final = 1_000
_TOPICS: Final = 200

Find = Callable[[Vectors], Awaitable[Sequence[int]]]
"""Gives the places in the array of vectors of the ten nearest."""


def make_vectors(count: int) -> Vectors:
    """Give unit rows that lie in clusters, as those of documents do; the last are to be searched for."""
    chance = np.random.default_rng(3)
    topics = chance.standard_normal((_TOPICS, DIMENSIONS)).astype(np.float32)
    rows = topics[chance.integers(0, _TOPICS, count + _SEARCHES)]
    rows += 0.7 * chance.standard_normal(rows.shape).astype(np.float32)
    unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


async def measure_searching(store: str, chunks: int, database: StateDatabase, folder: Path) -> Searching:
    """Fill a store and search it a hundred times, one search at a time."""
    rows = make_vectors(chunks)
    held, queries = rows[:chunks], rows[chunks:]
    opened = _open_pgvector(database, held) if store == "pgvector" else _open_outside(store, folder, held)
    async with opened as find:
        took_ms, hits = [], 0
        await find(queries[0])
        for query in queries:
            started_s = perf_counter()
            found = await find(query)
            took_ms.append((perf_counter() - started_s) * 1000)
            nearest = np.argsort(-(held @ query))[:_NEAREST]
            hits += len(set(found) & set(nearest.tolist()))
    p50, p95 = np.percentile(took_ms, [50, 95])
    return Searching(store, chunks, float(p50), float(p95), hits / (_NEAREST * _SEARCHES))


@asynccontextmanager
async def _open_outside(kind: str, folder: Path, rows: Vectors) -> AsyncIterator[Find]:
    outside: OutsideVectors = FaissVectors(folder) if kind == "faiss" else QdrantVectors(folder)
    truth = FakeVectorTruth()
    generation, store = await truth.begin(DIMENSIONS), FollowingStore(outside, truth)
    ids = await truth.add(generation, None, rows)
    await store.follow(generation)
    yield _finder(store, generation, dict(zip(ids, range(len(ids)), strict=True)))
    await store.close()


@asynccontextmanager
async def _open_pgvector(database: StateDatabase, rows: Vectors) -> AsyncIterator[Find]:
    store = PostgresKnowledgeStore(database)
    plan = IndexPlan(
        provider="bench", model="bench", dimensions=DIMENSIONS, chunker="bench", chunk_size=512,
        chunk_overlap=50, store="pgvector",
    )  # fmt: skip
    generation = await store.start_generation(secrets.token_hex(6), plan)
    places: dict[int, int] = {}
    for start in range(0, len(rows), _AT_ONCE):
        part = rows[start : start + _AT_ONCE]
        note = FileNote(owner=None, path=f"{start}.md", content_hash="0" * 64)
        drafts = [_draft(start + at, at) for at in range(len(part))]
        async with store.write_files(None, [note.path]) as writing:
            await writing.put_file(generation.id, note, ChunkChanges([], [], drafts, part))
            file = await writing.find_file(generation.id, None, note.path)
            assert file is not None
            ids = [chunk.id for chunk in await writing.list_chunks(file.id)]
        places |= {id_: start + at for at, id_ in enumerate(ids)}
    await store.prepare_searching(generation)
    yield _finder(PgvectorStore(database), generation, places)
    await store.drop_generation(generation)


def _finder(store: VectorStore, generation: Generation, places: dict[int, int]) -> Find:
    async def find(vector: Vectors) -> Sequence[int]:
        await store.follow(generation)
        near = await store.find_nearest(
            NearestQuery(generation=generation.id, owner=None, vector=vector, limit=_NEAREST)
        )
        return [places[one.id] for one in near]

    return find


def _draft(number: int, ordinal: int) -> ChunkDraft:
    return ChunkDraft(
        ordinal=ordinal, text="x", text_hash=f"{number:064x}", heading_path=[], start_line=1, end_line=1,
        tokens=1,
    )  # fmt: skip
