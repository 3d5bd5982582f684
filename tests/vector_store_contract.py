"""What every `VectorStore` does over one truth, be that Postgres or a fake."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol

import numpy as np
from msgspec import Struct

from vmk_mcp.knowledge.ports import VectorStore
from vmk_mcp.knowledge.records import Generation, NearChunk, NearestQuery, Vectors

DIMENSIONS: Final = 16


class EditedTruth(Protocol):
    """What SQL holds, as a test changes it; a chunk's id is given once and never again."""

    async def begin(self, dimensions: int = DIMENSIONS) -> Generation:
        """Begin a generation that holds nothing."""

    async def add(self, generation: Generation, owner: int | None, vectors: Vectors) -> Sequence[int]:
        """Add a chunk for each vector; gives their ids."""

    async def drop(self, generation: Generation, ids: Sequence[int]) -> None:
        """Remove chunks."""


class Stage(Struct, frozen=True):
    """A store and the truth that it follows.

    Attributes:
        reopen: gives another store of the same kind over the same files and truth, as after a start; the
            first is closed, unless it is to be left as a kill would leave it.
    """

    store: VectorStore
    truth: EditedTruth
    reopen: "Callable[[bool], Awaitable[Stage]]"

    async def find(
        self, generation: Generation, owner: int | None, vector: Vectors, limit: int = 10
    ) -> list[int]:
        """Search, once the store has followed, and give the ids found."""
        return [near.id for near in await self.find_scored(generation, owner, vector, limit)]

    async def find_scored(
        self, generation: Generation, owner: int | None, vector: Vectors, limit: int = 10
    ) -> Sequence[NearChunk]:
        """Search, once the store has followed."""
        await self.store.follow(generation)
        return await self.store.find_nearest(
            NearestQuery(generation=generation.id, owner=owner, vector=vector, limit=limit)
        )


Check = Callable[[Stage], Awaitable[None]]


def unit_vectors(count: int, seed: int = 0, dimensions: int = DIMENSIONS) -> Vectors:
    """Give `(count, dimensions)` unit rows, no two of which are alike."""
    rows = np.random.default_rng(seed).standard_normal((count, dimensions)).astype(np.float32)
    unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


async def check_the_nearest_come_first_with_their_cosines(stage: Stage) -> None:
    generation, vectors = await stage.truth.begin(), unit_vectors(50)
    ids = await stage.truth.add(generation, None, vectors)
    query = unit_vectors(1, seed=9)[0]
    cosines = vectors @ query
    expected = [ids[at] for at in np.argsort(-cosines)[:7]]
    found = await stage.find_scored(generation, None, query, limit=7)
    assert [near.id for near in found] == expected
    assert np.allclose([near.score for near in found], sorted(cosines, reverse=True)[:7], atol=1e-5)
    itself = await stage.find_scored(generation, None, vectors[3], limit=1)
    assert itself[0].id == ids[3]
    assert 1 - 1e-5 < itself[0].score <= 1


async def check_chunks_that_are_equally_near_come_in_the_order_of_their_ids(stage: Stage) -> None:
    generation, vector = await stage.truth.begin(), unit_vectors(1)
    others = await stage.truth.add(generation, None, unit_vectors(20, seed=5))
    ids = await stage.truth.add(generation, None, np.repeat(vector, 30, axis=0))
    assert await stage.find(generation, None, vector[0], limit=12) == list(ids[:12])
    assert set(await stage.find(generation, None, vector[0], limit=100)) == {*ids, *others}


async def check_one_owners_chunks_are_never_found_for_another(stage: Stage) -> None:
    generation, vectors = await stage.truth.begin(), unit_vectors(90)
    owners = (None, 7, 77)
    ids = {owner: await stage.truth.add(generation, owner, vectors[at::3]) for at, owner in enumerate(owners)}
    for owner in owners:
        assert set(await stage.find(generation, owner, vectors[0], limit=100)) == set(ids[owner])
    assert await stage.find(generation, 8, vectors[0]) == []
    assert await stage.find(generation, -7, vectors[0]) == []


async def check_a_small_owner_among_many_chunks_is_found_whole(stage: Stage) -> None:
    generation, vectors = await stage.truth.begin(), unit_vectors(200)
    await stage.truth.add(generation, None, vectors[:190])
    ids = await stage.truth.add(generation, 5, -vectors[190:])
    assert set(await stage.find(generation, 5, vectors[0], limit=50)) == set(ids)


async def check_removed_chunks_are_found_no_more_and_new_ones_at_once(stage: Stage) -> None:
    generation, vectors = await stage.truth.begin(), unit_vectors(40)
    first = await stage.truth.add(generation, None, vectors[:20])
    assert set(await stage.find(generation, None, vectors[0], limit=100)) == set(first)
    await stage.truth.drop(generation, first[:10])
    second = await stage.truth.add(generation, None, vectors[20:])
    assert set(await stage.find(generation, None, vectors[0], limit=100)) == {*first[10:], *second}
    await stage.truth.drop(generation, [*first[10:], *second])
    assert await stage.find(generation, None, vectors[0]) == []


async def check_an_empty_generation_gives_nothing(stage: Stage) -> None:
    generation = await stage.truth.begin()
    assert await stage.find(generation, None, unit_vectors(1)[0]) == []


async def check_generations_of_different_length_live_side_by_side(stage: Stage) -> None:
    old, new = await stage.truth.begin(), await stage.truth.begin(DIMENSIONS * 2)
    old_ids = await stage.truth.add(old, None, unit_vectors(5))
    longer = unit_vectors(6, dimensions=DIMENSIONS * 2)
    new_ids = await stage.truth.add(new, None, longer)
    assert set(await stage.find(old, None, unit_vectors(1)[0])) == set(old_ids)
    assert set(await stage.find(new, None, longer[0])) == set(new_ids)
    await stage.store.keep_only([new.id])
    assert set(await stage.find(new, None, longer[0])) == set(new_ids)


async def check_a_start_finds_what_was_there_and_what_changed_meanwhile(stage: Stage) -> None:
    for is_killed in (False, True):
        generation, vectors = await stage.truth.begin(), unit_vectors(60, seed=int(is_killed))
        first = await stage.truth.add(generation, None, vectors[:30])
        mine = await stage.truth.add(generation, 3, vectors[30:40])
        await stage.find(generation, None, vectors[0])
        await stage.truth.drop(generation, first[:5])
        last = await stage.truth.add(generation, None, vectors[40:])
        stage = await stage.reopen(is_killed)
        assert set(await stage.find(generation, None, vectors[0], limit=100)) == {*first[5:], *last}
        assert set(await stage.find(generation, 3, vectors[0], limit=100)) == set(mine)
    await stage.store.close()


async def check_many_chunks_at_once_all_arrive(stage: Stage) -> None:
    generation, vectors = await stage.truth.begin(), unit_vectors(1_005)
    ids = await stage.truth.add(generation, None, vectors)
    for at in (0, 999, 1_000, 1_004):
        assert await stage.find(generation, None, vectors[at], limit=1) == [ids[at]]


CHECKS: Final[dict[str, Check]] = {
    name.removeprefix("check_"): check
    for name, check in sorted(globals().items())
    if name.startswith("check_")
}
