"""What words mean, from `words.toml`, and the cutting of a text into words of known kinds."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from vmk_mcp.listings.normalize import APOSTROPHE, fold_name

BUILT_IN_KINDS: Final = ("word", "punct", "taken", "void", "station", "district", "city")
"""Kinds that no list of words makes; see `grammar.toml`."""

_FIRST_SIGN: Final = 0xE000
# Private use: no sign is a letter or an operator of a regular expression.

_SHORTEST_STEM: Final = 3
_NUMBER: Final = (
    r"\d{1,3}(?:\s\d{3})+(?!\d)(?:[.,]\d{1,2}(?!\d))?"
    r"|\d{1,3}(?:[.,]\d{3})+(?!\d)|\d+(?:[.,]\d{1,2})?(?!\d)|\d+"
)
_SMALLEST_TENS: Final = 20
_LARGEST_HUNDREDS: Final = 999
"""The words that a smaller number may follow to make one: twenty five, five hundred and twelve."""

_THOUSANDS: Final = re.compile(r"\d{1,3}(?:[.,]\d{3})+")


class WordLists(Struct, frozen=True, forbid_unknown_fields=True):
    """`words.toml`."""

    abbreviations: str
    kinds: dict[str, str]
    values: dict[str, dict[str, str]]
    slugs: dict[str, list[str]]


class Token(NamedTuple):
    """A word, number or sign of the text, with its kind as one character and what it stands for."""

    start: int
    end: int
    key: str
    sign: str
    value: str | float | None = None


class Meaning(NamedTuple):
    """The kind of a word, as a sign, and its value where the kind has values."""

    sign: str
    value: str | float | None = None


class Lexicon(Struct, frozen=True):
    """Words and stems with their meanings; `signs` gives the character that stands for each kind."""

    signs: dict[str, str]
    words: dict[str, Meaning]
    stems: dict[str, Meaning]
    slugs: dict[str, list[str]]
    token: re.Pattern[str]

    def tokenize(self, text: str) -> list[Token]:
        """Cut `text`, whose letters are mended, into tokens; only gaps are left out, and numerals joined."""
        tokens: list[Token] = []
        for match in self.token.finditer(text):
            token = self._read(match)
            if tokens and (joined := self._join(tokens[-1], token)):
                tokens[-1] = joined
            else:
                tokens.append(token)
        return tokens

    def _join(self, tens: Token, rest: Token) -> Token | None:
        """Give «двадцять пʼять» and «двадцять перший» as one number; None where they are no such pair."""
        if tens.sign != self.signs["number"] or rest.sign not in {
            self.signs["number"],
            self.signs["ordinal"],
        }:
            return None
        return _join_numerals(tens, rest)

    def _read(self, match: re.Match[str]) -> Token:
        written = match[0]
        if match.lastgroup == "number":
            return Token(match.start(), match.end(), written, self.signs["number"], _number(written))
        key = fold_word(written)
        if match.lastgroup == "word" and key.endswith(".") and key not in self.words:
            key = key[:-1]
        meaning = self.words.get(key) or self._by_stem(key)
        if meaning is None:
            kind = "word" if match.lastgroup == "word" else "punct"
            meaning = Meaning(self.signs[kind])
        return Token(match.start(), match.end(), key, *meaning)

    def _by_stem(self, key: str) -> Meaning | None:
        for length in range(len(key), _SHORTEST_STEM - 1, -1):
            if (meaning := self.stems.get(key[:length])) is not None:
                return meaning
        return None


@lru_cache(maxsize=8_192)
def fold_word(written: str) -> str:
    """Give the key of a word: no case, one apostrophe, no look-alikes, `ё` as `е`, no gaps."""
    return fold_name(written).replace("ё", "е").replace(" ", "")


@cache
def load_lexicon() -> Lexicon:
    """Read `words.toml`; raises `ValueError` when a word is listed twice."""
    text = files("vmk_mcp.listings.interpretation").joinpath("words.toml").read_text("utf-8")
    lists = msgspec.toml.decode(text, type=WordLists)
    kinds = [*BUILT_IN_KINDS, *lists.kinds, *lists.values]
    signs = {kind: chr(_FIRST_SIGN + number) for number, kind in enumerate(kinds)}
    words: dict[str, Meaning] = {}
    stems: dict[str, Meaning] = {}
    special: list[str] = []
    for entry, meaning in _entries(lists, signs):
        if not entry.strip("*").replace(APOSTROPHE, "").isalpha():
            special.append(entry)
        target = stems if entry.endswith("*") else words
        key = fold_word(entry.strip("*").replace("_", ""))
        if key in target and target[key] != meaning:
            raise ValueError(f"words.toml lists {entry!r} under two kinds")
        target[key] = meaning
    abbreviations = sorted(map(fold_word, lists.abbreviations.split()), key=len, reverse=True)
    return Lexicon(signs, words, stems, lists.slugs, _token_pattern(special, abbreviations))


def _entries(lists: WordLists, signs: dict[str, str]) -> Iterator[tuple[str, Meaning]]:
    for kind, words in lists.kinds.items():
        for entry in words.split():
            yield entry, Meaning(signs[kind])
    for kind, values in lists.values.items():
        for value, words in values.items():
            for entry in words.split():
                yield entry, Meaning(signs[kind], float(value) if value[0].isdigit() else value)


def _token_pattern(special: list[str], abbreviations: list[str]) -> re.Pattern[str]:
    """Longest signs first, then numbers, then words, an abbreviation with its dot, then single signs."""
    signs = "|".join(_special_pattern(entry) for entry in sorted(special, key=len, reverse=True))
    short = "|".join(abbreviations)
    letters = rf"[^\W\d_]+(?:{APOSTROPHE}[^\W\d_]+)*"
    word = rf"(?:(?:{short})\.|{letters})"
    return re.compile(
        rf"(?P<special>{signs})|(?P<number>{_NUMBER})|(?P<word>{word})|(?P<punct>[^\w\s]|_)", re.IGNORECASE
    )


def _special_pattern(entry: str) -> str:
    body = r"\s?".join(re.escape(part) for part in entry.strip("*").split("_"))
    before = r"(?<![^\W\d_])" if entry[0].isalpha() else ""
    after = r"(?!\w)" if entry[-1].isalnum() else ""
    return before + body + after


def _join_numerals(tens: Token, rest: Token) -> Token | None:
    if not (tens.key[:1].isalpha() and rest.key[:1].isalpha()):
        return None
    if not isinstance(tens.value, float) or not isinstance(rest.value, float):
        return None
    place = 100 if tens.value % 100 == 0 else 10 if tens.value % 10 == 0 else 0
    if not _SMALLEST_TENS <= tens.value <= _LARGEST_HUNDREDS or not 1 <= rest.value < place:
        return None
    return rest._replace(start=tens.start, key=f"{tens.key} {rest.key}", value=tens.value + rest.value)


def _number(written: str) -> float:
    if _THOUSANDS.fullmatch(written):
        return float(re.sub(r"[.,]", "", written))
    return float(re.sub(r"\s", "", written).replace(",", "."))
