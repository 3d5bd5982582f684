"""Pieces put together into spans that fit a chunk, and the words before a span that its chunk repeats."""

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from vmk_mcp.knowledge.chunking.pieces import Piece, digest_piece
from vmk_mcp.knowledge.chunking.tokens import CHARACTERS_PER_TOKEN, Limits, count_tokens

_WORD: Final = re.compile(r"\S+")


class Span(Struct, frozen=True):
    """The text of one chunk without what it repeats of the one before; `tokens` are no fewer than it has."""

    start: int
    end: int
    tokens: int


def pack(text: str, pieces: Sequence[Piece], limits: Limits) -> list[Span]:
    """Put neighbouring pieces together, each span within `limits` unless one piece alone is beyond them.

    Between half a chunk and a whole one the cut is made at the best place, a paragraph's beginning before a
    sentence's before a word's; among places as good as each other, before the piece whose digest is least. So
    a change moves the cuts near it, and those further on find themselves again where they were.
    """
    spans: list[Span] = []
    first = 0
    while first < len(pieces):
        last, tokens = _fill(pieces, first, limits)
        if last < len(pieces):
            last = _choose_cut(text, pieces, first, last)
            tokens = sum(piece.tokens for piece in pieces[first:last])
        spans.append(Span(pieces[first].start, pieces[last - 1].end, tokens))
        first = last
    return spans


def find_overlap(text: str, start: int, since: int, tokens: int) -> int:
    """Give where the last words before `start` begin that have at most so many tokens, not before `since`."""
    since = max(since, start - tokens * CHARACTERS_PER_TOKEN)
    begun = start
    # A word that the limit of characters cut in two is not taken.
    words = [word for word in _WORD.finditer(text, since, start) if _begins_a_word(text, word.start())]
    for word in reversed(words):
        tokens -= count_tokens(word[0])
        if tokens < 0:
            break
        begun = word.start()
    return begun


def _begins_a_word(text: str, place: int) -> bool:
    return place == 0 or text[place - 1].isspace()


def _fill(pieces: Sequence[Piece], first: int, limits: Limits) -> tuple[int, int]:
    """Give the number after the last piece that fits, at least one, and the tokens of all."""
    tokens, last = pieces[first].tokens, first + 1
    begin = pieces[first].start
    while (
        last < len(pieces)
        and tokens + pieces[last].tokens <= limits.tokens
        and pieces[last].end - begin <= limits.characters
    ):
        tokens += pieces[last].tokens
        last += 1
    return last, tokens


def _choose_cut(text: str, pieces: Sequence[Piece], first: int, last: int) -> int:
    size = pieces[last - 1].end - pieces[first].start
    half = pieces[first].start + size // 2
    numbers = [number for number in range(first + 1, last + 1) if pieces[number].start >= half]
    best = min((pieces[number].place for number in numbers), default=None)
    if best is None:
        return last
    best_places = [number for number in numbers if pieces[number].place == best]
    return min(best_places, key=lambda number: (digest_piece(text, pieces[number]), -number))
