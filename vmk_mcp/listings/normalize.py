"""One way of writing for stored text and for queries, so that both sides meet in the index."""

import re
import unicodedata
from functools import lru_cache
from itertools import chain, islice
from typing import Final

APOSTROPHE: Final = "\u02bc"
"""MODIFIER LETTER APOSTROPHE: the one apostrophe that is a letter, so that no parser splits a word at it."""

_APOSTROPHES: Final = "'\u2019\u2018\u02bc\u02b9\u02bb\u0060\u00b4\u2032\uff07"
_INNER_APOSTROPHE: Final = re.compile(rf"(?<=[^\W\d_²])[{_APOSTROPHES}](?=[^\W\d_²])")
_QUOTES: Final = str.maketrans(dict.fromkeys("«»„“”‟″", '"'))
_UNREADABLE: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\u200b-\u200f\u00ad\ufeff]")
_LOOK_ALIKES: Final = str.maketrans("aceiopxyABCEHIKMOPTXY", "асеіорхуАВСЕНІКМОРТХУ")
_FOLDED: Final = _LOOK_ALIKES | str.maketrans("bhkmtїï\u2010\u2011\u2012\u2013\u2014\u2212", "внкмтіі------")
"""For small letters: also those whose capitals look alike, and all dashes."""

_YI: Final = re.compile(rf"(?<=[аеєиіїоуюя{APOSTROPHE}])i")
"""After a vowel a Latin `i` stands for `ї`: Киiв, краiна."""

_MARKS: Final = re.compile(r"[\u0300-\u036f]")
"""Marks that compose with no letter, such as a stress: they would split a word in two."""

_MOST_MARKS: Final = 8
"""In one row; more are nobody's writing, and Unicode sorts a row of marks in quadratic time."""

_PILE: Final = re.compile(rf"[^\w\s\x00-\x7f]{{{_MOST_MARKS + 1},}}")
"""A row long enough to hold too many marks: no mark is a letter, a digit, a blank or ASCII."""

_LONGEST_NAME: Final = 200
"""Characters of a name that tell it from others."""

_LONGEST_KEPT: Final = 400
"""Characters of a query whose normal form is kept in memory."""

_LATIN: Final = re.compile(r"[A-Za-z]")
_CYRILLIC: Final = re.compile(r"[\u0400-\u04ff]")
_WORD: Final = re.compile(r"[^\W\d_]+")
_SQUARE_METRES: Final = re.compile(
    r"(?<!\w)(\d+(?:[.,]\d+)?)\s*"
    r"(?:кв\.?\s*м(?:етр\w*)?\.?|квадратн\w+\s+метр\w*|м\.?\s?кв\.?|[мm]\s?[2²]|sq\.?\s?m)(?!\w)",
    re.IGNORECASE,
)
_DECIMAL_COMMA: Final = re.compile(r"(?<=\d),(?=\d{1,2}\s*м²)")
_SPACES: Final = re.compile(r"\s+")

_ROOM_WORDS: Final = {
    1: "однокімнатна",
    2: "двокімнатна",
    3: "трикімнатна",
    4: "чотирикімнатна",
    5: f"п{APOSTROPHE}ятикімнатна",
    6: "шестикімнатна",
}
_ROOM_FIGURES: Final = re.compile(
    rf"(?<![\w.,{_APOSTROPHES}])([1-6])(?:\s?-?\s?(?:х|ох|ти|о|но|ьох|х-)\b)?\s?-?\s?"
    r"(?:к|кк|кім|кімн|ком|комн|кімнат\w*|комнат\w*|кімнатн\w*|комнатн\w*)(?!\w)\.?",
    re.IGNORECASE,
)
_ROOM_STEMS: Final = (
    (1, r"одно(?:кімнат|комнат)…|однушк…|однокімн…"),
    (2, r"дво(?:х)?кімнат…|двух?комнат…|дв(?:у|о)шк…|двійк…|двухкомн…"),
    (3, r"три?кімнат…|трьох?кімнат…|тр[её]хкомнат…|тр(?:е|ё|ьо)шк…|трійк…"),
    (4, r"чотири(?:х|ьох)?кімнат…|чотирьохкімнат…|четыр[её]хкомнат…"),
    (5, rf"п{APOSTROPHE}?яти?кімнат…|пятикомнат…"),
    (6, r"шести?кімнат…|шестикомнат…"),
)
# Spelt `…` above.
_ENDING: Final = r"[^\W\d_]*"
_ROOM_NAME: Final = re.compile(
    rf"(?<!\w)(?:{'|'.join(f'({stems})' for _, stems in _ROOM_STEMS)})(?!\w)".replace("…", _ENDING),
    re.IGNORECASE,
)
"""All in one, for each look at a long text takes time; group 1 is one room."""


def drop_unreadable(text: str) -> str:
    """Take out what Postgres cannot hold (NUL, lone surrogates) and what nobody sees."""
    return _UNREADABLE.sub("", text)


def normalize_query(text: str) -> str:
    """Write `text` the one way that both stored text and queries are searched in.

    Apostrophes inside words become U+02BC, Latin look-alikes inside Cyrillic words become Cyrillic, square
    metres become `м²`, and every way of saying a number of rooms becomes one word. Characters that Postgres
    cannot hold or that nobody sees go. Idempotent.
    """
    return _normalize_again(text) if len(text) <= _LONGEST_KEPT else _normalize(text)


def _normalize(text: str) -> str:
    text = mend_letters(text)
    text = _DECIMAL_COMMA.sub(".", _SQUARE_METRES.sub(r"\1 м²", text))
    text = _ROOM_FIGURES.sub(lambda match: _ROOM_WORDS[int(match[1])], text)
    text = _ROOM_NAME.sub(lambda match: _ROOM_WORDS[match.lastindex or 0], text)
    return _SPACES.sub(" ", text).strip()


# The next page of a search asks for the same words; a stored description comes once.
_normalize_again: Final = lru_cache(maxsize=256)(_normalize)


def mend_letters(text: str) -> str:
    """Give `text` with one apostrophe, one kind of quotes, Cyrillic words all Cyrillic, nothing unseen."""
    text = _INNER_APOSTROPHE.sub(APOSTROPHE, _compose(text).translate(_QUOTES))
    return _WORD.sub(_without_look_alikes, text)


def fold_name(text: str) -> str:
    """Give the key under which all spellings of one proper name meet.

    Case, apostrophe, look-alike letters (`i` for `і` or `ї`), dashes and spaces make no difference, nor does
    what comes after 200 characters.
    """
    return _fold(text[:_LONGEST_NAME])


@lru_cache(maxsize=1024)
def _fold(text: str) -> str:
    text = _cut_piles(drop_unreadable(text))
    # Before NFKC, which makes a blank and a mark of U+00B4.
    text = _compatible(re.sub(rf"[{_APOSTROPHES}]", APOSTROPHE, text))
    text = _compose(text.casefold())
    text = re.sub(rf"[{_APOSTROPHES}]", APOSTROPHE, text).translate(_FOLDED)
    return _SPACES.sub(" ", text).strip()[:_LONGEST_NAME].rstrip()


def like_pattern(text: str) -> str:
    r"""Give the LIKE pattern that finds `text` anywhere, whatever apostrophe the stored text has.

    `%`, `_` and `\` of the text stand for themselves; Latin look-alikes in Cyrillic words become Cyrillic.
    """
    text = _SPACES.sub(" ", _WORD.sub(_without_look_alikes, _compose(text))).strip()
    escaped = re.sub(r"([\\%_])", r"\\\1", text)
    return "%" + re.sub(rf"[{_APOSTROPHES}]", "_", escaped) + "%"


def _compose(text: str) -> str:
    bare = _MARKS.sub("", unicodedata.normalize("NFC", _cut_piles(drop_unreadable(text))))
    # Again: signs that a mark kept apart compose without it, and some marks come apart into two.
    return _cut_piles(unicodedata.normalize("NFC", bare))


def _compatible(text: str) -> str:
    """Give the NFKC of `text`, for as long as a name may be: U+FDFA alone makes 18 characters."""
    if unicodedata.is_normalized("NFKC", text):
        return text
    signs = chain.from_iterable(unicodedata.normalize("NFKC", sign) for sign in text)
    return unicodedata.normalize("NFC", _cut_piles("".join(islice(signs, _LONGEST_NAME))))


def _cut_piles(text: str) -> str:
    return _PILE.sub(_first_marks, text)


def _first_marks(match: re.Match[str]) -> str:
    """Give a row of signs with no more than `_MOST_MARKS` marks one after another."""
    kept: list[str] = []
    marks = 0
    for sign in match[0]:
        marks = marks + 1 if unicodedata.category(sign)[0] == "M" else 0
        if marks <= _MOST_MARKS:
            kept.append(sign)
    return "".join(kept)


def _without_look_alikes(match: re.Match[str]) -> str:
    word = match[0]
    if not (_CYRILLIC.search(word) and _LATIN.search(word)):
        return word
    changed = _YI.sub("ї", word).translate(_LOOK_ALIKES)
    return word if _LATIN.search(changed) else changed
