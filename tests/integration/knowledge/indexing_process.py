"""A process that indexes a folder again and again until it is killed: `indexing_process DSN ROOT SEED`."""

import asyncio
import random
import sys
from pathlib import Path

# Run by its path, as a process of its own.
sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.knowledge_world import World
from vmk_mcp.database.pool import PoolLimits
from vmk_mcp.database.state import StateDatabase
from vmk_mcp.errors import VmkError
from vmk_mcp.knowledge.building import Wish
from vmk_mcp.knowledge.pgvector_store import PgvectorStore
from vmk_mcp.knowledge.store import PostgresKnowledgeStore
from vmk_mcp.tool import ignore_progress


async def index_for_ever(dsn: str, root: Path, chance: random.Random) -> None:
    """Bring files up to date, take them out, and make the whole index anew, in any order."""
    database = StateDatabase(dsn, limits=PoolLimits(6))
    await database.open()
    world = World(root, PostgresKnowledgeStore(database), PgvectorStore(database), {})
    index = world.index()
    print("begun", flush=True)  # noqa: T201 (the one who kills waits for it)
    await index.reconcile()
    while True:
        chosen = [*(f"{number}.md" for number in chance.sample(range(10), 4)), "gone.md"]
        try:
            if chance.random() < 0.2:
                await index.rebuild(Wish(None, is_forced=chance.random() < 0.5), ignore_progress)
            else:
                await index.index_files(None, chosen)
                await index.remove_files(None, ["gone.md"])
        except VmkError as error:
            if not error.retryable:
                raise


if __name__ == "__main__":
    asyncio.run(index_for_ever(sys.argv[1], Path(sys.argv[2]), random.Random(int(sys.argv[3]))))  # noqa: S311 (a seed is what is wanted)
