"""What the knowledge service needs from the world."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

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

IsKept = Callable[[], Awaitable[bool]]
"""Says whether a claim holds: it goes with its session, of whose end nobody is told."""


class DocumentEmbedder(Protocol):
    """Turns texts into vectors; raises `EmbeddingUnavailable`."""

    @property
    def model(self) -> str:
        """The model's name."""

    @property
    def dimensions(self) -> int:
        """Length of every vector."""

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give shape (n, dimensions) float32, unit rows."""

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give shape (n, dimensions) float32, unit rows."""


class VectorTruth(Protocol):
    """What SQL holds of a generation's vectors, for stores that follow it; raises what the database does."""

    async def read_name(self) -> str:
        """Give the name of this database's index, made once: no other database has an index of that name."""

    async def read_revision(self, generation: int) -> int:
        """Give the generation's revision, which grows with every change; -1 once it is gone."""

    async def list_chunk_ids(self, generation: int) -> ChunkIds:
        """Give the ids of all its chunks, in ascending order."""

    async def read_vectors(self, generation: int, ids: ChunkIds) -> VectorRows:
        """Give the vectors of those of the chunks that are still there."""


class VectorStore(Protocol):
    """Where vectors are searched; SQL holds the truth of them, whatever this one holds.

    A chunk's vector never changes under its id. One store is used by many calls at once. Raises
    `StoreUnavailable` where its server cannot be reached.
    """

    async def follow(self, generation: Generation) -> None:
        """Make what is searched the same as what SQL holds now; cheap where nothing has changed.

        The generation may be new, or lost or damaged here: then it is made from SQL.
        """

    async def find_nearest(self, query: NearestQuery) -> Sequence[NearChunk]:
        """Give the nearest of the owner's chunks, nearest first, ties by id; at most `limit`.

        Complete: as many as there are, up to `limit`, however few of the generation are the owner's.
        """

    async def keep_only(self, generations: Collection[int]) -> None:
        """Forget all generations but these."""

    async def close(self) -> None:
        """Let go of files and connections."""


class OutsideVectors(Protocol):
    """A store of vectors outside of Postgres, as `FollowingStore` uses it to make a `VectorStore`.

    `enter` is called first. Every method but `open` and `keep_only` is called for a generation that was
    opened. `put`, `remove` and `flush` of one generation are never called at the same time in one process;
    `find_nearest` may run beside them.
    """

    def enter(self, index: str) -> None:
        """Hold generations of the index of that name alone; those of others in the same place are let be."""

    async def open(self, generation: Generation) -> None:
        """Make the generation, or load it; what is damaged or of other dimensions is made anew and empty."""

    async def list_ids(self, generation: int) -> ChunkIds:
        """Give the ids of all chunks that are held, in any order."""

    async def put(self, generation: int, rows: VectorRows) -> None:
        """Hold these too; ids that are there already are replaced."""

    async def remove(self, generation: int, ids: ChunkIds) -> None:
        """Hold these no more; unknown ids do no harm."""

    async def flush(self, generation: int) -> None:
        """Make what is held durable; called after a row of `put` and `remove`."""

    async def find_nearest(self, query: NearestQuery) -> Sequence[NearChunk]:
        """See `VectorStore.find_nearest`."""

    async def keep_only(self, generations: Collection[int]) -> None:
        """Delete all generations of the index but these, those of earlier runs too."""

    async def close(self) -> None:
        """Let go of files and connections."""


class FileWriting(Protocol):
    """One transaction that holds the files it was opened for; nobody else writes them until it ends."""

    async def list_generations(self) -> Sequence[Generation]:
        """Give all generations, the active one first; none is begun or takes another's place meanwhile."""

    async def find_file(self, generation: int, owner: int | None, path: str) -> StoredFile | None:
        """Give what is known of a file."""

    async def list_chunks(self, file_id: int) -> Sequence[KnownChunk]:
        """Give a file's chunks, in order."""

    async def put_file(self, generation: int, note: FileNote, changes: ChunkChanges) -> None:
        """Note the file and change its chunks; a generation that is being made looks at it again."""

    async def move_file(self, generation: int, file: StoredFile, path: str) -> None:
        """Give the file another path."""

    async def remove_file(self, generation: int, file: StoredFile) -> None:
        """Forget the file and its chunks."""


class KnowledgeStore(VectorTruth, Protocol):
    """The index in SQL. Every method raises `StoreUnavailable`, `TooSlow` or `NotOffered`."""

    async def list_generations(self) -> Sequence[Generation]:
        """Give all generations, the active one first."""

    async def find_file(self, generation: int, owner: int | None, path: str) -> StoredFile | None:
        """Give what is known of a file."""

    async def list_files(self, generation: int, owner: int | None) -> Sequence[StoredFile]:
        """Give all of an owner's files, by path."""

    async def list_paths(self, generation: int, owner: int | None, beginning: str) -> Sequence[str]:
        """Give an owner's indexed files whose path or name begins so, in any case of letters, by path."""

    async def list_owners(self, generation: int) -> Sequence[int]:
        """Give the users who have files."""

    async def list_failures(self, generation: int, owner: int | None, most: int) -> Sequence[StoredFile]:
        """Give an owner's files that could not be indexed, by path."""

    async def summarize_files(self, generation: int, owner: int | None) -> IndexSummary:
        """Count an owner's files and chunks."""

    async def find_by_content(
        self, generation: int, owner: int | None, content_hash: str
    ) -> Sequence[StoredFile]:
        """Give up to ten of an owner's indexed files that hold exactly these bytes, by path."""

    async def find_texts(self, generation: int, text_hashes: Sequence[str]) -> Mapping[str, Vectors]:
        """Give the vectors of those of the texts that the generation has embedded, by hash."""

    async def read_chunks(
        self, generation: int, owner: int | None, ids: Sequence[int]
    ) -> Sequence[StoredChunk]:
        """Give those of the chunks that are there and the owner's, in any order."""

    def write_files(
        self, owner: int | None, paths: Sequence[str]
    ) -> AbstractAsyncContextManager[FileWriting]:
        """Open a transaction that holds these files of an owner."""

    def claim_index(self, root: str) -> AbstractAsyncContextManager[IsKept | None]:
        """Keep the index for the folder `root` until the block ends, beside others who do so for the same.

        Gives None where somebody keeps it for another folder. Kept for nobody, it is whose who comes first.
        """

    def claim_building(self) -> AbstractAsyncContextManager[bool]:
        """Try to be the only one who makes generations until the block ends; gives whether that is so."""

    async def start_generation(self, name: str, plan: IndexPlan) -> Generation:
        """Begin a generation that nobody searches; to be called by the one who claimed it."""

    async def prepare_searching(self, generation: Generation) -> None:
        """Do what makes searching fast, once the chunks are in; may take minutes."""

    async def take_touched(self, generation: int) -> Sequence[TouchedFile]:
        """Give the files that changed since the generation was begun or this was last asked."""

    async def activate(self, generation: Generation) -> bool:
        """Let it take the active one's place, unless files were touched meanwhile; says whether it did."""

    async def drop_generation(self, generation: Generation) -> None:
        """Delete it with all that is in it."""

    def is_littered(self) -> bool:
        """Say whether so much was deleted through this store that `free_room` is worth asking for."""

    async def free_room(self, generation: Generation) -> None:
        """Have what is written next take the room of what was deleted, if that is much; may take minutes.

        To be called by the one who claimed building, lest a swap and all searches wait for it. Never raises
        `VmkError`: what cannot be done now is done later, or by the server itself.
        """
