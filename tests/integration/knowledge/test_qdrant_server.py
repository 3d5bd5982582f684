"""Qdrant on a server, by its own client over HTTP, for several services at a time."""

from collections.abc import Iterator

import pytest

from tests.fake_vector_truth import FakeVectorTruth
from tests.integration.knowledge.qdrant_server import FakeQdrant, qdrant_server
from tests.vector_store_contract import CHECKS, Check, Stage, unit_vectors
from vmk_mcp.errors import StoreUnavailable
from vmk_mcp.knowledge.following import FollowingStore
from vmk_mcp.knowledge.qdrant_vectors import QdrantServer, QdrantVectors


@pytest.fixture
def qdrant() -> Iterator[FakeQdrant]:
    with qdrant_server() as server:
        yield server


def make_stage(qdrant: FakeQdrant, truth: FakeVectorTruth) -> Stage:
    store = FollowingStore(QdrantVectors(QdrantServer(qdrant.url)), truth)

    async def reopen(is_killed: bool) -> Stage:
        # Each starts connections and threads of its own, and what a kill leaves is on the server.
        await store.close()
        return make_stage(qdrant, truth)

    return Stage(store, truth, reopen)


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
async def test_a_server_keeps_the_contract_of_stores(check: Check, qdrant: FakeQdrant) -> None:
    stage = make_stage(qdrant, FakeVectorTruth())
    await check(stage)
    await stage.store.close()
    assert qdrant.names() <= set(qdrant.indexed)


async def test_services_with_databases_of_their_own_share_a_server(qdrant: FakeQdrant) -> None:
    truths = {name: FakeVectorTruth(name) for name in ("one", "other")}
    stages = {name: make_stage(qdrant, truth) for name, truth in truths.items()}
    vectors = {"one": unit_vectors(3, seed=1), "other": unit_vectors(4, seed=2)}
    generations = {}
    for name, stage in stages.items():
        # Both give their generations the same numbers and, as the fake has it, the same names.
        generations[name] = await truths[name].begin()
        await truths[name].add(generations[name], None, vectors[name])
        await stage.store.follow(generations[name])
    for name, stage in stages.items():
        await stage.store.keep_only([generations[name].id])
        found = await stage.find(generations[name], None, vectors[name][0], limit=10)
        assert len(found) == len(vectors[name])
    assert qdrant.names() == {"vmk-mcp-one-1-name1", "vmk-mcp-other-1-name1"}
    # One that makes its index anew takes nothing of the other's along.
    newer = await truths["one"].begin()
    await stages["one"].store.follow(newer)
    await stages["one"].store.keep_only([newer.id])
    assert qdrant.names() == {"vmk-mcp-one-2-name2", "vmk-mcp-other-1-name1"}
    for stage in stages.values():
        await stage.store.close()


async def test_a_key_that_the_server_does_not_take_is_told_without_the_key(qdrant: FakeQdrant) -> None:
    qdrant.key = "its key"
    vectors = QdrantVectors(QdrantServer(qdrant.url, "another key"))
    with (
        # The client's own word to the operator: a key over HTTP may be read on the way.
        pytest.warns(UserWarning, match="insecure connection"),
        pytest.raises(StoreUnavailable, match="Qdrant cannot be reached") as refused,
    ):
        await vectors.open(await FakeVectorTruth().begin())
    assert "takes this key" in refused.value.hint
    assert "another key" not in f"{refused.value} {refused.value.hint}"
    await vectors.close()
