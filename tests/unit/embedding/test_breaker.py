"""The breaker: opens, fails at once, probes, closes, and says so."""

import asyncio

import pytest

from tests.fakes import FakeClock, FakeEmbedder, RecordingObserver
from vmk_mcp.embedding.breaker import Breaker, BreakerRule
from vmk_mcp.embedding.failures import TextsRefused
from vmk_mcp.errors import EmbeddingUnavailable
from vmk_mcp.observe import EmbedderChanged

DOWN = EmbeddingUnavailable("Ollama cannot be reached.", hint="Check that it is running.")


class Bench:
    """A breaker that opens after three failures for 10 s, doubling to 40 s, and all around it."""

    def __init__(self) -> None:
        self.inner = FakeEmbedder()
        self.observer = RecordingObserver()
        self.clock = FakeClock()
        self.breaker = Breaker(self.inner, self.observer, rule=BreakerRule(3, 10.0, 40.0), clock=self.clock)

    async def fail(self, times: int = 1) -> EmbeddingUnavailable:
        """Call `times` times, each of which must fail; gives the last failure."""
        for _ in range(times):
            with pytest.raises(EmbeddingUnavailable) as caught:
                await self.breaker.embed_queries(["a"])
        return caught.value

    @property
    def asked(self) -> int:
        """How often the embedder behind was asked."""
        return len(self.inner.requests)

    @property
    def changes(self) -> list[bool]:
        """What the observer was told."""
        return [event.reachable for event in self.observer.of(EmbedderChanged)]


@pytest.fixture
def bench() -> Bench:
    return Bench()


@pytest.fixture
async def opened(bench: Bench) -> Bench:
    bench.inner.failure = DOWN
    await bench.fail(3)
    return bench


async def test_it_opens_after_failures_in_a_row_and_then_asks_nobody(opened: Bench) -> None:
    assert opened.asked == 3
    await opened.fail(5)
    assert opened.asked == 3
    assert opened.observer.events == [
        EmbedderChanged("fake-model", reachable=False, reason="Ollama cannot be reached.")
    ]


async def test_while_open_it_says_why_and_when_it_will_try_again(opened: Bench) -> None:
    opened.clock.advance(3.5)
    said = await opened.fail()
    assert said.message.startswith("Ollama cannot be reached. It failed 3 times in a row")
    assert said.hint == "Check that it is running. It is tried again in 7 s."
    assert said.retryable


async def test_both_kinds_count_and_both_are_refused(bench: Bench) -> None:
    bench.inner.failure = DOWN
    await bench.fail(2)
    for _ in range(2):
        with pytest.raises(EmbeddingUnavailable):
            await bench.breaker.embed_documents(["a"])
    assert bench.asked == 3


async def test_a_success_between_failures_starts_the_count_anew(bench: Bench) -> None:
    bench.inner.failure = DOWN
    await bench.fail(2)
    bench.inner.failure = None
    await bench.breaker.embed_queries(["a"])
    bench.inner.failure = DOWN
    await bench.fail(2)
    assert bench.changes == []


async def test_a_probe_that_succeeds_closes_it(opened: Bench) -> None:
    opened.inner.failure = None
    opened.clock.advance(10.0)
    await opened.breaker.embed_queries(["a"])
    await opened.breaker.embed_queries(["a"])
    assert opened.asked == 5
    assert opened.changes == [False, True]


async def test_each_probe_that_fails_doubles_the_pause_up_to_the_longest(opened: Bench) -> None:
    for pause_s, next_s in [(10.0, 20), (20.0, 40), (40.0, 40)]:
        opened.clock.advance(pause_s - 0.5)
        asked = opened.asked
        assert "in 1 s" in (await opened.fail()).hint
        assert opened.asked == asked
        opened.clock.advance(0.5)
        await opened.fail()
        assert opened.asked == asked + 1
        assert f"in {next_s} s" in (await opened.fail()).hint
    assert opened.changes == [False]


async def test_after_closing_the_pause_is_short_again(opened: Bench) -> None:
    opened.clock.advance(10.0)
    await opened.fail()
    opened.clock.advance(20.0)
    opened.inner.failure = None
    await opened.breaker.embed_queries(["a"])
    opened.inner.failure = DOWN
    await opened.fail(3)
    assert "in 10 s" in (await opened.fail()).hint


async def test_the_probe_goes_through_alone(opened: Bench) -> None:
    opened.clock.advance(10.0)
    opened.inner.failure = None
    opened.inner.hold()
    probe = asyncio.ensure_future(opened.breaker.embed_queries(["a"]))
    await asyncio.sleep(0)
    await opened.fail(2)
    assert opened.asked == 4
    opened.inner.release()
    await probe
    assert opened.changes == [False, True]


async def test_a_probe_that_is_cancelled_makes_room_for_the_next(opened: Bench) -> None:
    opened.clock.advance(10.0)
    opened.inner.failure = None
    opened.inner.hold()
    probe = asyncio.ensure_future(opened.breaker.embed_queries(["a"]))
    await asyncio.sleep(0)
    probe.cancel()
    with pytest.raises(asyncio.CancelledError):
        await probe
    opened.inner.release()
    await opened.breaker.embed_queries(["a"])
    assert opened.changes == [False, True]


async def test_refused_texts_open_nothing_and_show_that_the_server_is_there(bench: Bench) -> None:
    bench.inner.failure = TextsRefused("Too long.")
    await bench.fail(5)
    assert bench.asked == 5
    assert bench.changes == []
    bench.inner.failure = DOWN
    await bench.fail(3)
    bench.clock.advance(10.0)
    bench.inner.failure = TextsRefused("Too long.")
    await bench.fail()
    assert bench.changes == [False, True]


async def test_our_own_mistakes_are_not_counted(bench: Bench) -> None:
    await bench.breaker.close()
    for _ in range(3):
        with pytest.raises(AssertionError):
            await bench.breaker.embed_queries(["a"])
    assert bench.changes == []
