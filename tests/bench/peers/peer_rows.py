"""What the peers on others' libraries share: three tools over one Postgres; needs asyncpg alone.

The file that `BENCH_TASK` names says where Postgres is and what is run there: see `tests.bench.task`.
"""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import asyncpg

TASK = json.loads(Path(os.environ["BENCH_TASK"]).read_text("utf-8"))


async def keep_session(connection: object) -> None:
    """Stand in for the pool's reset round trip."""


class Rows:
    """A pool as the bare peer has it, opened by the first call."""

    def __init__(self) -> None:
        self._pool: asyncpg.Pool | None = None
        self._opening = asyncio.Lock()

    async def fetch(self, name: str, argument: int | str) -> dict[str, Any]:
        """Run the statement `name` of the task with its one argument."""
        pool = self._pool or await self._open()
        async with pool.acquire() as connection:
            records = await connection.fetch(TASK["statements"][name], argument)
        return {"rows": [dict(record) for record in records]}

    async def _open(self) -> asyncpg.Pool:
        async with self._opening:
            if self._pool is None:
                self._pool = await asyncpg.create_pool(
                    TASK["dsn"],
                    min_size=TASK["connections"],
                    max_size=TASK["connections"],
                    max_cacheable_statement_size=0,
                    reset=keep_session,
                    server_settings=TASK["session"],
                )
            return self._pool


_ROWS = Rows()


async def by_id(listing_id: int) -> dict[str, Any]:
    """Give one listing by its id."""
    return await _ROWS.fetch("by_id", listing_id)


async def page(limit: int) -> dict[str, Any]:
    """Give a page of listings for sale."""
    return await _ROWS.fetch("page", limit)


async def by_meaning(embedding: str) -> dict[str, Any]:
    """Give the listings nearest to a vector."""
    return await _ROWS.fetch("by_meaning", embedding)


TOOLS = (by_id, page, by_meaning)
