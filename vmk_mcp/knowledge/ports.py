"""What the knowledge service needs from the world."""

from collections.abc import Collection, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vmk_mcp.knowledge.records import ChunkIds, Generation, NearChunk, NearestQuery, VectorRows


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

    Every method but `open` and `drop` is called for a generation that was opened. `put`, `remove` and `flush`
    of one generation are never called at the same time in one process; `find_nearest` may run beside them.
    """

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
        """Delete all generations but these, those of earlier runs too."""

    async def close(self) -> None:
        """Let go of files and connections."""
