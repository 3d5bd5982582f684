"""What SQL holds of vectors, in memory."""

from collections.abc import Sequence

import numpy as np

from tests.vector_store_contract import DIMENSIONS
from vmk_mcp.knowledge.records import ChunkIds, Generation, IndexPlan, VectorRows, Vectors


class FakeVectorTruth:
    """See `VectorTruth` and `EditedTruth`.

    Attributes:
        read: how many vectors were read.
    """

    def __init__(self, name: str = "index") -> None:
        self._name = name
        self._chunks: dict[int, dict[int, tuple[int | None, Vectors]]] = {}
        self._revisions: dict[int, int] = {}
        self._last_id = 0
        self.read = 0

    async def begin(self, dimensions: int = DIMENSIONS) -> Generation:
        number = len(self._chunks) + 1
        self._chunks[number], self._revisions[number] = {}, 0
        plan = IndexPlan(
            provider="fake", model="fake", dimensions=dimensions, chunker="fake", chunk_size=512,
            chunk_overlap=50, store="fake",
        )  # fmt: skip
        return Generation(id=number, name=f"name{number}", state="active", revision=0, plan=plan)

    async def add(self, generation: Generation, owner: int | None, vectors: Vectors) -> Sequence[int]:
        ids = list(range(self._last_id + 1, self._last_id + 1 + len(vectors)))
        self._last_id += len(vectors)
        self._chunks[generation.id] |= {id_: (owner, row) for id_, row in zip(ids, vectors, strict=True)}
        self._revisions[generation.id] += 1
        return ids

    async def drop(self, generation: Generation, ids: Sequence[int]) -> None:
        for id_ in ids:
            del self._chunks[generation.id][id_]
        self._revisions[generation.id] += 1

    async def read_name(self) -> str:
        return self._name

    async def read_revision(self, generation: int) -> int:
        return self._revisions.get(generation, -1)

    async def list_chunk_ids(self, generation: int) -> ChunkIds:
        return np.array(sorted(self._chunks[generation]), np.int64)

    async def read_vectors(self, generation: int, ids: ChunkIds) -> VectorRows:
        held = [
            (id_, *self._chunks[generation][id_]) for id_ in ids.tolist() if id_ in self._chunks[generation]
        ]
        self.read += len(held)
        rows = np.array([vector for _, _, vector in held], np.float32)
        return VectorRows(
            np.array([id_ for id_, _, _ in held], np.int64), [owner for _, owner, _ in held], rows
        )
