"""The index in the state database: one method, or one step of a transaction, per SQL file."""

import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import Final

import numpy as np
from msgspec.structs import asdict

from vmk_mcp.database.query import Statement, load_query
from vmk_mcp.database.state import StateDatabase, StateSession
from vmk_mcp.errors import StoreUnavailable, VmkError
from vmk_mcp.knowledge.file_writing import FIND_FILE, PostgresFileWriting
from vmk_mcp.knowledge.ports import IsKept
from vmk_mcp.knowledge.queries import (
    Beginning,
    ChunkKeys,
    ClaimedRoot,
    ContentKey,
    Done,
    FileKey,
    FilePath,
    GenerationRow,
    Id,
    IndexName,
    Locked,
    NewGeneration,
    OfGeneration,
    OfOwner,
    OwnedVector,
    Owner,
    Revision,
    Setting,
    TextKeys,
    TextVector,
    Vacuuming,
)
from vmk_mcp.knowledge.records import (
    ChunkIds,
    Generation,
    IndexPlan,
    IndexSummary,
    StoredChunk,
    StoredFile,
    TouchedFile,
    VectorRows,
    Vectors,
)

_NAME_INDEX: Final = load_query("knowledge/name_index", row=IndexName)
_CLAIM_INDEX: Final = load_query("knowledge/claim_index", row=Done)
_CONFIRM_CLAIM: Final = load_query("knowledge/confirm_claim", row=Done)
_LIST_GENERATIONS: Final = load_query("knowledge/list_generations", row=GenerationRow)
_START_GENERATION: Final = load_query("knowledge/start_generation", row=GenerationRow)
_ACTIVATE: Final = load_query("knowledge/activate_generation", row=Id)
_DELETE_GENERATION: Final = load_query("knowledge/delete_generation", row=Id)
_MAKE_VECTORS: Final = load_query("knowledge/make_vectors", row=Done)
_INDEX_VECTORS: Final = load_query("knowledge/index_vectors", row=Done)
_DROP_VECTORS: Final = load_query("knowledge/drop_vectors", row=Done)
_LOCK_WRITING: Final = load_query("knowledge/lock_writing", row=Locked)
_LOCK_SWAPPING: Final = load_query("knowledge/lock_swapping", row=Locked)
_LOCK_BUILDING: Final = load_query("knowledge/lock_building", row=Locked)
_LOCK_FILE: Final = load_query("knowledge/lock_file", row=Locked)
_LIFT_TIME_LIMIT: Final = load_query("knowledge/lift_time_limit", row=Setting)
_TAKE_TOUCHED: Final = load_query("knowledge/take_touched", row=TouchedFile)
_LIST_FILES: Final = load_query("knowledge/list_files", row=StoredFile)
_LIST_FAILURES: Final = load_query("knowledge/list_failures", row=StoredFile)
_LIST_PATHS: Final = load_query("knowledge/list_paths", row=FilePath)
_LIST_OWNERS: Final = load_query("knowledge/list_owners", row=Owner)
_SUMMARIZE_FILES: Final = load_query("knowledge/summarize_files", row=IndexSummary)
_FIND_BY_CONTENT: Final = load_query("knowledge/find_by_content", row=StoredFile)
_READ_REVISION: Final = load_query("knowledge/read_revision", row=Revision)
_LIST_VECTORS: Final = load_query("knowledge/list_vectors", row=Id)
_READ_VECTORS: Final = load_query("knowledge/read_vectors", row=OwnedVector)
_FIND_TEXTS: Final = load_query("knowledge/find_texts", row=TextVector)
_READ_CHUNKS: Final = load_query("knowledge/read_chunks", row=StoredChunk)
_LIFT_SESSION_LIMIT: Final = load_query("knowledge/lift_session_limit", row=Setting)
_FORMAT_VACUUM: Final = load_query("knowledge/format_vacuum", row=Statement)

_FEW_DEAD: Final = 100
"""Rows that take no more than a few pages: nobody is asked about them."""


class PostgresKnowledgeStore:
    """See `KnowledgeStore`."""

    def __init__(self, database: StateDatabase) -> None:
        """Keep the index in `database`."""
        self._database = database
        self._dead: int | None = 0

    async def list_generations(self) -> list[Generation]:
        """See `KnowledgeStore.list_generations`."""
        return [row.as_generation() for row in await self._database.fetch_all(_LIST_GENERATIONS)]

    async def find_file(self, generation: int, owner: int | None, path: str) -> StoredFile | None:
        """See `KnowledgeStore.find_file`."""
        return await self._database.fetch_one(FIND_FILE, FileKey(generation, owner, path))

    async def list_files(self, generation: int, owner: int | None) -> list[StoredFile]:
        """See `KnowledgeStore.list_files`."""
        return await self._database.fetch_all(_LIST_FILES, OfOwner(generation, owner))

    async def list_paths(self, generation: int, owner: int | None, beginning: str) -> list[str]:
        """See `KnowledgeStore.list_paths`."""
        rows = await self._database.fetch_all(_LIST_PATHS, Beginning(generation, owner, beginning))
        return [row.path for row in rows]

    async def list_owners(self, generation: int) -> list[int]:
        """See `KnowledgeStore.list_owners`."""
        rows = await self._database.fetch_all(_LIST_OWNERS, OfGeneration(generation))
        return [row.owner for row in rows]

    async def list_failures(self, generation: int, owner: int | None, most: int) -> list[StoredFile]:
        """See `KnowledgeStore.list_failures`."""
        return await self._database.fetch_all(_LIST_FAILURES, OfOwner(generation, owner, most))

    async def summarize_files(self, generation: int, owner: int | None) -> IndexSummary:
        """See `KnowledgeStore.summarize_files`."""
        return (await self._database.fetch_all(_SUMMARIZE_FILES, OfOwner(generation, owner)))[0]

    async def find_by_content(
        self, generation: int, owner: int | None, content_hash: str
    ) -> list[StoredFile]:
        """See `KnowledgeStore.find_by_content`."""
        return await self._database.fetch_all(_FIND_BY_CONTENT, ContentKey(generation, owner, content_hash))

    async def find_texts(self, generation: int, text_hashes: Sequence[str]) -> Mapping[str, Vectors]:
        """See `KnowledgeStore.find_texts`."""
        rows = await self._database.fetch_all(_FIND_TEXTS, TextKeys(generation, list(text_hashes)))
        return {row.text_hash: row.embedding for row in rows}

    async def read_chunks(self, generation: int, owner: int | None, ids: Sequence[int]) -> list[StoredChunk]:
        """See `KnowledgeStore.read_chunks`."""
        return await self._database.fetch_all(_READ_CHUNKS, ChunkKeys(generation, list(ids), owner))

    async def read_name(self) -> str:
        """See `VectorTruth.read_name`."""
        rows = await self._database.fetch_all(_NAME_INDEX, IndexName(secrets.token_hex(6)))
        return rows[0].name

    async def read_revision(self, generation: int) -> int:
        """See `VectorTruth.read_revision`."""
        row = await self._database.fetch_one(_READ_REVISION, OfGeneration(generation))
        return -1 if row is None else row.revision

    async def list_chunk_ids(self, generation: int) -> ChunkIds:
        """See `VectorTruth.list_chunk_ids`."""
        rows = await self._database.fetch_all(_LIST_VECTORS, OfGeneration(generation))
        return np.array([row.id for row in rows], dtype=np.int64)

    async def read_vectors(self, generation: int, ids: ChunkIds) -> VectorRows:
        """See `VectorTruth.read_vectors`."""
        rows = await self._database.fetch_all(_READ_VECTORS, ChunkKeys(generation, ids.tolist()))
        vectors = np.array([row.embedding for row in rows], dtype=np.float32)
        return VectorRows(
            np.array([row.id for row in rows], dtype=np.int64), [row.owner for row in rows], vectors
        )

    @asynccontextmanager
    async def write_files(
        self, owner: int | None, paths: Sequence[str]
    ) -> AsyncIterator[PostgresFileWriting]:
        """See `KnowledgeStore.write_files`."""
        async with self._database.transaction() as session:
            await session.fetch_all(_LOCK_WRITING)
            # In one order, lest two that rename crosswise wait for each other.
            for path in sorted(set(paths)):
                await session.fetch_all(_LOCK_FILE, FileKey(0, owner, path))
            rows = await session.fetch_all(_LIST_GENERATIONS)
            writing = PostgresFileWriting(session, [row.as_generation() for row in rows])
            yield writing
        if self._dead is not None:
            self._dead += writing.dead

    @asynccontextmanager
    async def claim_index(self, root: str) -> AsyncIterator[IsKept | None]:
        """See `KnowledgeStore.claim_index`."""
        # As with building, the lock is the connection's.
        async with self._database.session() as session:
            (claimed,) = await session.fetch_all(_CLAIM_INDEX, ClaimedRoot(root))
            yield partial(_is_kept, session, root) if claimed.done else None

    @asynccontextmanager
    async def claim_building(self) -> AsyncIterator[bool]:
        """See `KnowledgeStore.claim_building`."""
        # The lock is the connection's, which gives it up when it goes back to the pool or dies.
        async with self._database.session() as session:
            yield (await session.fetch_all(_LOCK_BUILDING))[0].locked

    async def start_generation(self, name: str, plan: IndexPlan) -> Generation:
        """See `KnowledgeStore.start_generation`."""
        async with self._database.transaction() as session:
            # Who writes a file either sees the new generation, or has written before it is begun.
            await session.fetch_all(_LOCK_SWAPPING)
            (row,) = await session.fetch_all(_START_GENERATION, NewGeneration(name=name, **asdict(plan)))
            await session.fetch_all(_MAKE_VECTORS, OfGeneration(row.id, plan.dimensions))
        return row.as_generation()

    async def prepare_searching(self, generation: Generation) -> None:
        """See `KnowledgeStore.prepare_searching`."""
        async with self._database.transaction() as session:
            await session.fetch_all(_LIFT_TIME_LIMIT)
            of = OfGeneration(generation.id, generation.plan.dimensions)
            await session.fetch_all(_INDEX_VECTORS, of)

    async def take_touched(self, generation: int) -> list[TouchedFile]:
        """See `KnowledgeStore.take_touched`."""
        return await self._database.fetch_all(_TAKE_TOUCHED, OfGeneration(generation))

    async def activate(self, generation: Generation) -> bool:
        """See `KnowledgeStore.activate`."""
        async with AsyncExitStack() as stack:
            session = await stack.enter_async_context(self._database.transaction())
            await session.fetch_all(_LIFT_TIME_LIMIT)
            await session.fetch_all(_LOCK_SWAPPING)
            if await session.fetch_all(_TAKE_TOUCHED, OfGeneration(generation.id)):
                return False
            for row in await session.fetch_all(_LIST_GENERATIONS):
                if row.id != generation.id:
                    await session.fetch_all(_DELETE_GENERATION, OfGeneration(row.id))
                    await session.fetch_all(_DROP_VECTORS, OfGeneration(row.id))
            self._dead = None
            return bool(await session.fetch_all(_ACTIVATE, OfGeneration(generation.id)))

    async def drop_generation(self, generation: Generation) -> None:
        """See `KnowledgeStore.drop_generation`."""
        async with self._database.transaction() as session:
            await session.fetch_all(_LIFT_TIME_LIMIT)
            await session.fetch_all(_LOCK_SWAPPING)
            await session.fetch_all(_DELETE_GENERATION, OfGeneration(generation.id))
            await session.fetch_all(_DROP_VECTORS, OfGeneration(generation.id))
            self._dead = None

    def is_littered(self) -> bool:
        """See `KnowledgeStore.is_littered`."""
        return self._dead is None or self._dead >= _FEW_DEAD

    async def free_room(self, generation: Generation) -> None:
        """See `KnowledgeStore.free_room`."""
        with suppress(VmkError):
            async with self._database.session() as session:
                await session.fetch_all(_LIFT_SESSION_LIMIT)
                if await session.run_assembled(_FORMAT_VACUUM, Vacuuming(generation.id, self._dead)):
                    self._dead = 0


async def _is_kept(session: StateSession, root: str) -> bool:
    try:
        kept = await session.fetch_one(_CONFIRM_CLAIM, ClaimedRoot(root))
    except StoreUnavailable:
        return False
    return kept is not None and kept.done
