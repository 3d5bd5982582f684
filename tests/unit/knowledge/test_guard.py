"""Chunks that an embedder would cut are cut before, by its own count."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from vmk_mcp.knowledge.chunking.chunk import Chunk, embedded_text
from vmk_mcp.knowledge.chunking.chunker import Chunker, ChunkRules
from vmk_mcp.knowledge.chunking.guard import Guard, fit_chunks

MOST = 20


async def count_bytes(texts: Sequence[str]) -> list[int]:
    return [len(text.encode()) // 2 for text in texts]


GUARD = Guard(count_bytes, MOST)


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(min_size=1, max_size=300),
    own=st.integers(0, 30),
    path=st.lists(st.text(max_size=9), max_size=2),
)
async def test_every_chunk_fits_and_nothing_is_lost(text: str, own: int, path: list[str]) -> None:
    own_start = min(own, len(text) - 1)
    whole = [Chunk(0, 0, own_start, ())] if own_start else []
    chunks = await fit_chunks(text, [*whole, Chunk(0, own_start, len(text), tuple(path))], GUARD)
    assert "".join(text[chunk.own_start : chunk.end] for chunk in chunks) == text
    for chunk in chunks:
        part = embedded_text(chunk.heading_path, text[chunk.start : chunk.end])
        (tokens,) = await count_bytes([part])
        assert tokens <= MOST or chunk.end - chunk.start == 1


async def test_what_fits_is_left_as_it_is_with_what_it_repeats() -> None:
    chunk = Chunk(0, 3, 9, ("a",))
    assert await fit_chunks("abcdefghi", [chunk], GUARD) == [chunk]


async def test_a_chunker_with_a_guard_asks_it() -> None:
    async def embed(texts: Sequence[str]) -> object:
        raise AssertionError("nothing is to be embedded")

    rules = ChunkRules(strategy="fixed_size", size=64, overlap=0)
    text = "слово " * 100
    free = await Chunker(rules, embed).cut(text, is_markdown=False)  # type: ignore[arg-type]  # (never called)
    held = await Chunker(rules, embed, GUARD).cut(text, is_markdown=False)  # type: ignore[arg-type]  # (the same)
    assert len(held) > len(free)
