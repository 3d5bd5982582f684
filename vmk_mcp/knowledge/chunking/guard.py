"""Chunks that an embedder would not read to the end, cut further by its own count of tokens."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from msgspec import Struct

from vmk_mcp.knowledge.chunking.chunk import Chunk, embedded_text

_AT_ONCE: Final = 64
# No tokeniser in use makes more than two tokens of a character; what is shorter need not be counted.
_TOKENS_PER_CHARACTER: Final = 2


class Guard(Struct, frozen=True):
    """An embedder's own measure.

    Attributes:
        count: gives the tokens of each text as a document, prefix and all counted.
        most: tokens that it reads at once.
    """

    count: Callable[[Sequence[str]], Awaitable[Sequence[int]]]
    most: int


async def fit_chunks(text: str, chunks: Sequence[Chunk], guard: Guard) -> list[Chunk]:
    """Give the chunks, those halved that the embedder would cut, again and again until it reads all of them.

    A half repeats nothing of the one before, so that both are smaller.
    """
    fitting: list[Chunk] = []
    waiting = list(reversed(chunks))
    while waiting:
        part = [waiting.pop() for _ in range(min(_AT_ONCE, len(waiting)))]
        for chunk, tokens in zip(part, await _count(text, part, guard), strict=True):
            if tokens <= guard.most or chunk.end - chunk.start <= 1:
                fitting.append(chunk)
            else:
                fitting += await fit_chunks(text, _halve(text, chunk), guard)
    return fitting


async def _count(text: str, chunks: Sequence[Chunk], guard: Guard) -> list[int]:
    texts = [embedded_text(chunk.heading_path, text[chunk.start : chunk.end]) for chunk in chunks]
    long = [one for one in texts if _TOKENS_PER_CHARACTER * len(one) > guard.most and one.strip()]
    counts = iter(await guard.count(long) if long else [])
    return [next(counts) if one in long else 0 for one in texts]


def _halve(text: str, chunk: Chunk) -> list[Chunk]:
    if chunk.start < chunk.own_start:
        # What it repeats is not its own, and goes first.
        return [Chunk(chunk.own_start, chunk.own_start, chunk.end, chunk.heading_path)]
    if chunk.end - chunk.start <= _TOKENS_PER_CHARACTER and chunk.heading_path:
        return [Chunk(chunk.start, chunk.own_start, chunk.end, ())]
    middle = (chunk.start + chunk.end) // 2
    blank = max(text.rfind(sign, chunk.start, middle) for sign in (" ", "\n"))
    cut = blank + 1 if blank > chunk.start + (middle - chunk.start) // 2 else max(middle, chunk.start + 1)
    return [
        Chunk(chunk.start, chunk.start, cut, chunk.heading_path),
        Chunk(cut, cut, chunk.end, chunk.heading_path),
    ]
