"""Vectors filled over a table in memory, with an embedder that fails in every way."""

from collections.abc import Sequence

import pytest

from tests.fakes import FakeEmbedder
from tests.unit.listings.loading.fake_store import FakeLoadingStore
from vmk_mcp.embedding.failures import TextsRefused
from vmk_mcp.embedding.port import Vectors
from vmk_mcp.errors import EmbeddingUnavailable
from vmk_mcp.listings.loading.filling import Filling, FillRules, VectorFiller


class MoodyEmbedder(FakeEmbedder):
    """Fails so many times, then works; refuses texts that hold a word."""

    def __init__(self, failures: int = 0, refused_word: str = "") -> None:
        super().__init__(dimensions=4)
        self.failures = failures
        self.refused_word = refused_word

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_documents`."""
        if self.failures:
            self.failures -= 1
            raise EmbeddingUnavailable("down", hint="start it.")
        if self.refused_word and any(self.refused_word in text for text in texts):
            raise TextsRefused("too long")
        return await super().embed_documents(texts)


class Naps:
    """Remembers how long it was asked to sleep."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        """Sleep not."""
        self.seconds.append(seconds)


def store_of(*titles: str) -> FakeLoadingStore:
    store = FakeLoadingStore()
    for number, title in enumerate(titles, start=1):
        store.rows[number] = {"title": title}
        store.versions[number] = 1
    return store


async def fill(
    store: FakeLoadingStore, embedder: FakeEmbedder, naps: Naps | None = None, **rules: bool
) -> Filling:
    filler = VectorFiller(store, embedder, lambda _: None, naps or Naps())
    return await filler.run(FillRules(rows_at_once=2, **rules), lambda _: None)


TITLES = ("Квартира", "Будинок", "Дача", "Гараж", "Офіс")


async def test_every_listing_without_a_vector_gets_one() -> None:
    store = store_of(*TITLES)
    store.vectors[2] = [9.0]
    filling = await fill(store, MoodyEmbedder())
    assert filling.filled == 4
    assert sorted(store.vectors) == [1, 2, 3, 4, 5]
    assert store.vectors[2] == [9.0]
    assert {len(vector) for number, vector in store.vectors.items() if number != 2} == {4}


async def test_all_are_made_anew_where_that_was_asked_for() -> None:
    store = store_of(*TITLES)
    store.vectors = {number: [9.0] for number in store.rows}
    assert (await fill(store, MoodyEmbedder(), includes_filled=True)).filled == 5
    assert [9.0] not in store.vectors.values()


async def test_a_failing_embedder_is_asked_again_after_longer_and_longer_pauses() -> None:
    naps = Naps()
    assert (await fill(store_of(*TITLES), MoodyEmbedder(failures=3), naps)).filled == 5
    assert naps.seconds == [1.0, 2.0, 4.0]


async def test_an_embedder_that_stays_down_is_given_up_and_what_was_done_stays() -> None:
    store, embedder, naps = store_of(*TITLES), MoodyEmbedder(), Naps()
    await VectorFiller(store, embedder, lambda _: None, naps).run(FillRules(), lambda _: None)
    store.rows[6], store.versions[6] = {"title": "Склад"}, 1
    embedder.failures = 1_000
    with pytest.raises(EmbeddingUnavailable):
        await fill(store, embedder, naps)
    assert len(naps.seconds) == 6
    assert len(store.vectors) == 5


async def test_a_text_that_the_embedder_refuses_is_passed_over_alone() -> None:
    store = store_of(*TITLES)
    filling = await fill(store, MoodyEmbedder(refused_word="Будинок"))
    assert (filling.filled, filling.skipped) == (4, 1)
    assert sorted(store.vectors) == [1, 3, 4, 5]


async def test_a_listing_without_any_text_is_passed_over() -> None:
    filling = await fill(store_of("Квартира", ""), MoodyEmbedder())
    assert (filling.filled, filling.skipped) == (1, 1)


async def test_a_listing_that_changes_while_it_is_embedded_gets_the_vector_of_its_new_text() -> None:
    class MeddlingEmbedder(MoodyEmbedder):
        async def embed_documents(self, texts: Sequence[str]) -> Vectors:
            if store.rows[1]["title"] == "Квартира":
                store.rows[1] = {"title": "Палац"}
                store.versions[1] += 1
            return await super().embed_documents(texts)

    store = store_of("Квартира", "Будинок")
    expected = store_of("Палац", "Будинок")
    filling = await fill(store, MeddlingEmbedder())
    await fill(expected, MoodyEmbedder())
    assert filling.filled == 2
    assert store.vectors == expected.vectors
