"""The cache: what it remembers, one flight a text, many texts a request, and who may be cancelled."""

import asyncio
import gc
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes import FakeClock, FakeEmbedder, RecordingObserver
from vmk_mcp.embedding.cache import CachedEmbedder, CacheLimits
from vmk_mcp.embedding.failures import TextsRefused
from vmk_mcp.embedding.port import Embedder, Vectors
from vmk_mcp.errors import EmbeddingUnavailable
from vmk_mcp.observe import Embedded, Stages, current_stages

DOWN = EmbeddingUnavailable("Ollama cannot be reached.")


class Bench:
    """A cache of four vectors and three texts a request, and all around it."""

    def __init__(self, inner: FakeEmbedder | None = None, limits: CacheLimits | None = None) -> None:
        self.inner = FakeEmbedder(dimensions=8) if inner is None else inner
        self.observer = RecordingObserver()
        self.clock = FakeClock()
        self.cache = CachedEmbedder(
            self.inner, self.observer, limits=limits or CacheLimits(4, 3), clock=self.clock
        )

    def start(self, *texts: str) -> asyncio.Task[Vectors]:
        """Ask for `texts` without waiting."""
        return asyncio.ensure_future(self.cache.embed_queries(texts))

    @property
    def sent(self) -> list[tuple[str, ...]]:
        """The texts of each request, in order."""
        return [texts for _, texts in self.inner.requests]


@pytest.fixture
def bench() -> Bench:
    return Bench()


async def turn() -> None:
    """Let everything run that can."""
    for _ in range(10):
        await asyncio.sleep(0)


CALLS = st.lists(
    st.tuples(
        st.sampled_from(["query", "document"]),
        st.lists(st.sampled_from(["a", "b", " a ", "a  b", "ї", "i\u0308", "c", "d", "e"]), max_size=6),
    ),
    max_size=8,
)


@settings(deadline=None)
@given(CALLS, st.booleans(), st.integers(1, 4), st.integers(0, 4))
def test_the_cache_gives_exactly_what_the_embedder_behind_would(
    calls: list[tuple[str, list[str]]], together: bool, most: int, entries: int
) -> None:
    async def compare() -> None:
        bench = Bench(limits=CacheLimits(entries, most))
        plain = FakeEmbedder(dimensions=8)

        async def ask(embedder: Embedder, kind: str, texts: Sequence[str]) -> Vectors:
            return await (
                embedder.embed_queries(texts) if kind == "query" else embedder.embed_documents(texts)
            )

        async def one(kind: str, texts: Sequence[str]) -> None:
            cached, direct = await ask(bench.cache, kind, texts), await ask(plain, kind, texts)
            assert cached.dtype == direct.dtype
            assert np.array_equal(cached, direct)

        if together:
            await asyncio.gather(*(one(kind, texts) for kind, texts in calls))
        else:
            for kind, texts in calls:
                await one(kind, texts)
        assert all(len(set(texts)) == len(texts) <= most for texts in bench.sent)

    asyncio.run(compare())


async def test_a_known_text_is_not_sent_again(bench: Bench) -> None:
    first = await bench.cache.embed_queries(["дві  кімнати"])
    again = await bench.cache.embed_queries([" дві кімнати\n"])
    assert np.array_equal(first, again)
    assert bench.sent == [("дві кімнати",)]


async def test_query_and_document_of_one_text_are_two_things(bench: Bench) -> None:
    query = await bench.cache.embed_queries(["a"])
    document = await bench.cache.embed_documents(["a"])
    assert not np.array_equal(query, document)
    assert bench.inner.requests == [("query", ("a",)), ("document", ("a",))]


async def test_what_a_caller_does_to_its_vectors_changes_no_one_elses(bench: Bench) -> None:
    first = await bench.cache.embed_queries(["a"])
    kept = first.copy()
    first[:] = 0
    assert np.array_equal(await bench.cache.embed_queries(["a"]), kept)


async def test_a_full_cache_forgets_what_was_unused_for_longest(bench: Bench) -> None:
    for text in ["a", "b", "c", "d", "a", "e"]:
        await bench.cache.embed_queries([text])
    bench.inner.requests.clear()
    for text in ["a", "c", "d", "e", "b"]:
        await bench.cache.embed_queries([text])
    assert bench.sent == [("b",)]


async def test_the_same_text_wanted_at_once_flies_once(bench: Bench) -> None:
    results = await asyncio.gather(*(bench.start("a", "a") for _ in range(5)))
    assert bench.sent == [("a",)]
    assert all(np.array_equal(result, results[0]) for result in results)


async def test_texts_wanted_in_one_turn_go_in_one_request(bench: Bench) -> None:
    await asyncio.gather(bench.start("a"), bench.start("b"), bench.start("c"))
    assert bench.sent == [("a", "b", "c")]


async def test_what_arrives_while_a_request_is_under_way_goes_together_up_to_the_bound(bench: Bench) -> None:
    bench.inner.hold()
    calls = [bench.start("first")]
    await turn()
    for text in ["a", "b", "a", "c", "d"]:
        calls.append(bench.start(text))
        await turn()
    assert bench.sent == [("first",)]
    bench.inner.release()
    await asyncio.gather(*calls)
    assert bench.sent == [("first",), ("a", "b", "c"), ("d",)]


async def test_a_flight_goes_on_for_the_others_when_one_who_waits_is_cancelled(bench: Bench) -> None:
    bench.inner.hold()
    leaver, stayer = bench.start("a"), bench.start("a")
    await turn()
    leaver.cancel()
    await turn()
    assert leaver.cancelled()
    bench.inner.release()
    assert (await stayer).shape == (1, 8)
    assert bench.sent == [("a",)]


async def test_a_flight_that_nobody_waits_for_any_more_still_fills_the_cache(bench: Bench) -> None:
    bench.inner.hold()
    leaver = bench.start("a")
    await turn()
    leaver.cancel()
    bench.inner.release()
    await turn()
    await bench.cache.embed_queries(["a"])
    assert bench.sent == [("a",)]


async def test_a_text_that_nobody_waits_for_any_more_is_not_sent(bench: Bench) -> None:
    bench.inner.hold()
    first = bench.start("first")
    await turn()
    leaver, stayer = bench.start("a", "b"), bench.start("b")
    await turn()
    leaver.cancel()
    bench.inner.release()
    await asyncio.gather(first, stayer)
    assert bench.sent == [("first",), ("b",)]
    await bench.cache.embed_queries(["a"])
    assert bench.sent[-1] == ("a",)


async def test_a_failure_reaches_all_who_wait_and_is_not_remembered(bench: Bench) -> None:
    bench.inner.failure = DOWN
    calls = [bench.start("a"), bench.start("a"), bench.start("b")]
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert outcomes == [DOWN, DOWN, DOWN]
    bench.inner.failure = None
    assert (await bench.cache.embed_queries(["a"])).shape == (1, 8)


async def test_a_failure_that_nobody_waits_for_is_no_complaint_of_the_event_loop(bench: Bench) -> None:
    complaints: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, said: complaints.append(said["message"]))
    bench.inner.failure = DOWN
    bench.inner.hold()
    leaver = bench.start("a")
    await turn()
    leaver.cancel()
    bench.inner.release()
    await turn()
    # asyncio complains of an unseen exception when its future goes; the caller's frames hold it until then.
    del leaver
    gc.collect()
    assert complaints == []
    bench.inner.failure = None
    await bench.cache.embed_queries(["a"])
    assert bench.sent == [("a",), ("a",)]


async def test_a_long_call_fails_with_its_first_failing_request_and_drops_the_rest(bench: Bench) -> None:
    bench.inner.failure = DOWN
    with pytest.raises(EmbeddingUnavailable):
        await bench.cache.embed_documents(["a", "b", "c", "d", "e", "f", "g", "h"])
    await turn()
    assert len(bench.sent) <= 2


class Picky(FakeEmbedder):
    """Refuses a request that holds the text `odd`."""

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        vectors = await super().embed_queries(texts)
        if "odd" in texts:
            raise TextsRefused("Too odd.")
        return vectors


async def test_one_text_that_is_refused_fails_none_that_went_with_it() -> None:
    bench = Bench(Picky(dimensions=8))
    one, odd, other = await asyncio.gather(
        bench.start("a"), bench.start("odd"), bench.start("b"), return_exceptions=True
    )
    assert isinstance(one, np.ndarray)
    assert isinstance(other, np.ndarray)
    assert isinstance(odd, TextsRefused)
    assert bench.sent == [("a", "odd", "b"), ("a",), ("odd",), ("b",)]


async def test_a_bug_behind_reaches_the_callers_and_the_next_request_goes_out(bench: Bench) -> None:
    class Broken(FakeEmbedder):
        async def embed_queries(self, texts: Sequence[str]) -> Vectors:
            vectors = await super().embed_queries(texts)
            return vectors[:-1] if "bug" in texts else vectors

    bench = Bench(Broken(dimensions=8))
    with pytest.raises(ValueError, match="shorter"):
        await bench.cache.embed_queries(["bug"])
    assert (await bench.cache.embed_queries(["a"])).shape == (1, 8)


async def test_closing_fails_all_who_wait_and_closes_the_embedder_behind(bench: Bench) -> None:
    bench.inner.hold()
    flying = bench.start("a")
    await turn()
    queued = bench.start("b")
    await turn()
    await bench.cache.close()
    outcomes = await asyncio.gather(flying, queued, return_exceptions=True)
    assert [str(outcome) for outcome in outcomes] == ["The service is shutting down."] * 2
    assert all(isinstance(outcome, EmbeddingUnavailable) for outcome in outcomes)
    assert bench.inner.closed
    assert bench.sent == [("a",)]


async def test_the_observer_and_the_call_are_told_what_it_took(bench: Bench) -> None:
    stages = Stages()
    current_stages.set(stages)
    await bench.cache.embed_queries(["a"])
    bench.inner.hold()
    call = bench.start("a", "b", "b")
    await turn()
    bench.clock.advance(2.0)
    bench.inner.release()
    await call
    assert bench.observer.events == [
        Embedded("fake-model", texts=1, cached=0, elapsed_s=0.0),
        Embedded("fake-model", texts=3, cached=1, elapsed_s=2.0),
    ]
    assert stages.seconds == {"embed": 2.0}


async def test_time_spent_on_a_failure_counts_but_is_no_success(bench: Bench) -> None:
    stages = Stages()
    current_stages.set(stages)
    bench.inner.failure = DOWN
    bench.inner.hold()
    call = bench.start("a")
    await turn()
    bench.clock.advance(3.0)
    bench.inner.release()
    with pytest.raises(EmbeddingUnavailable):
        await call
    assert stages.seconds == {"embed": 3.0}
    assert bench.observer.events == []


async def test_a_shared_request_is_booked_on_no_single_call() -> None:
    seen: list[Stages | None] = []

    class Watching(FakeEmbedder):
        async def embed_queries(self, texts: Sequence[str]) -> Vectors:
            seen.append(current_stages.get())
            return await super().embed_queries(texts)

    current_stages.set(Stages())
    await Bench(Watching(dimensions=8)).cache.embed_queries(["a"])
    assert seen == [None]
