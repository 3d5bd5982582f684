"""The knowledge index in memory: what its service needs of SQL and of a store of vectors."""

import asyncio
import copy
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import numpy as np
from msgspec.structs import replace

from tests.fake_knowledge_tables import Tables
from vmk_mcp.errors import NotOffered, VmkError
from vmk_mcp.knowledge.ports import IsKept
from vmk_mcp.knowledge.records import (
    ChunkChanges,
    ChunkIds,
    FileNote,
    Generation,
    IndexPlan,
    IndexSummary,
    KnownChunk,
    NearChunk,
    NearestQuery,
    StoredChunk,
    StoredFile,
    TouchedFile,
    VectorRows,
    Vectors,
)

CHANGED_AT = datetime(2026, 5, 26, 12, tzinfo=UTC)


def _begins(text: str, lowered: str) -> bool:
    return text.lower().startswith(lowered)


class FakeFileWriting:
    """See `FileWriting`."""

    def __init__(self, tables: Tables) -> None:
        self._t = tables

    async def list_generations(self) -> Sequence[Generation]:
        """See `FileWriting.list_generations`."""
        return sorted(self._t.generations.values(), key=lambda one: one.state)

    async def find_file(self, generation: int, owner: int | None, path: str) -> StoredFile | None:
        """See `FileWriting.find_file`."""
        return next((file for file in self._t.of(generation, owner) if file.path == path), None)

    async def list_chunks(self, file_id: int) -> Sequence[KnownChunk]:
        """See `FileWriting.list_chunks`."""
        return [KnownChunk(one.id, one.draft.text_hash) for one in self._t.chunks_of(file_id)]

    async def put_file(self, generation: int, note: FileNote, changes: ChunkChanges) -> None:
        """See `FileWriting.put_file`."""
        known = await self.find_file(generation, note.owner, note.path)
        id_ = known.id if known is not None else self._t.new_id()
        count = len(changes.kept) + len(changes.added)
        file = StoredFile(id_, note.owner, note.path, note.content_hash, note.reason, count)
        self._t.files[id_] = (generation, file)
        for chunk_id in changes.removed:
            del self._t.chunks[chunk_id]
        for chunk_id, draft in changes.kept:
            self._t.chunks[chunk_id].draft = draft
        for draft, vector in zip(changes.added, changes.vectors, strict=True):
            self._t.add_chunk(self._t.new_id(), id_, draft, vector)
        self._t.note_change(generation, note.owner, note.path)

    async def move_file(self, generation: int, file: StoredFile, path: str) -> None:
        """See `FileWriting.move_file`."""
        self._t.files[file.id] = (generation, replace(file, path=path))
        self._t.note_change(generation, file.owner, file.path)
        self._t.note_change(generation, file.owner, path)

    async def remove_file(self, generation: int, file: StoredFile) -> None:
        """See `FileWriting.remove_file`."""
        for chunk in self._t.chunks_of(file.id):
            del self._t.chunks[chunk.id]
        del self._t.files[file.id]
        self._t.note_change(generation, file.owner, file.path)


class FakeKnowledgeStore:
    """See `KnowledgeStore`; transactions come one after another.

    Attributes:
        failure: raised by each transaction while it is set.
    """

    def __init__(self) -> None:
        self.tables = Tables()
        self.failure: VmkError | None = None
        self._turn = asyncio.Lock()
        self._building = asyncio.Lock()
        self._claims: dict[object, str] = {}

    async def list_generations(self) -> Sequence[Generation]:
        """See `KnowledgeStore.list_generations`."""
        return await FakeFileWriting(self.tables).list_generations()

    async def find_file(self, generation: int, owner: int | None, path: str) -> StoredFile | None:
        """See `KnowledgeStore.find_file`."""
        return await FakeFileWriting(self.tables).find_file(generation, owner, path)

    async def list_files(self, generation: int, owner: int | None) -> Sequence[StoredFile]:
        """See `KnowledgeStore.list_files`."""
        return self.tables.of(generation, owner)

    async def list_paths(self, generation: int, owner: int | None, beginning: str) -> Sequence[str]:
        """See `KnowledgeStore.list_paths`."""
        paths = [file.path for file in self.tables.of(generation, owner) if not file.reason]
        wanted = beginning.lower()
        return [path for path in paths if _begins(path, wanted) or _begins(path.rpartition("/")[2], wanted)]

    async def list_owners(self, generation: int) -> Sequence[int]:
        """See `KnowledgeStore.list_owners`."""
        found = {file.owner for of, file in self.tables.files.values() if of == generation}
        return sorted(owner for owner in found if owner is not None)

    async def list_failures(self, generation: int, owner: int | None, most: int) -> Sequence[StoredFile]:
        """See `KnowledgeStore.list_failures`."""
        return [file for file in self.tables.of(generation, owner) if file.reason][:most]

    async def summarize_files(self, generation: int, owner: int | None) -> IndexSummary:
        """See `KnowledgeStore.summarize_files`."""
        files = self.tables.of(generation, owner)
        failed = sum(bool(file.reason) for file in files)
        chunks = sum(file.chunks for file in files)
        return IndexSummary(len(files) - failed, failed, chunks, CHANGED_AT if files else None)

    async def find_by_content(
        self, generation: int, owner: int | None, content_hash: str
    ) -> Sequence[StoredFile]:
        """See `KnowledgeStore.find_by_content`."""
        files = self.tables.of(generation, owner)
        return [file for file in files if file.content_hash == content_hash and not file.reason][:10]

    async def find_texts(self, generation: int, text_hashes: Sequence[str]) -> Mapping[str, Vectors]:
        """See `KnowledgeStore.find_texts`."""
        self._require(generation)
        chunks = reversed(self.tables.in_generation(generation))
        return {one.draft.text_hash: one.vector for one in chunks if one.draft.text_hash in text_hashes}

    async def read_chunks(
        self, generation: int, owner: int | None, ids: Sequence[int]
    ) -> Sequence[StoredChunk]:
        """See `KnowledgeStore.read_chunks`."""
        files = {file.id: file for file in self.tables.of(generation, owner)}
        return [
            StoredChunk(
                one.id,
                files[one.file_id].path,
                one.draft.heading_path,
                one.draft.text,
                one.draft.start_line,
                one.draft.end_line,
            )
            for one in self.tables.chunks.values()
            if one.id in ids and one.file_id in files
        ]

    async def read_name(self) -> str:
        """See `VectorTruth.read_name`."""
        return "index"

    async def read_revision(self, generation: int) -> int:
        """See `VectorTruth.read_revision`."""
        found = self.tables.generations.get(generation)
        return -1 if found is None else found.revision

    async def list_chunk_ids(self, generation: int) -> ChunkIds:
        """See `VectorTruth.list_chunk_ids`."""
        self._require(generation)
        return np.array(sorted(one.id for one in self.tables.in_generation(generation)), dtype=np.int64)

    async def read_vectors(self, generation: int, ids: ChunkIds) -> VectorRows:
        """See `VectorTruth.read_vectors`."""
        self._require(generation)
        wanted = set(ids.tolist())
        rows = sorted(
            (one for one in self.tables.in_generation(generation) if one.id in wanted), key=lambda one: one.id
        )
        return VectorRows(
            np.array([row.id for row in rows], dtype=np.int64),
            [self.tables.files[row.file_id][1].owner for row in rows],
            np.array([row.vector for row in rows], dtype=np.float32),
        )

    @asynccontextmanager
    async def write_files(self, owner: int | None, paths: Sequence[str]) -> AsyncIterator[FakeFileWriting]:
        """See `KnowledgeStore.write_files`."""
        del owner, paths
        async with self._turn:
            if self.failure is not None:
                raise self.failure
            before = copy.deepcopy(self.tables)
            try:
                yield FakeFileWriting(self.tables)
            except BaseException:
                self.tables = before
                raise

    @asynccontextmanager
    async def claim_index(self, root: str) -> AsyncIterator[IsKept | None]:
        """See `KnowledgeStore.claim_index`."""
        claim = object()

        async def is_kept() -> bool:
            return claim in self._claims

        if any(other != root for other in self._claims.values()):
            yield None
            return
        self._claims[claim] = root
        yield is_kept
        self._claims.pop(claim, None)

    def lose_claims(self) -> None:
        """Forget who keeps the index, as a server does that is started anew."""
        self._claims.clear()

    @asynccontextmanager
    async def claim_building(self) -> AsyncIterator[bool]:
        """See `KnowledgeStore.claim_building`."""
        if self._building.locked():
            yield False
            return
        async with self._building:
            yield True

    async def start_generation(self, name: str, plan: IndexPlan) -> Generation:
        """See `KnowledgeStore.start_generation`."""
        async with self._turn:
            generation = Generation(
                id=self.tables.new_id(), name=name, state="building", revision=0, plan=plan
            )
            self.tables.generations[generation.id] = generation
            return generation

    async def prepare_searching(self, generation: Generation) -> None:
        """See `KnowledgeStore.prepare_searching`."""

    async def take_touched(self, generation: int) -> Sequence[TouchedFile]:
        """See `KnowledgeStore.take_touched`."""
        return [TouchedFile(owner, path) for owner, path in self.tables.touched.pop(generation, ())]

    async def activate(self, generation: Generation) -> bool:
        """See `KnowledgeStore.activate`."""
        async with self._turn:
            if await self.take_touched(generation.id) or generation.id not in self.tables.generations:
                return False
            for other in list(self.tables.generations.values()):
                if other.id != generation.id:
                    self._drop(other.id)
            held = self.tables.generations[generation.id]
            self.tables.generations[generation.id] = replace(held, state="active")
            return True

    async def drop_generation(self, generation: Generation) -> None:
        """See `KnowledgeStore.drop_generation`."""
        async with self._turn:
            self._drop(generation.id)

    def is_littered(self) -> bool:
        """See `KnowledgeStore.is_littered`: always, so that who asks frees room each time."""
        return True

    async def free_room(self, generation: Generation) -> None:
        """See `KnowledgeStore.free_room`: what is deleted takes no room here."""

    def _drop(self, generation: int) -> None:
        self.tables.chunks = {
            id_: one
            for id_, one in self.tables.chunks.items()
            if self.tables.files[one.file_id][0] != generation
        }
        self.tables.files = {id_: row for id_, row in self.tables.files.items() if row[0] != generation}
        self.tables.generations.pop(generation, None)

    def _require(self, generation: int) -> None:
        if generation not in self.tables.generations:
            raise NotOffered("the table of this generation is not there")


class FakeVectorStore:
    """See `VectorStore`: measures what the fake store holds."""

    def __init__(self, store: FakeKnowledgeStore) -> None:
        self._store = store

    async def follow(self, generation: Generation) -> None:
        """See `VectorStore.follow`."""

    async def find_nearest(self, query: NearestQuery) -> Sequence[NearChunk]:
        """See `VectorStore.find_nearest`."""
        ids = await self._store.list_chunk_ids(query.generation)
        rows = await self._store.read_vectors(query.generation, ids)
        near = [
            NearChunk(id_, float(vector @ query.vector))
            for id_, owner, vector in zip(rows.ids.tolist(), rows.owners, rows.vectors, strict=True)
            if owner == query.owner
        ]
        return sorted(near, key=lambda one: (-one.score, one.id))[: query.limit]

    async def keep_only(self, generations: Collection[int]) -> None:
        """See `VectorStore.keep_only`."""

    async def close(self) -> None:
        """See `VectorStore.close`."""
