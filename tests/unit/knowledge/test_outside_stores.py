"""FAISS and Qdrant as stores that follow SQL, and what they do about damaged files."""

import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.fake_vector_truth import FakeVectorTruth
from tests.vector_store_contract import CHECKS, Check, Stage, unit_vectors
from vmk_mcp.errors import NotOffered, StartError, StoreUnavailable
from vmk_mcp.knowledge.faiss_vectors import FaissVectors
from vmk_mcp.knowledge.following import FollowingStore
from vmk_mcp.knowledge.ports import OutsideVectors
from vmk_mcp.knowledge.qdrant_vectors import QdrantServer, QdrantVectors

MakeVectors = Callable[[Path], OutsideVectors]

KINDS: dict[str, MakeVectors] = {"faiss": FaissVectors, "qdrant": QdrantVectors}


def make_stage(make: MakeVectors, folder: Path, truth: FakeVectorTruth) -> Stage:
    outside = make(folder)
    store = FollowingStore(outside, truth)

    async def reopen(is_killed: bool) -> Stage:
        # What a kill leaves: nothing more is written. Qdrant's folder has to be let go of by its process.
        if not is_killed or make is QdrantVectors:
            await store.close()
        return make_stage(make, folder, truth)

    return Stage(store, truth, reopen)


@pytest.fixture(params=KINDS)
def make(request: pytest.FixtureRequest) -> MakeVectors:
    return KINDS[request.param]


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
async def test_it_keeps_the_contract_of_stores(check: Check, make: MakeVectors, tmp_path: Path) -> None:
    stage = make_stage(make, tmp_path / "vectors", FakeVectorTruth())
    await check(stage)
    await stage.store.close()


async def test_what_is_on_the_disk_is_not_read_from_sql_again(make: MakeVectors, tmp_path: Path) -> None:
    truth = FakeVectorTruth()
    stage = make_stage(make, tmp_path, truth)
    generation = await truth.begin()
    await truth.add(generation, None, unit_vectors(30))
    await stage.store.follow(generation)
    await stage.store.follow(generation)
    assert truth.read == 30
    again = await stage.reopen(False)
    await again.store.follow(generation)
    assert truth.read == 30
    await again.store.close()


@pytest.mark.parametrize("damage", ["empty", "cut", "one bit", "gone"])
async def test_damaged_files_are_made_anew_from_sql(make: MakeVectors, tmp_path: Path, damage: str) -> None:
    truth = FakeVectorTruth()
    stage = make_stage(make, tmp_path / "vectors", truth)
    generation, vectors = await truth.begin(), unit_vectors(30)
    ids = await truth.add(generation, None, vectors)
    await stage.store.follow(generation)
    await stage.store.close()
    for path in (tmp_path / "vectors").rglob("*"):
        if path.is_file() and path.suffix in {".faiss", ".json"}:
            spoil(path, damage)
    again = make_stage(make, tmp_path / "vectors", truth)
    assert set(await again.find(generation, None, vectors[0], limit=100)) == set(ids)
    # Without its description Qdrant takes over the points that it finds.
    assert truth.read == 60 or (damage, make) == ("gone", QdrantVectors)
    await again.store.close()


def spoil(path: Path, damage: str) -> None:
    content = bytearray(path.read_bytes())
    if damage == "gone":
        path.unlink()
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "cut":
        path.write_bytes(content[: len(content) * 2 // 3])
    else:
        # In a name of Qdrant's description, or among FAISS's vectors.
        content[len(content) // 2] ^= 0x80
        path.write_bytes(content)


async def test_other_generations_leave_nothing_behind_even_those_of_earlier_runs(
    make: MakeVectors, tmp_path: Path
) -> None:
    truth = FakeVectorTruth()
    stage = make_stage(make, tmp_path / "vectors", truth)
    old, kept = await truth.begin(), await truth.begin()
    for generation in (old, kept):
        await truth.add(generation, None, unit_vectors(3))
        await stage.store.follow(generation)
    again = await stage.reopen(False)
    await again.store.keep_only([kept.id])
    await again.store.close()
    left = {path.name for path in (tmp_path / "vectors").rglob("*") if "name" in path.name}
    assert {name.rpartition("-")[2] for name in left} == {kept.name}


async def test_indexes_in_one_place_leave_each_other_s_generations_be(
    make: MakeVectors, tmp_path: Path
) -> None:
    found = []
    for name in ("one", "other", "one"):
        truth = FakeVectorTruth(name)
        # Both count from 1, and one begins a second generation beside that.
        old, kept = await truth.begin(), await truth.begin()
        stage = make_stage(make, tmp_path / "vectors", truth)
        for generation in (old, kept):
            await truth.add(generation, None, unit_vectors(3, seed=len(name)))
            await stage.store.follow(generation)
        found.append(truth.read)
        await stage.store.keep_only([kept.id])
        await stage.store.close()
    # What the first left of the generation that it kept was there when it came again.
    assert found == [6, 6, 3]


async def test_a_generation_of_a_lost_database_with_the_same_number_is_not_believed(
    make: MakeVectors, tmp_path: Path
) -> None:
    for seed in (1, 2):
        truth = FakeVectorTruth()
        generation = replace(await truth.begin(), name=f"name{seed}")
        await truth.add(generation, None, unit_vectors(5, seed=seed))
        stage = make_stage(make, tmp_path, truth)
        await stage.store.follow(generation)
        assert truth.read == 5
        await stage.store.close()


async def test_a_search_in_a_generation_that_was_just_dropped_may_be_tried_again(
    make: MakeVectors, tmp_path: Path
) -> None:
    truth = FakeVectorTruth()
    stage = make_stage(make, tmp_path, truth)
    generation = await truth.begin()
    await stage.store.follow(generation)
    await stage.store.keep_only([])
    truth._revisions.clear()
    with pytest.raises(NotOffered, match="replaced"):
        await stage.find(generation, None, unit_vectors(1)[0])
    await stage.store.close()


@pytest.mark.parametrize(("kind", "package"), [("faiss", "faiss-cpu"), ("qdrant", "qdrant-client")])
def test_a_package_that_is_not_installed_is_named_with_its_extra(
    kind: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("faiss", "qdrant_client"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(StartError, match=package) as raised:
        KINDS[kind](tmp_path)
    assert f"vmk-mcp[{kind}]" in raised.value.hint


async def test_a_few_changes_among_many_are_written_with_later_ones_or_at_the_end(tmp_path: Path) -> None:
    truth = FakeVectorTruth()
    stage = make_stage(FaissVectors, tmp_path, truth)
    generation = await truth.begin()
    ids = await truth.add(generation, None, unit_vectors(1_000))
    await stage.store.follow(generation)
    file = tmp_path / "index" / f"{generation.id}-{generation.name}" / "shared.faiss"
    written = file.read_bytes()
    await truth.drop(generation, ids[:3])
    await stage.store.follow(generation)
    assert file.read_bytes() == written
    await truth.drop(generation, ids[3:90])
    await stage.store.follow(generation)
    assert len(file.read_bytes()) < len(written)
    assert file.stat().st_mode & 0o777 == 0o600
    await truth.drop(generation, ids[90:])
    await stage.store.follow(generation)
    assert not file.exists()
    await stage.store.close()


async def test_files_that_cannot_be_written_are_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for make_vectors in KINDS.values():
        vectors = make_vectors(tmp_path / "file" / "below")
        generation = await FakeVectorTruth().begin()
        with pytest.raises(StoreUnavailable, match="cannot be read or written"):
            await vectors.open(generation)
        await vectors.close()


async def test_a_folder_of_qdrant_serves_one_process_at_a_time(tmp_path: Path) -> None:
    first, second = QdrantVectors(tmp_path / "q"), QdrantVectors(tmp_path / "q")
    generation = await FakeVectorTruth().begin()
    await first.open(generation)
    with pytest.raises(StoreUnavailable, match="one at a time"):
        await second.open(generation)
    await first.close()
    await second.open(generation)
    await second.close()


async def test_a_folder_of_more_points_than_qdrant_recommends_warns_nobody(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        vectors = QdrantVectors(tmp_path / "q")
        warnings.warn("Local mode is not recommended for collections", UserWarning, stacklevel=1)
    await vectors.close()
    assert not caught


async def test_a_qdrant_that_is_not_there_is_unavailable_and_may_be_tried_again() -> None:
    vectors = QdrantVectors(QdrantServer("http://127.0.0.1:9"))
    with pytest.raises(StoreUnavailable, match="Qdrant cannot be reached"):
        await vectors.open(await FakeVectorTruth().begin())
    await vectors.close()


def test_equal_vectors_have_equal_scores_wherever_they_lie() -> None:
    """What the order of equals by id rests on."""
    import faiss  # noqa: PLC0415 - an extra, needed only here

    index = faiss.IndexFlatIP(384)
    vector = unit_vectors(1, dimensions=384)
    index.add(np.concatenate([unit_vectors(777, dimensions=384), np.repeat(vector, 100, axis=0)]))
    scores, _ = index.search(vector, 50)
    assert len(set(scores[0].tolist())) == 1


async def test_faiss_files_that_changed_places_count_as_damaged(tmp_path: Path) -> None:
    truth = FakeVectorTruth()
    stage = make_stage(FaissVectors, tmp_path, truth)
    generation, vectors = await truth.begin(), unit_vectors(2)
    of_one = await truth.add(generation, 1, vectors[:1])
    of_two = await truth.add(generation, 2, vectors[1:])
    await stage.store.follow(generation)
    await stage.store.close()
    folder = tmp_path / "index" / f"{generation.id}-{generation.name}"
    (folder / "1.faiss").rename(folder / "between")
    (folder / "2.faiss").rename(folder / "1.faiss")
    (folder / "between").rename(folder / "2.faiss")
    again = make_stage(FaissVectors, tmp_path, truth)
    assert await again.find(generation, 1, vectors[0], limit=10) == of_one
    assert await again.find(generation, 2, vectors[0], limit=10) == of_two
    await again.store.close()
