"""Two processes index one folder and are killed at any moment: nothing is lost, doubled or stale then."""

import asyncio
import contextlib
import random
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg

from tests.integration.servers import Dsn
from tests.knowledge_world import World
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.pool import PoolLimits
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.knowledge.building import Wish
from vmk_mcp.knowledge.pgvector_store import PgvectorStore
from vmk_mcp.knowledge.store import PostgresKnowledgeStore
from vmk_mcp.tool import ignore_progress

PROCESS = Path(__file__).with_name("indexing_process.py")
ROUNDS = 4


@contextlib.asynccontextmanager
async def indexing(dsn: str, root: Path, seed: int) -> AsyncIterator[None]:
    """Have a process index `root` during the block, and kill it at the end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(PROCESS), dsn, str(root), str(seed), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"begun\n"
        yield
        assert process.returncode is None, "it ended by itself"
    finally:
        process.kill()
        await process.wait()


def edit(root: Path, chance: random.Random, round_: int) -> None:
    """Create, change, shrink, rename and delete files."""
    for _ in range(chance.randrange(2, 8)):
        file = root / f"{chance.randrange(10)}.md"
        kind = chance.randrange(4)
        if kind == 0 and file.exists():
            file.unlink()
        elif kind == 1 and file.exists():
            file.replace(root / f"{chance.randrange(10)}.md")
        else:
            parts = [
                f"Абзац {n} у редакції {round_ * n % 5}, щось каже." for n in range(chance.randrange(1, 60))
            ]
            file.write_text(f"# Файл {file.name}\n\n" + "\n\n".join(parts), "utf-8")


async def count_strays(dsn: str) -> list[int]:
    """Count chunks without vector, vectors without chunk, and tables of vectors without generation."""
    connection = await asyncpg.connect(dsn)
    try:
        tables = await connection.fetch(
            "SELECT relname FROM pg_class WHERE relname ~ '^knowledge_vectors_[0-9]+$' AND relkind = 'r'"
        )
        (table,) = [row["relname"] for row in tables]
        row = await connection.fetchrow(
            f"SELECT count(*) FILTER (WHERE v.chunk_id IS NULL), count(*) FILTER (WHERE c.id IS NULL) "
            f"FROM vmk_mcp.knowledge_chunks AS c FULL JOIN vmk_mcp.{table} AS v ON v.chunk_id = c.id"
        )
        return list(row or ())
    finally:
        await connection.close()


async def test_killed_at_any_moment_the_index_ends_as_one_from_scratch(
    state_dsn: Dsn, tmp_path: Path
) -> None:
    chance = random.Random(20)  # noqa: S311 (a seed is what is wanted)
    dsn = state_dsn(Role.WRITER)
    root = tmp_path / "documents"
    root.mkdir()
    for round_ in range(ROUNDS):
        edit(root, chance, round_)
        async with indexing(dsn, root, 2 * round_), indexing(dsn, root, 2 * round_ + 1):
            for _ in range(3):
                await asyncio.sleep(chance.uniform(0.02, 0.3))
                edit(root, chance, round_)
    database = StateDatabase(dsn, limits=PoolLimits(6))
    await database.open()
    try:
        world = World(root, PostgresKnowledgeStore(database), PgvectorStore(database), {})
        await world.index().reconcile()
        settled = await world.snapshot()
        assert await count_strays(dsn) == [0, 0]
        await world.index().rebuild(Wish(None, is_forced=True), ignore_progress)
        assert await world.snapshot() == settled
        assert settled
    finally:
        await database.close()
