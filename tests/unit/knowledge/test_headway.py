"""Work on several files at a time, and how far it is told to be."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.fake_knowledge_store import FakeKnowledgeStore, FakeVectorStore
from tests.fakes import FakeEmbedder, RecordingObserver
from tests.knowledge_world import PLAN, World
from vmk_mcp.embedding.cache import CachedEmbedder
from vmk_mcp.knowledge.chunking.chunker import Chunker, ChunkRules
from vmk_mcp.knowledge.headway import Headway, do_each
from vmk_mcp.knowledge.index import IndexFrame, KnowledgeIndex
from vmk_mcp.knowledge.indexing import Workshop
from vmk_mcp.knowledge.records import Vectors


async def test_results_come_in_the_order_of_the_items_however_the_work_ends() -> None:
    async def act(item: int) -> int:
        for _ in range(item):
            await asyncio.sleep(0)
        return 10 * item

    assert await do_each(act, [5, 1, 3, 0], at_once=3) == [50, 10, 30, 0]
    assert await do_each(act, []) == []


async def test_no_more_than_so_many_are_under_way() -> None:
    under_way: set[int] = set()
    most = 0

    async def act(item: int) -> None:
        nonlocal most
        under_way.add(item)
        most = max(most, len(under_way))
        await asyncio.sleep(0)
        under_way.remove(item)

    await do_each(act, range(20), at_once=4)
    assert most == 4


async def test_the_first_failure_is_raised_once_all_others_have_ended() -> None:
    ended: list[int] = []

    async def act(item: int) -> None:
        if item == 1:
            raise KeyError(item)
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(item)

    with pytest.raises(KeyError):
        await do_each(act, range(10), at_once=3)
    assert sorted(ended) == [0, 2]


async def test_percents_grow_and_each_is_told_once() -> None:
    told: list[int] = []

    async def tell(percent: int) -> None:
        told.append(percent)

    headway = Headway(3, tell)
    for place, share in ((0, 0.5), (0, 0.25), (2, 0.001), (0, 1.0), (1, 1.0), (1, 1.0), (2, 1.0)):
        await headway.of(place)(share)
    assert told == [16, 33, 66, 100]


class _CountedEmbedder(CachedEmbedder):
    """Counts the calls, each of which is a file's."""

    calls = 0

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        return await super().embed_documents(texts)


async def test_texts_of_several_files_go_to_the_embedder_in_one_request(tmp_path: Path) -> None:
    store, inner = FakeKnowledgeStore(), FakeEmbedder(PLAN.model, PLAN.dimensions)
    world = World(tmp_path, store, FakeVectorStore(store), {})
    embedder = _CountedEmbedder(inner, RecordingObserver())
    rules = ChunkRules(strategy="fixed_size", size=64, overlap=0)
    workshop = Workshop(Chunker(rules, embedder.embed_documents), embedder)
    index = KnowledgeIndex(store, world.vectors, IndexFrame(tmp_path, PLAN, lambda _: workshop))
    await index.reconcile()
    paths = [f"{number}.md" for number in range(30)]
    for path in paths:
        world.write(path, f"слова про {path}")
    inner.hold()
    indexing = asyncio.create_task(index.index_files(None, paths))
    while embedder.calls < len(paths):  # noqa: ASYNC110 (the fake tells nobody)
        await asyncio.sleep(0)
    inner.release()
    _, outcomes = await indexing
    assert {one.status for one in outcomes} == {"indexed"}
    assert sum(len(texts) for _, texts in inner.requests) == 30
    assert len(inner.requests) <= 2
    await embedder.close()
