"""How a generation is made and takes another's place, over the fake store and over Postgres alike."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import pytest
from msgspec.structs import replace

from tests.knowledge_world import EVERYBODY, PLAN, Check, Unwell, World, checks_of, until_asked
from vmk_mcp.errors import EmbeddingUnavailable, IndexNotReady, NotOffered
from vmk_mcp.knowledge.building import Wish
from vmk_mcp.knowledge.model import VectorSearch
from vmk_mcp.knowledge.ports import VectorStore
from vmk_mcp.knowledge.records import NearChunk, NearestQuery
from vmk_mcp.knowledge.service import KnowledgeService
from vmk_mcp.tool import ignore_progress


async def _an_embedder_that_fails_in_a_rebuild_leaves_the_old_generation(world: World) -> None:
    for number in range(5):
        world.write(f"{number}.md", f"слова {number}")
    index = world.index()
    await index.reconcile()
    before = await index.require_active()
    world.embedder().failure = EmbeddingUnavailable("it is down")
    with pytest.raises(EmbeddingUnavailable):
        await index.rebuild(Wish(None, is_forced=True), ignore_progress)
    assert [one.id for one in await world.store.list_generations()] == [before.id]
    world.embedder().failure = None
    assert (await world.search("слова")).total_chunks == 5


async def _another_plan_is_made_beside_the_one_that_is_searched(world: World) -> None:
    for number in range(4):
        world.write(f"{number}.md", f"слова про річ {number}")
    await world.index().reconcile()
    old = await world.index().require_active()
    newer = replace(PLAN, model="newer-model", chunker="fixed_size-v1")
    world.embedder("newer-model").hold()
    changed = world.index(newer)
    making = asyncio.create_task(changed.reconcile())
    await until_asked(world.embedder("newer-model"))
    # Half built: the old one answers, takes changes, and its model embeds the question.
    found = await world.service(changed).vector_search(VectorSearch(query="слова"), EVERYBODY)
    assert found.total_chunks == 4
    world.write("0.md", "зовсім інше тепер")
    world.write("9.md", "нове")
    (world.root / "1.md").unlink()
    await changed.index_files(None, ["0.md", "9.md"])
    await changed.remove_files(None, ["1.md"])
    world.embedder("newer-model").release()
    await making
    active = await changed.require_active()
    assert (active.plan, active.id > old.id) == (newer, True)
    assert [one.id for one in await world.store.list_generations()] == [active.id]
    files = await world.store.list_files(active.id, None)
    assert [file.path for file in files] == ["0.md", "2.md", "3.md", "9.md"]
    found = await world.service(changed).vector_search(VectorSearch(query="зовсім інше тепер"), EVERYBODY)
    assert found.results[0].file_path == "0.md"
    assert found.total_chunks == 4


async def _a_new_generation_takes_vectors_over_unless_forced(world: World) -> None:
    for number in range(3):
        world.write(f"{number}.md", f"слова {number}")
    world.write("users/7/mine.md", "мої слова")
    index = world.index()
    await index.reconcile()
    assert len(world.embedded()) == 4
    first, survey = await index.rebuild(Wish(), ignore_progress)
    assert (world.embedded(), survey.embedded_texts) == ([], 0)
    told: list[tuple[float, float | None]] = []

    async def progress(done: float, total: float | None, message: str) -> None:
        assert message
        told.append((done, total))

    second, survey = await index.rebuild(Wish(None, is_forced=True), progress)
    assert first.name != second.name
    assert (len(world.embedded()), survey.embedded_texts, dict(survey.counts)) == (3, 3, {"indexed": 3})
    assert told == [(25, 100), (50, 100), (75, 100), (100, 100)]


async def _what_a_killed_process_left_half_made_is_dropped(world: World) -> None:
    world.write("a.md", "слова")
    await world.index().reconcile()
    await world.store.start_generation("half-made", PLAN)
    await world.index().reconcile()
    assert [one.state for one in await world.store.list_generations()] == ["active"]
    world.write("b.md", "нові")
    (world.root / "a.md").unlink()
    await world.index().reconcile()
    active = await world.index().require_active()
    assert [file.path for file in await world.store.list_files(active.id, None)] == ["b.md"]


async def _a_first_index_that_was_broken_off_is_gone_on_with(world: World) -> None:
    for number in range(6):
        world.write(f"{number}.md", f"слова про річ {number}")
    making = asyncio.create_task(world.index().reconcile())
    while await count_files(world) < 2:  # noqa: ASYNC110 (nobody tells)
        await asyncio.sleep(0.001)
    making.cancel()
    await asyncio.wait([making])
    (begun,) = await world.store.list_generations()
    assert begun.state == "building"
    had = len(await world.store.list_files(begun.id, None))
    assert had >= 2
    (world.root / "0.md").unlink()
    world.write("1.md", "інше")
    world.embedded()
    await world.index().reconcile()
    # What was broken off before it was written, and the one that has changed.
    assert len(world.embedded()) <= 6 - had + 1
    active = await world.index().require_active()
    assert active.name == begun.name
    assert [file.path for file in await world.store.list_files(active.id, None)] == [
        f"{number}.md" for number in range(1, 6)
    ]
    settled = await world.snapshot()
    await world.index().rebuild(Wish(None, is_forced=True), ignore_progress)
    assert await world.snapshot() == settled


async def _who_has_files_indexed_is_told_how_far_it_is(world: World) -> None:
    index = world.index()
    await index.reconcile()
    told: list[tuple[float, float | None, str]] = []

    async def look_on(done: float, total: float | None, message: str) -> None:
        told.append((done, total, message))

    for number in range(3):
        world.write(f"{number}.md", f"слова {number}")
    await index.index_files(None, ["0.md", "1.md", "2.md", "gone.md"], look_on)
    assert told == [(done, 100, f"{done} % of the files indexed") for done in (25, 50, 75, 100)]
    told.clear()
    # 64 texts at a time.
    world.write("long.md", "\n\n".join(f"Абзац {number} каже своє. " * 9 for number in range(130)))
    _, (outcome,) = await index.index_files(None, ["long.md"], look_on)
    assert isinstance(outcome.chunks, int)
    assert [done for done, *_ in told] == [
        *(100 * done // outcome.chunks for done in range(64, outcome.chunks, 64)),
        100,
    ]
    assert len(told) >= 3


async def _a_service_of_another_folder_is_refused_while_the_index_is_kept(world: World) -> None:
    world.write("a.md", "слова")
    kept, also, other = (world.index(replace(PLAN, root=root)) for root in ("one", "one", "other"))
    for index in (kept, also, kept):
        await index.claim()
    await kept.reconcile()
    await also.release()
    for refused in (
        other.claim(),
        other.claim(),
        other.find_active(),
        other.reconcile(),
        other.rebuild(Wish(), ignore_progress),
        other.index_files(None, ["a.md"]),
        other.remove_files(None, ["a.md"]),
    ):
        with pytest.raises(NotOffered, match="for another folder"):
            await refused
    active = await kept.require_active()
    assert [file.path for file in await world.store.list_files(active.id, None)] == ["a.md"]
    await kept.release()


async def _an_index_that_nobody_keeps_is_made_anew_for_another_folder(world: World) -> None:
    world.write("a.md", "слова")
    before, after = (world.index(replace(PLAN, root=root)) for root in ("before", "after"))
    await before.claim()
    await before.reconcile()
    await before.release()
    world.embedded()
    await after.claim()
    # Nothing is found in another folder's documents, and nothing is written among them.
    assert await after.find_active() is None
    with pytest.raises(IndexNotReady):
        await after.index_files(None, ["a.md"])
    await after.reconcile()
    assert world.embedded() == []
    active = await after.require_active()
    assert [file.path for file in await world.store.list_files(active.id, None)] == ["a.md"]
    # One that lost its claim unnoticed does no more harm.
    with pytest.raises(IndexNotReady):
        await before.rebuild(Wish(), ignore_progress)
    with pytest.raises(IndexNotReady):
        await before.remove_files(None, ["a.md"])
    await after.release()


async def count_files(world: World) -> int:
    return sum(
        [len(await world.store.list_files(one.id, None)) for one in await world.store.list_generations()]
    )


async def _a_generation_that_is_taken_away_while_it_is_made_ends_the_making(world: World) -> None:
    for number in range(3):
        world.write(f"{number}.md", f"слова {number}")
    world.embedder().hold()
    making = asyncio.create_task(world.index().reconcile())
    await until_asked(world.embedder())
    for generation in await world.store.list_generations():
        await world.store.drop_generation(generation)
    world.embedder().release()
    with pytest.raises(IndexNotReady):
        await making
    await world.index().reconcile()
    assert (await world.search("слова")).total_chunks == 3


async def _a_generation_that_somebody_else_ended_ends_the_making(world: World) -> None:
    world.write("a.md", "слова")
    world.embedder().hold()
    making = asyncio.create_task(world.index().reconcile())
    await until_asked(world.embedder())
    (begun,) = await world.store.list_generations()
    assert await world.store.activate(begun)
    world.embedder().release()
    with pytest.raises(IndexNotReady):
        await making
    await world.index().reconcile()
    assert (await world.search("слова")).total_chunks == 1


async def _whoever_looks_on_is_told_how_far_it_is_and_not_how_many_files_others_have(world: World) -> None:
    for number in range(7):
        world.write(f"users/{number}/a.md", f"слова {number}")
    index = world.index()
    told: list[tuple[float, float | None, str, str]] = []

    async def look_on(done: float, total: float | None, message: str) -> None:
        told.append((done, total, message, index.rebuilding))

    await index.rebuild(Wish(owner=3), look_on)
    assert [(done, total) for done, total, *_ in told] == [
        (done, 100) for done in (14, 28, 42, 57, 71, 85, 100)
    ]
    assert told[0][2:] == ("14 % of the files indexed", "14 % of the files")
    assert index.rebuilding == ""


class OvertakenVectors:
    """See `VectorStore`: something happens between what the first search finds and its being read."""

    def __init__(self, inner: VectorStore, happen: Callable[[], Awaitable[object]]) -> None:
        self._inner = inner
        self._happen: Callable[[], Awaitable[object]] | None = happen
        self.follow, self.keep_only, self.close = inner.follow, inner.keep_only, inner.close

    async def find_nearest(self, query: NearestQuery) -> Sequence[NearChunk]:
        """See `VectorStore.find_nearest`."""
        near = await self._inner.find_nearest(query)
        if (happen := self._happen) is not None:
            self._happen = None
            await happen()
        return near


async def _a_search_that_an_edit_overtakes_gives_the_file_as_it_is_now_and_whole(world: World) -> None:
    index = world.index()
    world.write("a.md", "перша редакція")
    await index.reconcile()

    async def edit() -> None:
        world.write("a.md", "друга редакція")
        await index.index_files(None, ["a.md"])

    vectors = OvertakenVectors(world.vectors, edit)
    service = KnowledgeService(index, world.store, vectors, Unwell(), top_k=5)
    found = await service.vector_search(VectorSearch(query="редакція"), EVERYBODY)
    assert [hit.text for hit in found.results] == ["друга редакція"]


MAKING_CHECKS: Final[dict[str, Check]] = checks_of(globals())
"""Each check by its sentence."""
