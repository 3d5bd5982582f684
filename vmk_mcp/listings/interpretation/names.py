"""Stored names of places, found in any case of Ukrainian and Russian by the stems of their words."""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from vmk_mcp.listings.interpretation.lexicon import Token, fold_word, load_lexicon
from vmk_mcp.listings.normalize import APOSTROPHE, mend_letters
from vmk_mcp.listings.values import ValueIndex

_ONE_ALPHABET: Final = str.maketrans(
    {"ы": "и", "і": "и", "є": "е", "э": "е", "ґ": "г", "ь": "", "ъ": "", APOSTROPHE: ""}
)
"""Keys have `і` for `ї` and `е` for `ё` already."""

_SHORTEST_STEM: Final = 3
_FLEETING: Final = re.compile(r"ец$")
_VOWELS: Final = "аеиіоуюяыэє"
_MASCULINE: Final = ("ий", "ій", "ой")
_FORMS_OF_MASCULINE: Final = (
    "ий", "ый", "ой", "ого", "его", "ому", "ему", "им", "ым", "ім", "ом", "ем", "их", "ых",
)  # fmt: skip
_FORMS_OF_ADJECTIVES: Final = (
    "ий", "ій", "ой", "ого", "ому", "оі", "ою", "ую", "их", "ых", "ими", "ыми", "им", "ым", "ая", "ые",
)  # fmt: skip
_HARD: Final = re.compile(r"ка$")
_LAST_VOWEL: Final = re.compile(r"[иоеа](?=[бвгджзйклмнпрстфхцчшщ]+$)")
_PARTS: Final = re.compile(rf"[^\W\d_]+(?:{APOSTROPHE}[^\W\d_]+)*|\d+")
_SILENT: Final = frozenset('"«»-–—−‑')
"""Signs that may stand inside a name or be left out of it."""

_CUES: Final = {
    "city": ("city_word", "m", "g"),
    "district": ("district_word",),
    "metro_station": ("station_word", "metro", "m"),
}
"""By field, kinds of words that only lead up to a name: «м. Київ», «Печерський район»."""


class Home(Struct, frozen=True, forbid_unknown_fields=True):
    """The district and town that an everyday name belongs to."""

    district: str
    city: str


class Ordinary(Struct, frozen=True, forbid_unknown_fields=True):
    """Stored names that are everyday words as well, by how much must point at the place."""

    capital: frozenset[str]
    as_stored: frozenset[str]
    district: frozenset[str]
    district_word: frozenset[str]
    named: frozenset[str]


class PlaceLists(Struct, frozen=True, forbid_unknown_fields=True):
    """`places.toml`."""

    endings: str
    city: dict[str, list[str]]
    district: dict[str, list[str]]
    metro_station: dict[str, list[str]]
    quarter: dict[str, Home]
    part: dict[str, Home]
    ordinary: Ordinary


class Place(Struct, frozen=True):
    """A name and the filter that it means.

    Attributes:
        names: the keys of its words as written in a list, the form that stands in dictionaries.
        city: the town that an everyday name of a district implies.
        is_part: whether it names a part of the district only.
    """

    field: str
    value: str
    names: tuple[str, ...]
    city: str | None = None
    is_part: bool = False


class Match(NamedTuple):
    """A place whose name ends before the token `end`; `is_base` where it is written as in a dictionary."""

    place: Place
    end: int
    is_base: bool


class PlaceNames:
    """The names of a value index by their stems."""

    def __init__(self, values: ValueIndex) -> None:
        """Take every stored name, and of the listed other names those of stored ones."""
        self._by_stems: dict[tuple[str, ...], list[Place]] = {}
        self._longest: dict[str, int] = {}
        for place in _places(values):
            for forms in dict.fromkeys((place.names, _softened(place.names))):
                stems = tuple(map(name_stem, forms))
                places = self._by_stems.setdefault(stems, [])
                if place not in places:
                    places.append(place)
                self._longest[stems[0]] = max(self._longest.get(stems[0], 0), len(stems))

    def matches(self, tokens: Sequence[Token], first: int) -> list[Match]:
        """Give the places whose names begin at the token `first`: the longest ones only, base forms first."""
        most = self._longest.get(name_stem(tokens[first].key)) if tokens[first].key else None
        if most is None:
            return []
        keys, ends = _following(tokens, first, most)
        for count in range(len(keys), 0, -1):
            places = self._by_stems.get(tuple(map(name_stem, keys[:count])))
            if places:
                written = tuple(keys[:count])
                found = [
                    Match(place, ends[count - 1], place.names == written)
                    for place in places
                    if _agrees(place.names[-1], written[-1])
                ]
                if found:
                    return sorted(found, key=lambda match: not match.is_base)
        return []

    def meant(self, field: str, name: str) -> str | None:
        """Give the stored value of `field` that `name`, written otherwise, can only mean: «Киев», «Odesa».

        None where it means none, or several, or what is only a part of a district or tells of a town too.
        """
        lexicon = load_lexicon()
        cues = {lexicon.signs[kind] for kind in _CUES[field]}
        tokens = lexicon.tokenize(" ".join(mend_letters(name).split()))
        named = [token for token in tokens if token.sign not in cues]
        matches = [
            match
            for match in (self.matches(named, 0) if named else [])
            if match.place.field == field and match.place.city is None and match.end == len(named)
        ]
        is_base = any(match.is_base for match in matches)
        found = {match.place.value for match in matches if match.is_base or not is_base}
        return found.pop() if len(found) == 1 else None


@lru_cache(maxsize=4)
def place_names(values: ValueIndex) -> PlaceNames:
    """Give the names of `values`; built once for each index, which is never changed."""
    return PlaceNames(values)


@cache
def load_places() -> PlaceLists:
    """Read `places.toml`."""
    text = files("vmk_mcp.listings.interpretation").joinpath("places.toml").read_text("utf-8")
    return msgspec.toml.decode(text, type=PlaceLists)


@lru_cache(maxsize=8_192)
def name_stem(key: str) -> str:
    """Give what the forms of one name share in both languages: «києві», «київ», «киеве» -> «ки*в»."""
    word = key.translate(_ONE_ALPHABET)
    for ending in _endings():
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            word = word[: -len(ending)]
            break
    return _LAST_VOWEL.sub("*", _FLEETING.sub("ц", word))


@cache
def _endings() -> list[str]:
    return sorted(load_places().endings.split(), key=len, reverse=True)


def _agrees(base: str, written: str) -> bool:
    """Say whether `written` can be a form of `base`, as far as the ending tells.

    «Луцький» is none of «Луцьк», nor «Соборній», a street, of the district «Соборний».
    """
    if written == base:
        return True
    if base.endswith(_MASCULINE):
        return written.endswith((*_FORMS_OF_MASCULINE, base[-2:]))
    return base[-1] in _VOWELS or not written.endswith(_FORMS_OF_ADJECTIVES)


def _softened(names: tuple[str, ...]) -> tuple[str, ...]:
    """Give the form whose consonant a Ukrainian case softens: «Вишенька», «на Вишеньці»."""
    return (*names[:-1], _HARD.sub("ці", names[-1]))


def _following(tokens: Sequence[Token], first: int, most: int) -> tuple[list[str], list[int]]:
    """Give the keys of up to `most` words from `first` on, and after which token each ends."""
    keys: list[str] = []
    ends: list[int] = []
    for index in range(first, len(tokens)):
        if len(keys) == most:
            break
        key = tokens[index].key
        if key in _SILENT and keys:
            continue
        if not key[0].isalnum():
            break
        keys.append(key)
        ends.append(index + 1)
    return keys, ends


def _places(values: ValueIndex) -> Iterator[Place]:
    yield from _stored_places(values)
    lists = load_places()
    for homes, is_part in ((lists.quarter, False), (lists.part, True)):
        for name, home in homes.items():
            districts = values.spellings("district", home.district)
            cities = values.spellings("city", home.city)
            if districts and cities:
                yield Place("district", districts[0], _keys(name), cities[0], is_part)


def _stored_places(values: ValueIndex) -> Iterator[Place]:
    lists = load_places()
    for field, others in (
        ("city", lists.city),
        ("district", lists.district),
        ("metro_station", lists.metro_station),
    ):
        for stored in values.known(field):
            if keys := _keys(stored):
                yield Place(field, stored, keys)
        for official, names in others.items():
            if spellings := values.spellings(field, official):
                yield from (Place(field, spellings[0], _keys(name)) for name in names)


def _keys(name: str) -> tuple[str, ...]:
    return tuple(fold_word(part) for part in _PARTS.findall(mend_letters(name)))
