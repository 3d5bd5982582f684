"""The words of `lexicon.toml`, looked up by their stems."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from vmk_mcp.ask.drafting.offline.stems import stem_keys

LONGEST_PHRASE: Final = 5
"""Words of the longest phrase that is looked for."""

_MOST_KEYS: Final = 64
# A phrase of Ukrainian words has several keys a word; a longer product would only cost time.


class Meaning(NamedTuple):
    """What a phrase of the lexicon stands for, such as `measure`, `avg`."""

    kind: str
    sense: str


class _Numbers(Struct, frozen=True):
    words: str
    ukrainian: str
    scales: Mapping[str, int]


class _Synonyms(Struct, frozen=True):
    groups: Sequence[str]


class NameWords(Struct, frozen=True):
    """What the words of column names tell about the columns; each set holds stems."""

    measured: frozenset[str]
    dated: frozenset[str]
    labels: tuple[str, ...]
    label_pairs: tuple[tuple[str, ...], ...]
    money: frozenset[str]
    worth: frozenset[str]
    generic_money: frozenset[str]
    length: frozenset[str]
    birth: frozenset[str]
    year: frozenset[str]
    size: frozenset[str]
    ends: frozenset[str]
    dues: frozenset[str]
    kinds: frozenset[str]
    plans: frozenset[str]
    technical: frozenset[str]


class _File(Struct, frozen=True):
    kinds: Mapping[str, Mapping[str, str]]
    numbers: _Numbers
    dates: Mapping[str, str]
    names: Mapping[str, str]
    synonyms: _Synonyms
    postgres: Mapping[str, str]


class Lexicon(Struct, frozen=True):
    """All of `lexicon.toml`, by stems.

    Attributes:
        phrases: keys of a phrase -> what it means; an earlier kind of the file wins.
        numbers: a word -> its number.
        scales: a word after a number -> the factor.
        months: key of a month's name -> 1 to 12.
        synonyms: keys of a phrase -> phrases that may stand for it.
        names: what the words of column names tell.
        written: phrases of the kinds `ask` and `sort`, which count only as they are written.
        reserved: words that Postgres takes for a name only in quotes.
    """

    phrases: Mapping[tuple[str, ...], Meaning]
    numbers: Mapping[str, int]
    scales: Mapping[str, int]
    months: Mapping[str, int]
    synonyms: Mapping[tuple[str, ...], tuple[tuple[str, ...], ...]]
    names: NameWords
    reserved: frozenset[str]
    written: frozenset[str]


def phrase_keys(words: Sequence[Sequence[str]]) -> Iterator[tuple[str, ...]]:
    """Give each way to take one key of each word, the likeliest first, up to a bound."""
    for count, keys in enumerate(product(*words)):
        if count >= _MOST_KEYS:
            return
        yield keys


@cache
def load_lexicon() -> Lexicon:
    """Read the file once."""
    text = files("vmk_mcp.ask.drafting.offline").joinpath("lexicon.toml").read_text("utf-8")
    file = msgspec.toml.decode(text, type=_File)
    phrases: dict[tuple[str, ...], Meaning] = {}
    for kind, senses in file.kinds.items():
        for sense, listed in senses.items():
            for phrase in _split(listed):
                for keys in _phrase_of(phrase):
                    phrases.setdefault(keys, Meaning(kind, sense))
    return Lexicon(
        phrases=phrases,
        numbers=_read_numbers(file.numbers),
        scales={key: factor for word, factor in file.numbers.scales.items() for key in stem_keys(word)},
        months={
            key: number
            for listed in file.dates.values()
            for number, word in enumerate(_split(listed), start=1)
            for key in stem_keys(word)[:1]
        },
        synonyms=_read_synonyms(file.synonyms.groups),
        names=_read_names(file.names),
        written=frozenset(_read_written(file.kinds)),
        reserved=frozenset(_split(file.postgres["reserved"])),
    )


def _read_written(kinds: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for kind in ("ask", "sort"):
        for listed in kinds[kind].values():
            yield from _split(listed)


def _split(listed: str) -> list[str]:
    return [phrase.strip() for phrase in listed.split(",")]


def _phrase_of(phrase: str) -> Iterator[tuple[str, ...]]:
    yield from phrase_keys([stem_keys(word)[:1] for word in phrase.lower().replace("-", " ").split()])


def _read_numbers(listed: _Numbers) -> dict[str, int]:
    return {
        stem_keys(word)[0]: number
        for words in (listed.words, listed.ukrainian)
        for number, word in enumerate(_split(words))
    }


def _read_synonyms(groups: Sequence[str]) -> dict[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    found: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for group in groups:
        phrases = [next(_phrase_of(phrase)) for phrase in _split(group)]
        for phrase in phrases:
            found.setdefault(phrase, []).extend(other for other in phrases if other != phrase)
    return {phrase: tuple(others) for phrase, others in found.items()}


_PLAIN_NAMES: Final = ("labels", "label_pairs", "generic_money", "technical")


def _read_names(listed: Mapping[str, str]) -> NameWords:
    stemmed = {
        name: frozenset(stem_keys(word)[0] for word in _split(words))
        for name, words in listed.items()
        if name not in _PLAIN_NAMES
    }
    return NameWords(
        labels=tuple(_split(listed["labels"])),
        label_pairs=tuple(tuple(pair.split()) for pair in _split(listed["label_pairs"])),
        generic_money=frozenset(_split(listed["generic_money"])),
        technical=frozenset(_split(listed["technical"])),
        **stemmed,
    )
