"""One transaction over some files of the index, step by step in SQL files."""

from collections.abc import Sequence
from typing import Final

import msgspec

from vmk_mcp.database.query import load_query
from vmk_mcp.database.state import StateSession
from vmk_mcp.knowledge.queries import (
    ChunkKeys,
    Done,
    FileKey,
    Id,
    Ids,
    MovedFile,
    OfGeneration,
    PlacedChunk,
    Revision,
    Touched,
    WrittenChunk,
    WrittenChunks,
    WrittenFile,
    WrittenVector,
)
from vmk_mcp.knowledge.records import ChunkChanges, FileNote, Generation, KnownChunk, StoredFile

FIND_FILE: Final = load_query("knowledge/find_file", row=StoredFile)
_LIST_FILE_CHUNKS: Final = load_query("knowledge/list_file_chunks", row=KnownChunk)
_WRITE_FILE: Final = load_query("knowledge/write_file", row=Id)
_MOVE_FILE: Final = load_query("knowledge/move_file", row=Id)
_DELETE_FILE: Final = load_query("knowledge/delete_file", row=Id)
_DELETE_CHUNKS: Final = load_query("knowledge/delete_chunks", row=Id)
_PLACE_CHUNK: Final = load_query("knowledge/place_chunk", row=Id)
_WRITE_CHUNKS: Final = load_query("knowledge/write_chunks", row=WrittenChunk)
_WRITE_VECTOR: Final = load_query("knowledge/write_vector", row=Done)
_DELETE_VECTORS: Final = load_query("knowledge/delete_vectors", row=Done)
_TOUCH_FILE: Final = load_query("knowledge/touch_file", row=Touched)
_RAISE_REVISION: Final = load_query("knowledge/raise_revision", row=Revision)


class PostgresFileWriting:
    """See `FileWriting`.

    Attributes:
        dead: rows that were deleted or written anew, whose room is free only once it is vacuumed.
    """

    def __init__(self, session: StateSession, generations: Sequence[Generation]) -> None:
        """Write through `session`, whose transaction holds the files and the `generations`."""
        self._session = session
        self._generations = generations
        self.dead = 0

    async def list_generations(self) -> Sequence[Generation]:
        """See `FileWriting.list_generations`."""
        return self._generations

    async def find_file(self, generation: int, owner: int | None, path: str) -> StoredFile | None:
        """See `FileWriting.find_file`."""
        return await self._session.fetch_one(FIND_FILE, FileKey(generation, owner, path))

    async def list_chunks(self, file_id: int) -> list[KnownChunk]:
        """See `FileWriting.list_chunks`."""
        return await self._session.fetch_all(_LIST_FILE_CHUNKS, Id(file_id))

    async def put_file(self, generation: int, note: FileNote, changes: ChunkChanges) -> None:
        """See `FileWriting.put_file`."""
        (file,) = await self._session.fetch_all(
            _WRITE_FILE,
            WrittenFile(
                generation,
                note.owner,
                note.path,
                note.content_hash,
                note.encoding,
                note.reason,
                len(changes.kept) + len(changes.added),
            ),
        )
        await self._remove_chunks(generation, changes.removed)
        placed = [PlacedChunk(id_, d.ordinal, d.start_line, d.end_line) for id_, d in changes.kept]
        await self._session.write_all(_PLACE_CHUNK, placed)
        self.dead += len(placed) + 1
        await self._add_chunks(generation, file.id, note.owner, changes)
        await self._note_change(generation, note.owner, note.path)

    async def move_file(self, generation: int, file: StoredFile, path: str) -> None:
        """See `FileWriting.move_file`."""
        await self._session.fetch_all(_MOVE_FILE, MovedFile(file.id, path))
        await self._note_change(generation, file.owner, file.path)
        await self._note_change(generation, file.owner, path)

    async def remove_file(self, generation: int, file: StoredFile) -> None:
        """See `FileWriting.remove_file`."""
        await self._remove_chunks(generation, [chunk.id for chunk in await self.list_chunks(file.id)])
        await self._session.fetch_all(_DELETE_FILE, Id(file.id))
        self.dead += 1
        await self._note_change(generation, file.owner, file.path)

    async def _add_chunks(
        self, generation: int, file_id: int, owner: int | None, changes: ChunkChanges
    ) -> None:
        if not changes.added:
            return
        drafts = msgspec.json.encode(changes.added).decode()
        written = await self._session.fetch_all(_WRITE_CHUNKS, WrittenChunks(generation, file_id, drafts))
        ids = {chunk.ordinal: chunk.id for chunk in written}
        await self._session.write_all(
            _WRITE_VECTOR,
            [
                WrittenVector(generation, ids[draft.ordinal], owner, vector)
                for draft, vector in zip(changes.added, changes.vectors, strict=True)
            ],
        )

    async def _remove_chunks(self, generation: int, ids: list[int]) -> None:
        if ids:
            await self._session.fetch_all(_DELETE_VECTORS, ChunkKeys(generation, ids))
            await self._session.fetch_all(_DELETE_CHUNKS, Ids(ids))
            self.dead += len(ids)

    async def _note_change(self, generation: int, owner: int | None, path: str) -> None:
        if any(one.id == generation and one.state == "active" for one in self._generations):
            await self._session.fetch_all(_TOUCH_FILE, FileKey(generation, owner, path))
        await self._session.fetch_all(_RAISE_REVISION, OfGeneration(generation))
