"""Cuts where neighbouring sentences are least alike."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vmk_mcp.knowledge.chunking.packing import Span
from vmk_mcp.knowledge.chunking.pieces import Piece
from vmk_mcp.knowledge.chunking.tokens import Limits

# A cut leaves at least this part of a chunk on either side, where that can be: a lone sentence says little.
_SMALLEST_PART: Final = 4


def cut_by_alikeness(pieces: Sequence[Piece], vectors: NDArray[np.float32], limits: Limits) -> list[Span]:
    """Cut until every span is within `limits`, each time where the two neighbours are least alike.

    Args:
        pieces: neighbours, in order.
        vectors: of the pieces, `(n, dimensions) float32`, unit rows.
        limits: of a span; one piece alone may be beyond them.
    """
    alike = np.einsum("nd,nd->n", vectors[:-1], vectors[1:])
    spans: list[Span] = []
    waiting = [(0, len(pieces))]
    while waiting:
        first, last = waiting.pop()
        tokens = sum(piece.tokens for piece in pieces[first:last])
        start, end = pieces[first].start, pieces[last - 1].end
        if last - first == 1 or (tokens <= limits.tokens and end - start <= limits.characters):
            spans.append(Span(start, end, tokens))
            continue
        cut = _choose_cut(pieces, alike, (first, last), limits.tokens // _SMALLEST_PART)
        waiting += [(cut, last), (first, cut)]
    return spans


def _choose_cut(
    pieces: Sequence[Piece], alike: NDArray[np.float32], bounds: tuple[int, int], least: int
) -> int:
    first, last = bounds
    sums = np.cumsum([piece.tokens for piece in pieces[first:last]])
    before, after = sums[:-1], sums[-1] - sums[:-1]
    roomy = (before >= least) & (after >= least)
    scores = np.where(roomy, alike[first : last - 1], np.inf) if roomy.any() else np.abs(before - after)
    return first + 1 + int(np.argmin(scores))
