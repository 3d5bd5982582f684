"""Whose turn it is where one text goes a request: the shortest first, and nobody waits for good."""

import asyncio

import pytest

from tests.fakes import FakeEmbedder
from vmk_mcp.embedding.batches import Batches


class Row:
    """Texts in a row for an embedder that takes one at a time; it is held until it is let go."""

    def __init__(self) -> None:
        self._inner = FakeEmbedder(dimensions=8)
        self._inner.hold()
        self._batches = Batches(
            self._inner.embed_queries, lambda _text, _row: None, most=1, shortest_first=True
        )

    async def join(self, *texts: str) -> "asyncio.Task[object]":
        """Queue `texts`, and let them get in."""
        waiting = asyncio.create_task(self._batches.fetch(texts))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return waiting

    def let_go(self) -> None:
        """Let the embedder work."""
        self._inner.release()

    @property
    def sent(self) -> list[str]:
        """The texts in the order in which they were sent."""
        return [text for _, (text,) in self._inner.requests]


@pytest.fixture
def row() -> Row:
    return Row()


async def test_the_shortest_that_waits_goes_next_and_equals_go_as_they_came(row: Row) -> None:
    calls = [await row.join(text) for text in ["at work", "long text", "brief", "word", "other", "tram"]]
    row.let_go()
    await asyncio.gather(*calls)
    assert row.sent == ["at work", "word", "tram", "brief", "other", "long text"]


async def test_a_short_text_lands_while_long_ones_still_wait(row: Row) -> None:
    long = await row.join("a long one at work", *(f"a long one, number {number}" for number in range(12)))
    short = await row.join("short")
    row.let_go()
    await short
    assert row.sent[1] == "short"
    assert not long.done()
    await long


async def test_a_long_text_has_its_turn_however_many_short_ones_come(row: Row) -> None:
    calls = [await row.join("at work"), await row.join("a long text")]
    calls.append(await row.join(*(f"s{number}" for number in range(20))))
    row.let_go()
    await asyncio.gather(*calls)
    assert row.sent.index("a long text") == 8
