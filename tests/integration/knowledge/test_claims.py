"""A claim of the index goes with its connection, and whoever lost it finds that out."""

import asyncio
from pathlib import Path

import asyncpg
import pytest
from msgspec.structs import replace

from tests.integration.servers import Dsn
from tests.knowledge_world import PLAN, World
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.pool import PoolLimits
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.errors import NotOffered
from vmk_mcp.knowledge.pgvector_store import PgvectorStore
from vmk_mcp.knowledge.store import PostgresKnowledgeStore

END_OTHERS = """
SELECT pg_terminate_backend(a.pid, 5000) FROM pg_stat_activity AS a
WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
"""


async def end_sessions(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(END_OTHERS)
    finally:
        await connection.close()


async def test_a_claim_lost_with_its_connection_is_taken_again_unless_another_has_it(
    state_dsn: Dsn, tmp_path: Path
) -> None:
    database = StateDatabase(state_dsn(Role.WRITER), limits=PoolLimits(6))
    await database.open()
    world = World(tmp_path, PostgresKnowledgeStore(database), PgvectorStore(database), {})
    world.write("a.md", "слова")
    one, early, late = (world.index(replace(PLAN, root=root)) for root in ("one", "other", "other"))
    try:
        assert [await one.claim(), await one.claim()] == [True, False]
        await end_sessions(state_dsn(Role.WRITER))
        assert [await one.claim(), await one.claim()] == [True, False]
        with pytest.raises(NotOffered, match="for another folder"):
            await early.claim()
        await end_sessions(state_dsn(Role.WRITER))
        assert await late.claim()
        await late.reconcile()
        for refused in (one.claim(), one.reconcile()):
            with pytest.raises(NotOffered, match="for another folder"):
                await refused
        assert (await late.require_active()).plan.root == "other"
    finally:
        await asyncio.gather(one.release(), late.release())
        await database.close()
