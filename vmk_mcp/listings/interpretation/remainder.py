"""What is left of a text when the words that became filters are taken out."""

from typing import Final

from vmk_mcp.listings.interpretation.scanning import Scan

_LEADING: Final = ("or", "and", "comma", "punct", "slash", "dash", "colon", "plus")
_TRAILING: Final = (
    *_LEADING, "in", "on", "with", "from", "up_to", "by", "behind", "near", "for", "under",
    "price_word", "budget", "district_word", "area_word", "city_word",
)  # fmt: skip
"""Words that led up to what was taken out, and mean nothing without it."""


def left_words(scan: Scan) -> str:
    """Give what became no filter, parted by `; ` where something was taken out between two pieces."""
    spent = _spent(scan)
    pieces: list[str] = []
    first = 0
    while first < len(spent):
        end = first
        while end < len(spent) and not spent[end]:
            end += 1
        if piece := _trim(scan, first, end):
            pieces.append(piece)
        first = end + 1
    return "; ".join(pieces)


def _spent(scan: Scan) -> list[bool]:
    spent = [False] * len(scan.tokens)
    for finding in scan.findings:
        if not finding.keeps_words:
            spent[finding.first : finding.end] = [True] * (finding.end - finding.first)
    return spent


def _trim(scan: Scan, first: int, end: int) -> str:
    """Strip what joined a piece to words that were taken out; what then has no letter or digit is nothing.

    A quote goes when its fellow is not in the piece.
    """
    if end - first == len(scan.tokens):
        return scan.words(first, end) if scan.tokens else ""
    is_unpaired = sum(scan.is_kind(at, "quote") for at in range(first, end)) % 2 == 1
    while first < end:
        if is_unpaired and scan.is_kind(first, "quote"):
            is_unpaired = False
        elif first == 0 or not scan.is_kind(first, *_LEADING):
            break
        first += 1
    while first < end:
        if is_unpaired and scan.is_kind(end - 1, "quote"):
            is_unpaired = False
        elif end == len(scan.tokens) or not scan.is_kind(end - 1, *_TRAILING):
            break
        end -= 1
    words = scan.words(first, end) if first < end else ""
    return words if any(map(str.isalnum, words)) else ""
