"""The three stores of vectors over what real Postgres holds, under one contract."""

import secrets
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from tests.integration.servers import Dsn
from tests.vector_store_contract import CHECKS, DIMENSIONS, Check, Stage
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.pool import PoolLimits
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.knowledge.faiss_vectors import FaissVectors
from vmk_mcp.knowledge.following import FollowingStore
from vmk_mcp.knowledge.pgvector_store import PgvectorStore
from vmk_mcp.knowledge.ports import VectorStore
from vmk_mcp.knowledge.qdrant_vectors import QdrantVectors
from vmk_mcp.knowledge.records import ChunkChanges, ChunkDraft, FileNote, Generation, IndexPlan, Vectors
from vmk_mcp.knowledge.store import PostgresKnowledgeStore

MakeStore = Callable[[StateDatabase, Path], VectorStore]

STORES: Final[dict[str, MakeStore]] = {
    "pgvector": lambda database, folder: PgvectorStore(database),
    "faiss": lambda database, folder: FollowingStore(FaissVectors(folder), PostgresKnowledgeStore(database)),
    "qdrant": lambda database, folder: FollowingStore(
        QdrantVectors(folder), PostgresKnowledgeStore(database)
    ),
}


class PostgresTruth:
    """See `EditedTruth`: each call of `add` writes one file."""

    def __init__(self, store: PostgresKnowledgeStore) -> None:
        self._store = store
        self._notes: dict[int, FileNote] = {}

    async def begin(self, dimensions: int = DIMENSIONS) -> Generation:
        plan = IndexPlan(
            provider="fake", model="fake", dimensions=dimensions, chunker="fake", chunk_size=512,
            chunk_overlap=50, store="fake",
        )  # fmt: skip
        for before in await self._store.list_generations():
            if before.state == "building":  # of which there is one at a time
                assert await self._store.activate(before)
        return await self._store.start_generation(secrets.token_hex(6), plan)

    async def add(self, generation: Generation, owner: int | None, vectors: Vectors) -> Sequence[int]:
        note = FileNote(owner=owner, path=f"{secrets.token_hex(6)}.md", content_hash="0" * 64)
        drafts = [draft(ordinal) for ordinal in range(len(vectors))]
        async with self._store.write_files(owner, [note.path]) as writing:
            await writing.put_file(generation.id, note, ChunkChanges([], [], drafts, vectors))
            file = await writing.find_file(generation.id, owner, note.path)
            assert file is not None
            ids = [chunk.id for chunk in await writing.list_chunks(file.id)]
        self._notes |= dict.fromkeys(ids, note)
        return ids

    async def drop(self, generation: Generation, ids: Sequence[int]) -> None:
        for path in {self._notes[id_].path for id_ in ids}:
            removed = [id_ for id_ in ids if self._notes[id_].path == path]
            note = self._notes[removed[0]]
            nothing = np.empty((0, generation.plan.dimensions), np.float32)
            async with self._store.write_files(note.owner, [path]) as writing:
                await writing.put_file(generation.id, note, ChunkChanges([], removed, [], nothing))


def draft(ordinal: int) -> ChunkDraft:
    return ChunkDraft(
        ordinal=ordinal, text=f"chunk {ordinal}", text_hash=f"{ordinal:064x}", heading_path=[],
        start_line=ordinal + 1, end_line=ordinal + 1, tokens=2,
    )  # fmt: skip


@pytest.fixture
async def database(state_dsn: Dsn) -> AsyncIterator[StateDatabase]:
    database = StateDatabase(state_dsn(Role.WRITER), limits=PoolLimits(4))
    await database.open()
    yield database
    await database.close()


@pytest.mark.parametrize("kind", STORES)
@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
async def test_every_store_keeps_the_contract_over_postgres(
    check: Check, kind: str, database: StateDatabase, tmp_path: Path
) -> None:
    truth = PostgresTruth(PostgresKnowledgeStore(database))

    def make_stage() -> Stage:
        store = STORES[kind](database, tmp_path / "vectors")

        async def reopen(is_killed: bool) -> Stage:
            # Qdrant's folder has to be let go of by its process, which a kill would do.
            if not is_killed or kind == "qdrant":
                await store.close()
            return make_stage()

        return Stage(store, truth, reopen)

    stage = make_stage()
    await check(stage)
    await stage.store.close()
