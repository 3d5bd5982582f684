"""Vectors filled in a real table: only missing ones, never of two models, going on after a break."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.fakes import FakeEmbedder
from tests.integration.loading.files import fetch_value, load, own_listings, run, settings_in, write_csv
from tests.integration.servers import Dsn
from vmk_mcp.bootstrap.filling import FillOrder, FillOutcome, FillWatch, fill_vectors
from vmk_mcp.database.credentials import Role
from vmk_mcp.embedding.port import Vectors
from vmk_mcp.errors import EmbeddingUnavailable, StartError

_VECTORS = "SELECT count(embedding) FROM property_listings"
_MODEL = "SELECT model FROM vmk_mcp.embedding_model"
_COUNT = 70

Use = Callable[[FakeEmbedder], None]


class TiringEmbedder(FakeEmbedder):
    """Works for so many requests, then fails for good, without a pause to wait for."""

    def __init__(self, requests: int, model: str = "fake-model") -> None:
        super().__init__(model)
        self.left = requests

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_documents`."""
        if not self.left:
            failure = EmbeddingUnavailable("It is tired.")
            failure.retryable = False  # type: ignore[misc]  # so that no test waits for pauses
            raise failure
        self.left -= 1
        return await super().embed_documents(texts)


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Use:
    """Has another embedder used than the settings name."""

    def replace(embedder: FakeEmbedder) -> None:
        monkeypatch.setattr("vmk_mcp.bootstrap.filling.make_embedder", lambda settings, observer: embedder)
        monkeypatch.setattr("vmk_mcp.bootstrap.loading.make_embedder", lambda settings, observer: embedder)

    return replace


@pytest.fixture
async def loaded(listings_dsn: Dsn, tmp_path: Path, use: Use) -> str:
    """The owner's DSN of a database with listings and no vectors, for `fake-model`."""
    use(FakeEmbedder())
    path = write_csv(tmp_path / "a.csv", own_listings(_COUNT))
    await asyncio.to_thread(load, settings_in(tmp_path), path, listings_dsn(Role.OWNER))
    use(FakeEmbedder())
    return listings_dsn(Role.OWNER)


async def fill(dsn: str, folder: Path, *, makes_anew: bool = False, model: str = "") -> FillOutcome:
    settings = settings_in(folder, **({"DATA_EMBED_MODEL": model} if model else {}))
    watch = FillWatch(lambda listings: None, lambda filling: None)
    return await asyncio.to_thread(
        fill_vectors, settings, FillOrder(dsn, makes_anew), lambda line: None, watch
    )


async def test_missing_vectors_are_filled_and_a_second_run_asks_for_none(
    loaded: str, tmp_path: Path, use: Use
) -> None:
    assert (await fill(loaded, tmp_path)).filling.filled == _COUNT
    use(again := FakeEmbedder())
    outcome = await fill(loaded, tmp_path)
    assert (outcome.filling.filled, outcome.now.filled, again.requests) == (0, _COUNT, [])
    norm = "SELECT max(abs(vector_norm(embedding) - 1)) FROM property_listings"
    assert await fetch_value(loaded, norm) < 1e-5


async def test_a_run_that_broke_off_goes_on_with_what_is_missing(
    loaded: str, tmp_path: Path, use: Use
) -> None:
    use(TiringEmbedder(1))
    with pytest.raises(EmbeddingUnavailable, match=r"It is tired\. 32 vectors were written") as caught:
        await fill(loaded, tmp_path)
    assert "goes on" in caught.value.hint
    assert await fetch_value(loaded, _VECTORS) == 32
    use(FakeEmbedder())
    assert (await fill(loaded, tmp_path)).filling.filled == _COUNT - 32


async def test_another_model_is_refused_with_both_names(loaded: str, tmp_path: Path, use: Use) -> None:
    await fill(loaded, tmp_path)
    await run(loaded, "UPDATE property_listings SET embedding = NULL WHERE id % 2 = 0")
    use(FakeEmbedder("other-model"))
    with pytest.raises(StartError, match=r"'fake-model'.*'other-model'") as caught:
        await fill(loaded, tmp_path)
    assert "--all" in caught.value.hint


async def test_at_no_moment_do_two_models_stand_side_by_side(loaded: str, tmp_path: Path, use: Use) -> None:
    await fill(loaded, tmp_path)
    use(TiringEmbedder(1, "other-model"))
    with pytest.raises(EmbeddingUnavailable):
        await fill(loaded, tmp_path, makes_anew=True)
    assert await fetch_value(loaded, _VECTORS) == 32
    assert await fetch_value(loaded, _MODEL) == "other-model"
    use(FakeEmbedder("other-model"))
    assert (await fill(loaded, tmp_path)).filling.filled == _COUNT - 32


async def test_all_of_the_same_model_are_replaced_in_place(loaded: str, tmp_path: Path, use: Use) -> None:
    await fill(loaded, tmp_path)
    await run(loaded, "UPDATE property_listings SET embedding = array_fill(1, ARRAY[768])::vector")
    use(TiringEmbedder(1))
    with pytest.raises(EmbeddingUnavailable):
        await fill(loaded, tmp_path, makes_anew=True)
    assert await fetch_value(loaded, _VECTORS) == _COUNT
    use(FakeEmbedder())
    assert (await fill(loaded, tmp_path, makes_anew=True)).filling.filled == _COUNT
    left = "SELECT count(*) FROM property_listings WHERE vector_norm(embedding) > 2"
    assert await fetch_value(loaded, left) == 0


async def test_without_vectors_any_model_may_begin(loaded: str, tmp_path: Path, use: Use) -> None:
    use(FakeEmbedder("other-model"))
    assert (await fill(loaded, tmp_path)).filling.filled == _COUNT
    assert await fetch_value(loaded, _MODEL) == "other-model"


async def test_in_a_foreign_database_the_vectors_themselves_tell_their_model(
    loaded: str, listings_dsn: Dsn, tmp_path: Path, use: Use
) -> None:
    await run(listings_dsn(Role.SUPERUSER), "DROP SCHEMA vmk_mcp CASCADE")
    use(FakeEmbedder())
    assert (await fill(loaded, tmp_path)).filling.filled == _COUNT
    await run(loaded, "UPDATE property_listings SET embedding = NULL WHERE id % 2 = 0")
    use(FakeEmbedder("other-model"))
    with pytest.raises(StartError, match="different models"):
        await fill(loaded, tmp_path)
    with pytest.raises(StartError, match=r"'fake-model'.*'other-model'"):
        await fill(loaded, tmp_path, model="fake-model")
    use(FakeEmbedder())
    assert (await fill(loaded, tmp_path)).filling.filled == _COUNT // 2
