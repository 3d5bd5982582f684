"""However often an index is made anew, or its files go and come, the tables take no more room."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import asyncpg
import pytest

from tests.integration.servers import Dsn, run_script
from tests.knowledge_world import EVERYBODY, World
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.pool import PoolLimits
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.knowledge.model import DocumentPaths, Reindexing
from vmk_mcp.knowledge.pgvector_store import PgvectorStore
from vmk_mcp.knowledge.store import PostgresKnowledgeStore
from vmk_mcp.tool import ignore_progress

PATHS: Final = [f"guide_{place}.md" for place in range(4)]
MEASURE: Final = """
SELECT sum(pg_total_relation_size(c.oid))::int8
FROM pg_class AS c
WHERE c.relnamespace = 'vmk_mcp'::regnamespace AND c.relkind = 'r' AND c.relname LIKE 'knowledge%'
"""
NO_HELP: Final = """
ALTER TABLE vmk_mcp.knowledge_files SET (autovacuum_enabled = false);
ALTER TABLE vmk_mcp.knowledge_chunks SET (autovacuum_enabled = false);
"""


async def reindex(world: World) -> None:
    await world.service().reindex_vector(Reindexing(), EVERYBODY, ignore_progress)


async def reindex_by_force(world: World) -> None:
    await world.service().reindex_vector(Reindexing(force=True), EVERYBODY, ignore_progress)


async def delete_and_add(world: World) -> None:
    documents = DocumentPaths(file_paths=PATHS)
    await world.service().delete_vector_documents(documents, EVERYBODY)
    await world.service().update_documents(documents, EVERYBODY, ignore_progress)


@asynccontextmanager
async def indexed(dsn: str, root: Path) -> AsyncIterator[World]:
    """Give a folder of documents with its index."""
    database = StateDatabase(dsn, limits=PoolLimits(6))
    await database.open()
    try:
        world = World(root, PostgresKnowledgeStore(database), PgvectorStore(database), {})
        for place, path in enumerate(PATHS):
            world.write(path, "\n\n".join(f"Rule {place}.{line} of the house." for line in range(120)))
        await reindex(world)
        yield world
    finally:
        await database.close()


@pytest.mark.parametrize("act", [reindex, reindex_by_force, delete_and_add], ids=lambda act: act.__name__)
async def test_the_twenty_fifth_time_takes_no_more_room_than_the_fifth(
    act: Callable[[World], Awaitable[None]], state_dsn: Dsn, tmp_path: Path
) -> None:
    owner = await asyncpg.connect(state_dsn(Role.OWNER))
    await owner.execute(NO_HELP)
    sizes = []
    async with indexed(state_dsn(Role.WRITER), tmp_path) as world:
        for _ in range(25):
            await act(world)
            sizes.append(await owner.fetchval(MEASURE))
    await owner.close()
    # The server may have been reading the tables just when one of the times was vacuumed.
    assert min(sizes[-5:]) <= 1.1 * max(sizes[:5]), sizes


async def test_a_service_that_may_not_vacuum_makes_its_index_anew_all_the_same(
    cluster: EmbeddedServer, state_dsn: Dsn, tmp_path: Path
) -> None:
    database = state_dsn(Role.OWNER).rpartition("/")[2]
    await run_script(cluster, database, "REVOKE MAINTAIN ON ALL TABLES IN SCHEMA vmk_mcp FROM vmk_writer")
    async with indexed(state_dsn(Role.WRITER), tmp_path) as world:
        before = await world.snapshot()
        await reindex_by_force(world)
        assert await world.snapshot() == before
