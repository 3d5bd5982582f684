"""Blocks cut into pieces that fit a chunk: paragraphs, sentences or lines, words, characters."""

import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct

from vmk_mcp.knowledge.chunking.blocks import Block, iterate_lines
from vmk_mcp.knowledge.chunking.tokens import Limits, count_tokens

_BLANKS: Final = re.compile(r"\s+")
_WORD: Final = re.compile(r"\S*\s*")
_ENDING: Final = frozenset(".!?…:;")
_CLOSING: Final = "\"'»”)]"
_LOOK_BACK: Final = 4
_STEP: Final = 8
"""Characters of the smallest pieces, of what has no blanks."""

BLOCK, SENTENCE, WORD, CHARACTER = range(4)
"""How good a place a piece's beginning is to cut at, best first."""

_Span = tuple[int, int]
_Split = Callable[[str, int, int], Iterator[_Span]]


class Piece(Struct, frozen=True):
    """A stretch of text that goes into one chunk.

    Attributes:
        tokens: by our own counter.
        place: how good its beginning is to cut at: `BLOCK` to `CHARACTER`.
        is_whole: it must not be torn, so that no overlap is taken out of it.
    """

    start: int
    end: int
    tokens: int
    place: int
    is_whole: bool


def cut_block(text: str, block: Block, limits: Limits, *, finer: bool = False) -> Iterator[Piece]:
    """Cut `block` into pieces within `limits`, as few as may be; one that fits is one piece.

    Args:
        text: the whole document.
        block: a stretch of it.
        limits: of a piece.
        finer: cut into sentences even what fits, unless it must stay whole.
    """
    first = _measure(text, (block.start, block.end), BLOCK, is_whole=block.is_whole)
    if _fits(first, limits) and (block.is_whole or not finer):
        yield first
        return
    by_characters = _characters(max(1, min(_STEP, limits.tokens)))
    split: _Split = iterate_lines if block.is_whole else _sentences
    yield from _cut(text, (block.start, block.end), limits, (split, _words, by_characters))


def digest_piece(text: str, piece: Piece) -> bytes:
    """Give a digest of the words, by which a text is cut at the same places wherever it stands."""
    return hashlib.blake2b(text[piece.start : piece.end].strip().encode(), digest_size=8).digest()


def _cut(text: str, span: _Span, limits: Limits, splits: tuple[_Split, ...]) -> Iterator[Piece]:
    split, *finer = splits
    place = CHARACTER - len(finer)
    for part in split(text, *span):
        # What begins where the larger stretch begins is as good a place to cut at as that one.
        piece = _measure(text, part, place - 1 if part[0] == span[0] else place)
        if _fits(piece, limits) or not finer:
            yield piece
        else:
            yield from _cut(text, part, limits, tuple(finer))


def _measure(text: str, span: _Span, place: int, *, is_whole: bool = False) -> Piece:
    return Piece(span[0], span[1], count_tokens(text[span[0] : span[1]]), place, is_whole)


def _fits(piece: Piece, limits: Limits) -> bool:
    return piece.tokens <= limits.tokens and piece.end - piece.start <= limits.characters


def _sentences(text: str, start: int, end: int) -> Iterator[_Span]:
    """Cut after a sentence's sign, and at the end of a line: of a list item, of a verse."""
    begun = start
    for blanks in _BLANKS.finditer(text, start, end):
        if blanks.start() == start:
            continue
        before = text[max(start, blanks.start() - _LOOK_BACK) : blanks.start()].rstrip(_CLOSING)
        if "\n" in blanks[0] or "\r" in blanks[0] or (before and before[-1] in _ENDING):
            yield begun, blanks.end()
            begun = blanks.end()
    if begun < end:
        yield begun, end


def _words(text: str, start: int, end: int) -> Iterator[_Span]:
    for word in _WORD.finditer(text, start, end):
        if word.end() > word.start():
            yield word.start(), word.end()


def _characters(step: int) -> _Split:
    def split(_: str, start: int, end: int) -> Iterator[_Span]:
        for place in range(start, end, step):
            yield place, min(place + step, end)

    return split
