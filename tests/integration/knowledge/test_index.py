"""The index over real Postgres does what it does over the fake store."""

from pathlib import Path

import pytest

from tests.integration.servers import Dsn
from tests.knowledge_index_contract import CHECKS
from tests.knowledge_world import Check, World
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.pool import PoolLimits
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.knowledge.pgvector_store import PgvectorStore
from vmk_mcp.knowledge.store import PostgresKnowledgeStore


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS.keys())
async def test_the_index_over_postgres(check: Check, state_dsn: Dsn, tmp_path: Path) -> None:
    database = StateDatabase(state_dsn(Role.WRITER), limits=PoolLimits(6))
    await database.open()
    root = tmp_path / "documents"
    root.mkdir()
    try:
        await check(World(root, PostgresKnowledgeStore(database), PgvectorStore(database), {}))
    finally:
        await database.close()
