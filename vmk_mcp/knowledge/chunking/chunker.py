"""A document's text into chunks, by one of three strategies."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from vmk_mcp.knowledge.chunking.alikeness import cut_by_alikeness
from vmk_mcp.knowledge.chunking.blocks import Section, read_markdown, read_paragraphs
from vmk_mcp.knowledge.chunking.chunk import Chunk, join_path, shorten_path
from vmk_mcp.knowledge.chunking.guard import Guard, fit_chunks
from vmk_mcp.knowledge.chunking.packing import Span, find_overlap, pack
from vmk_mcp.knowledge.chunking.pieces import Piece, cut_block
from vmk_mcp.knowledge.chunking.tokens import CHARACTERS_PER_TOKEN, Limits, count_tokens

VERSION: Final = 1
"""Raised whenever the same text would be cut otherwise than before: then everything is indexed anew."""

OVERLAPPING: Final = "fixed_size_overlap"
SEMANTIC: Final = "semantic"
_ACROSS: Final = "across-headings"

EmbedSentences = Callable[[Sequence[str]], Awaitable[NDArray[np.float32]]]
"""Gives `(n, dimensions) float32`, unit rows, for n sentences; none of them is blank."""


class ChunkRules(Struct, frozen=True, kw_only=True):
    """How documents are cut.

    Attributes:
        strategy: `fixed_size`, `fixed_size_overlap` or `semantic`.
        size: most tokens of a chunk, what it repeats of the one before and its heading path counted.
        overlap: most tokens that it repeats; never more than half of `size`.
        most_characters: of a chunk's text, whatever its tokens.
        by_headings: no chunk goes over from one heading's text to the next one's.
    """

    strategy: str
    size: int
    overlap: int
    most_characters: int = 7_500
    by_headings: bool = True

    @classmethod
    def of_name(cls, name: str, *, size: int, overlap: int, most_characters: int) -> "ChunkRules":
        """Give the rules of a name, in the version that there is now."""
        strategy, *others = name.split("-")
        by_headings = _ACROSS not in "-".join(others)
        return cls(
            strategy=strategy,
            size=size,
            overlap=overlap,
            most_characters=most_characters,
            by_headings=by_headings,
        )

    @property
    def name(self) -> str:
        """Strategy, version and what else decides where is cut, in one word."""
        headings = "" if self.by_headings else f"-{_ACROSS}"
        return f"{self.strategy}{headings}-v{VERSION}"


class Chunker:
    """Cuts documents into chunks; the same text is always cut in the same way.

    A code fence, a table or front matter stays whole unless it alone is larger than a chunk may be; then it
    is cut at line ends.
    """

    def __init__(self, rules: ChunkRules, embed: EmbedSentences, guard: Guard | None = None) -> None:
        """Cut by `rules`.

        Args:
            rules: how.
            embed: asked by the strategy `semantic` alone.
            guard: sees to it that the embedder reads all of a chunk, where our counter is below its own.
        """
        self.rules: Final = rules
        self._embed = embed
        self._guard = guard
        self._whole = Limits(rules.size, min(rules.size * CHARACTERS_PER_TOKEN, rules.most_characters))

    async def cut(self, text: str, *, is_markdown: bool) -> list[Chunk]:
        """Cut `text`; raises `EmbeddingUnavailable` where sentences cannot be compared."""
        sections = await asyncio.to_thread(self._read, text, is_markdown)
        chunks: list[Chunk] = []
        if self.rules.strategy == SEMANTIC:
            for section in sections:
                chunks += await self._cut_by_alikeness(text, section)
        else:
            chunks = await asyncio.to_thread(self._cut_all, text, sections)
        return chunks if self._guard is None else await fit_chunks(text, chunks, self._guard)

    def _read(self, text: str, is_markdown: bool) -> list[Section]:
        if is_markdown:
            return read_markdown(text, by_headings=self.rules.by_headings)
        return read_paragraphs(text)

    def _cut_all(self, text: str, sections: Sequence[Section]) -> list[Chunk]:
        return [chunk for section in sections for chunk in self._cut_section(text, section)]

    def _cut_section(self, text: str, section: Section) -> list[Chunk]:
        limits = self._leave_room(section)
        pieces = self._cut_blocks(text, section, limits)
        return self._finish(text, section, pack(text, pieces, limits), pieces)

    async def _cut_by_alikeness(self, text: str, section: Section) -> list[Chunk]:
        limits = self._leave_room(section)
        pieces = self._cut_blocks(text, section, limits, finer=True)
        if _fit_together(pieces, limits):
            spans = [Span(pieces[0].start, pieces[-1].end, sum(piece.tokens for piece in pieces))]
        else:
            spans = cut_by_alikeness(pieces, await self._embed_pieces(text, pieces), limits)
        return self._finish(text, section, spans, pieces)

    async def _embed_pieces(self, text: str, pieces: Sequence[Piece]) -> NDArray[np.float32]:
        sentences = [text[piece.start : piece.end] for piece in pieces]
        return await self._embed([sentence if sentence.strip() else "-" for sentence in sentences])

    def _cut_blocks(self, text: str, section: Section, limits: Limits, *, finer: bool = False) -> list[Piece]:
        return [
            piece
            for block in section.blocks
            for piece in cut_block(text, block, self._whole if block.is_whole else limits, finer=finer)
        ]

    def _leave_room(self, section: Section) -> Limits:
        """Give what is left of a chunk's limits for its own text."""
        overlap = self._overlap()
        path = min(count_tokens(join_path(section.heading_path)), self.rules.size // 4)
        characters = self._whole.characters - overlap * CHARACTERS_PER_TOKEN
        return Limits(self.rules.size - overlap - path, max(1, characters))

    def _overlap(self) -> int:
        if self.rules.strategy != OVERLAPPING:
            return 0
        return min(self.rules.overlap, self.rules.size // 2)

    def _finish(
        self, text: str, section: Section, spans: Sequence[Span], pieces: Sequence[Piece]
    ) -> list[Chunk]:
        """Give each span what it repeats of the text before it, and the headings above."""
        whole_ends = [piece.end for piece in pieces if piece.is_whole]
        chunks: list[Chunk] = []
        for number, span in enumerate(spans):
            start = span.start
            own = count_tokens(text[span.start : span.end])
            if number and self._overlap():
                room = min(self._overlap(), self.rules.size - own)
                since = max(
                    spans[0].start,
                    span.end - self._whole.characters,
                    max((end for end in whole_ends if end <= start), default=0),
                )
                start = find_overlap(text, start, since, room)
            left = self.rules.size - count_tokens(text[start : span.end])
            chunks.append(Chunk(start, span.start, span.end, shorten_path(section.heading_path, left)))
        return chunks


def _fit_together(pieces: Sequence[Piece], limits: Limits) -> bool:
    size = pieces[-1].end - pieces[0].start
    return sum(piece.tokens for piece in pieces) <= limits.tokens and size <= limits.characters
