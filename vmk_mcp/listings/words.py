"""The words of a query as full-text search takes them: each once, and not too many."""

import re
from typing import Final

from msgspec import Struct

from vmk_mcp.listings.normalize import normalize_query

MOST_WORDS: Final = 32
"""Different words of a query that are searched: ranking takes time for each of them in every row."""

_WORD: Final = re.compile(r"\w+")


class SearchWords(Struct, frozen=True):
    """A query for full-text search, normalised, and as it was typed where that is something else."""

    query: str
    raw_query: str


def words_of(text: str) -> SearchWords:
    """Give the first `MOST_WORDS` different words of `text`; the text itself where it has no more."""
    raw = _shorten(text)
    normal = _shorten(normalize_query(raw))
    return SearchWords(normal, "" if raw == normal else raw)


def shortening_hints(text: str) -> list[str]:
    """Say that a query was shortened, if it was."""
    if len({word.casefold() for word in _WORD.findall(text)}) <= MOST_WORDS:
        return []
    return [f"only the first {MOST_WORDS} different words of the query were searched as words"]


def _shorten(text: str) -> str:
    different: dict[str, str] = {}
    count = 0
    for match in _WORD.finditer(text):
        count += 1
        different.setdefault(match[0].casefold(), match[0])
    if count <= MOST_WORDS:
        return text
    return " ".join(list(different.values())[:MOST_WORDS])
