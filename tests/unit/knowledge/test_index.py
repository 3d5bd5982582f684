"""The index over the fake store: files in, changed, renamed, gone; generations beside each other."""

from pathlib import Path

import pytest

from tests.fake_knowledge_store import FakeKnowledgeStore, FakeVectorStore
from tests.knowledge_index_contract import CHECKS
from tests.knowledge_world import Check, World


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS.keys())
async def test_the_index_over_the_fake_store(check: Check, tmp_path: Path) -> None:
    store = FakeKnowledgeStore()
    root = tmp_path / "documents"
    root.mkdir()
    await check(World(root, store, FakeVectorStore(store), {}))
