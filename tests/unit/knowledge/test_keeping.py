"""The index is brought up to date beside the calls, and what stands against that is told once."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.fake_knowledge_store import FakeKnowledgeStore, FakeVectorStore
from tests.fakes import RecordingObserver
from tests.knowledge_world import PLAN, World
from vmk_mcp.errors import NotOffered, StoreUnavailable
from vmk_mcp.knowledge.keeping import IndexKeeper
from vmk_mcp.observe import Crashed, Warned


def world_of(folder: Path) -> World:
    store = FakeKnowledgeStore()
    return World(folder / "documents", store, FakeVectorStore(store), {})


async def test_it_goes_on_trying_with_growing_pauses_until_the_folder_is_there(tmp_path: Path) -> None:
    world, observer = world_of(tmp_path), RecordingObserver()
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        assert keeper.reasons()
        pauses.append(seconds)
        if len(pauses) == 8:
            world.write("a.md", "слова")

    keeper = IndexKeeper(world.index(), observer, pause)
    await keeper.settle()
    assert keeper.settled.is_set()
    assert keeper.reasons() == ()
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]
    assert len(observer.of(Warned)) == 1
    assert (await world.search("слова")).total_chunks == 1


async def test_a_database_that_is_down_is_told_and_tried_again(tmp_path: Path) -> None:
    world, observer = world_of(tmp_path), RecordingObserver()
    world.write("a.md", "слова")
    assert isinstance(world.store, FakeKnowledgeStore)
    store = world.store
    store.failure = StoreUnavailable("The database is down.")

    async def pause(_: float) -> None:
        assert "The database is down." in keeper.reasons()[0]
        store.failure = None

    keeper = IndexKeeper(world.index(), observer, pause)
    await keeper.settle()
    assert keeper.reasons() == ()


async def test_an_index_that_is_kept_for_another_folder_is_told_and_let_be(tmp_path: Path) -> None:
    world, observer = world_of(tmp_path), RecordingObserver()
    world.write("a.md", "слова")
    kept = world.index(replace(PLAN, root="another"))
    await kept.claim()

    async def pause(_: float) -> None:
        raise AssertionError("it tries again")

    keeper = IndexKeeper(world.index(), observer, pause)
    await keeper.settle()
    assert "for another folder" in keeper.reasons()[0]
    assert not keeper.settled.is_set()
    assert await world.store.list_generations() == []
    await kept.release()


async def test_a_claim_that_is_lost_is_taken_again_and_the_folder_compared(tmp_path: Path) -> None:
    world, observer = world_of(tmp_path), RecordingObserver()
    world.write("a.md", "слова")
    assert isinstance(world.store, FakeKnowledgeStore)
    store, pauses = world.store, 0
    other = world.index(replace(PLAN, root="another"))

    async def pause(_: float) -> None:
        nonlocal pauses
        pauses += 1
        if pauses == 1:
            store.lose_claims()
            world.write("b.md", "інші слова")
        elif pauses == 2:
            assert (await world.search("слова")).total_chunks == 2
            world.write("c.md", "ще слова")
        elif pauses == 3:
            # Nothing was lost, so that nothing is compared: that is the watcher's part.
            assert (await world.search("слова")).total_chunks == 2
            with pytest.raises(NotOffered, match="for another folder"):
                await other.claim()
            raise asyncio.CancelledError

    keeper = IndexKeeper(world.index(), observer, pause)
    with pytest.raises(asyncio.CancelledError):
        await keeper.keep()
    assert not observer.of(Warned)


async def test_one_that_lost_its_claim_to_another_takes_nothing_out_and_says_so(tmp_path: Path) -> None:
    world, observer = world_of(tmp_path), RecordingObserver()
    world.write("a.md", "слова")
    assert isinstance(world.store, FakeKnowledgeStore)
    store, other = world.store, world.index(replace(PLAN, root="another"))

    async def pause(_: float) -> None:
        assert await other.find_active() is None, "it goes on"
        store.lose_claims()
        await other.claim()
        await other.reconcile()

    index = world.index()
    keeper = IndexKeeper(index, observer, pause)
    await keeper.keep()
    assert "for another folder" in keeper.reasons()[0]
    with pytest.raises(NotOffered, match="for another folder"):
        await index.find_active()
    assert (await other.require_active()).plan.root == "another"


async def test_a_bug_is_logged_and_ends_nothing(tmp_path: Path) -> None:
    world, observer = world_of(tmp_path), RecordingObserver()
    world.write("a.md", "слова")
    index = world.index()
    reconcile = index.reconcile

    async def fail() -> list[object]:
        raise RuntimeError("a bug")

    async def pause(_: float) -> None:
        index.reconcile = reconcile  # type: ignore[method-assign]  # (the bug is gone)

    index.reconcile = fail  # type: ignore[method-assign,assignment]  # (a bug of ours, made up)
    keeper = IndexKeeper(index, observer, pause)
    await keeper.settle()
    assert len(observer.of(Crashed)) == 1
    assert (await world.search("слова")).total_chunks == 1
