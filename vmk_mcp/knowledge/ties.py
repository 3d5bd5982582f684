"""The same nearest chunks every time, from an engine that orders equals as it likes."""

from collections.abc import Awaitable, Callable, Sequence

from vmk_mcp.knowledge.records import NearChunk

FindNearest = Callable[[int], Awaitable[Sequence[NearChunk]]]
"""Gives the nearest, nearest first, as many as asked for or all there are."""


async def find_nearest_by_id(find: FindNearest, limit: int) -> Sequence[NearChunk]:
    """Give the `limit` nearest, ties by id: asks for more until the last of them has no equal left out."""
    most = limit + 1
    while True:
        found = await find(most)
        if len(found) < most or found[-1].score < found[limit - 1].score:
            return sorted(found, key=lambda near: (-near.score, near.id))[:limit]
        most *= 4
