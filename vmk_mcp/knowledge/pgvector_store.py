"""Vectors that are searched where they lie: in Postgres, by pgvector."""

from collections.abc import Collection, Sequence
from typing import Final

from vmk_mcp.database.query import load_query
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.knowledge.queries import OfOwner
from vmk_mcp.knowledge.records import Generation, IndexSummary, NearChunk, NearestQuery

_FIND_EXACT: Final = load_query("knowledge/find_exact", row=NearChunk)
_FIND_APPROXIMATE: Final = load_query("knowledge/find_approximate", row=NearChunk)
_SUMMARIZE_FILES: Final = load_query("knowledge/summarize_files", row=IndexSummary)

# Measuring so many takes some 15 ms at 384 dimensions; the index takes 3 ms, and may miss one in a hundred.
_MEASURED_AT_MOST: Final = 20_000


class PgvectorStore:
    """See `VectorStore`: it holds nothing of its own, so that there is nothing to follow.

    A user's chunks are all measured, and the shared ones too up to 20,000 of them. Beyond that an index of
    the shared ones alone is asked, in which a filter cannot lose rows.
    """

    def __init__(self, database: StateDatabase) -> None:
        """Search in `database`."""
        self._database = database

    async def follow(self, generation: Generation) -> None:
        """See `VectorStore.follow`."""

    async def find_nearest(self, query: NearestQuery) -> Sequence[NearChunk]:
        """See `VectorStore.find_nearest`."""
        if query.owner is None and await self._count_shared(query.generation) > _MEASURED_AT_MOST:
            return await self._database.fetch_all(_FIND_APPROXIMATE, query)
        return await self._database.fetch_all(_FIND_EXACT, query)

    async def keep_only(self, generations: Collection[int]) -> None:
        """See `VectorStore.keep_only`."""

    async def close(self) -> None:
        """See `VectorStore.close`."""

    async def _count_shared(self, generation: int) -> int:
        rows = await self._database.fetch_all(_SUMMARIZE_FILES, OfOwner(generation, None))
        return rows[0].chunks
