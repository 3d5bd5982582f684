"""Keys by which words are compared: plural and tense of English, case endings of Ukrainian taken away."""

import re
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Final

import msgspec

_SHORTEST: Final = 3
_DOUBLED: Final = re.compile(r"([bdfgmnprt])\1$")
_VOWEL: Final = re.compile(r"[aeiouy]")
_CYRILLIC: Final = re.compile(r"[а-яіїєґё]")
_APOSTROPHES: Final = str.maketrans({"'": "ʼ", "’": "ʼ", "`": "ʼ", "‘": "ʼ", "ё": "е"})
_ENDINGS: Final = (
    "ами", "ями", "ого", "ому", "ими", "іми", "ові", "еві", "ою", "ею", "єю", "ах", "ях", "ам", "ям", "ом",
    "ем", "єм", "ів", "їв", "ей", "ої", "ій", "ий", "их", "іх", "ну", "на", "не", "ні", "а", "я", "о", "е",
    "є", "и", "і", "ї", "у", "ю", "ь",
)  # fmt: skip
_FLEETING: Final = re.compile(r"(?<=[^аеєиіїоуюя])(?:о|е)(?=[кцрнл]$)")
_ALTERNATING: Final = re.compile(r"[іїоеє](?=[^аеєиіїоуюя]+$)")


class Irregular(msgspec.Struct, frozen=True):
    """The forms of `lexicon.toml` that no rule gives: form -> plain word."""

    irregular: Mapping[str, str]


@lru_cache(maxsize=1)
def _load_irregular() -> Mapping[str, str]:
    text = files("vmk_mcp.ask.drafting.offline").joinpath("lexicon.toml").read_text("utf-8")
    return msgspec.toml.decode(text, type=Irregular).irregular


@lru_cache(maxsize=16_384)
def stem_word(word: str) -> str:
    """Give the first key of a word in lower case; two forms of a word mostly share it."""
    return stem_keys(word)[0]


@lru_cache(maxsize=16_384)
def stem_keys(word: str) -> tuple[str, ...]:
    """Give all keys of a word in lower case, the likeliest first; at least one."""
    word = word.translate(_APOSTROPHES)
    if _CYRILLIC.search(word):
        return _stem_ukrainian(word)
    return (_stem_english(word),)


def is_participle(word: str) -> bool:
    """Say whether a word in lower case may tell what was done, such as `issued`, `paid`, `збудовано`."""
    return word.endswith(("ed", "en", "но", "то")) or word in _load_irregular()


def _stem_english(word: str) -> str:
    word = word.replace("ʼ", "'")
    word = _load_irregular().get(word, word)
    if len(word) <= _SHORTEST:
        return word
    word = _strip_plural(word)
    word = _strip_tense(word)
    if word.endswith("e") and len(word) > _SHORTEST:
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and not _VOWEL.match(word[-2]) else word


def _strip_plural(word: str) -> str:
    if word.endswith("ies") and len(word) > len("ties"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _strip_tense(word: str) -> str:
    if word.endswith("ied") and len(word) > len("died"):
        return word[:-3] + "y"
    for ending in ("ed", "ing"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= _SHORTEST - 1 and _VOWEL.search(rest):
            return _DOUBLED.sub(r"\1", rest)
    return word


def _stem_ukrainian(word: str) -> tuple[str, ...]:
    rests = [word]
    rests += [word[: -len(ending)] for ending in _ENDINGS if word.endswith(ending)]
    kept = [rest for rest in rests if len(rest) >= _SHORTEST] or [word]
    keys = [_level(rest) for rest in sorted(kept, key=len)]
    return tuple(dict.fromkeys(keys))


def _level(rest: str) -> str:
    """Take what comes and goes in the last syllable (Київ, Києва; будинок, будинку) out of a stem."""
    return _ALTERNATING.sub("*", _FLEETING.sub("", rest)) if len(rest) > _SHORTEST else rest
