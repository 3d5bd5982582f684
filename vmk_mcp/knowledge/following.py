"""Keeps a store of vectors outside of Postgres the same as what SQL holds."""

import asyncio
from collections.abc import Collection, Sequence
from typing import Final

import numpy as np

from vmk_mcp.knowledge.ports import OutsideVectors, VectorTruth
from vmk_mcp.knowledge.records import ChunkIds, Generation, NearChunk, NearestQuery

_AT_ONCE: Final = 1_000


class FollowingStore:
    """See `VectorStore`: has `outside` hold what `truth` holds, by chunk id.

    A chunk's vector never changes under its id, so ids are all there is to compare. Several processes may do
    so with one store at a time: what it holds is listed before what SQL holds, so that nothing which another
    one has put there since is taken for a remainder.
    """

    def __init__(self, outside: OutsideVectors, truth: VectorTruth) -> None:
        """Join the two."""
        self._outside = outside
        self._truth = truth
        self._revisions: dict[int, int] = {}
        self._has_entered = False
        self._turn = asyncio.Lock()

    async def follow(self, generation: Generation) -> None:
        """See `VectorStore.follow`."""
        async with self._turn:
            revision = await self._truth.read_revision(generation.id)
            if revision < 0 or self._revisions.get(generation.id) == revision:
                return
            await self._enter()
            if generation.id not in self._revisions:
                await self._outside.open(generation)
            await self._compare(generation.id)
            self._revisions[generation.id] = revision

    async def find_nearest(self, query: NearestQuery) -> Sequence[NearChunk]:
        """See `VectorStore.find_nearest`."""
        return await self._outside.find_nearest(query)

    async def keep_only(self, generations: Collection[int]) -> None:
        """See `VectorStore.keep_only`."""
        async with self._turn:
            await self._enter()
            await self._outside.keep_only(generations)
            self._revisions = {id_: seen for id_, seen in self._revisions.items() if id_ in generations}

    async def close(self) -> None:
        """See `VectorStore.close`."""
        await self._outside.close()

    async def _enter(self) -> None:
        if not self._has_entered:
            self._outside.enter(await self._truth.read_name())
            self._has_entered = True

    async def _compare(self, generation: int) -> None:
        held = await self._outside.list_ids(generation)
        due = await self._truth.list_chunk_ids(generation)
        missing, surplus = np.setdiff1d(due, held), np.setdiff1d(held, due)
        for ids in _parts(surplus):
            await self._outside.remove(generation, ids)
        for ids in _parts(missing):
            rows = await self._truth.read_vectors(generation, ids)
            if len(rows.ids):
                await self._outside.put(generation, rows)
        if len(missing) or len(surplus):
            await self._outside.flush(generation)


def _parts(ids: ChunkIds) -> list[ChunkIds]:
    return [ids[start : start + _AT_ONCE] for start in range(0, len(ids), _AT_ONCE)]
