"""One way of writing for stored text and for queries, so that both sides meet in the index."""

import re
import unicodedata
from typing import Final

APOSTROPHE: Final = "\u02bc"
"""MODIFIER LETTER APOSTROPHE: the one apostrophe that is a letter, so that no parser splits a word at it."""

_APOSTROPHES: Final = "'\u2019\u2018\u02bc\u02b9\u02bb\u0060\u00b4\u2032\uff07"
_INNER_APOSTROPHE: Final = re.compile(rf"(?<=[^\W\d_])[{_APOSTROPHES}](?=[^\W\d_])")
_QUOTES: Final = str.maketrans(dict.fromkeys("«»„“”‟″", '"'))
_UNREADABLE: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\u200b-\u200f\u00ad\ufeff]")
_LOOK_ALIKES: Final = str.maketrans("aceiopxyABCEHIKMOPTXY", "асеіорхуАВСЕНІКМОРТХУ")
_YI: Final = re.compile(rf"(?<=[аеєиіїоуюя{APOSTROPHE}])i")
"""After a vowel a Latin `i` stands for `ї`: Киiв, краiна."""

_LATIN: Final = re.compile(r"[A-Za-z]")
_CYRILLIC: Final = re.compile(r"[\u0400-\u04ff]")
_WORD: Final = re.compile(r"[^\W\d_]+")
_SQUARE_METRES: Final = re.compile(
    r"(?<=\d)\s*(?:кв\.?\s*м(?:етр\w*)?\.?|м\.?\s?кв\.?|м\s?[2²]|sq\.?\s?m)(?!\w)", re.IGNORECASE
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
    r"(?<![\w.,])([1-6])(?:\s?-?\s?(?:х|ох|ти|о|но|ьох|х-)\b)?\s?-?\s?"
    r"(?:к|кк|кімн|ком|комн|кімнат\w*|комнат\w*|кімнатн\w*|комнатн\w*)(?!\w)\.?",
    re.IGNORECASE,
)
_ROOM_STEMS: Final = (
    (1, r"одно(?:кімнат|комнат)\w*|однушк\w*|однокімн\w*"),
    (2, r"дво(?:х)?кімнат\w*|двух?комнат\w*|дв(?:у|о)шк\w*|двійк\w*|двухкомн\w*"),
    (3, r"три?кімнат\w*|трьох?кімнат\w*|тр[её]хкомнат\w*|тр(?:е|ё|ьо)шк\w*|трійк\w*"),
    (4, r"чотири(?:х|ьох)?кімнат\w*|чотирьохкімнат\w*|четыр[её]хкомнат\w*"),
    (5, rf"п{APOSTROPHE}яти?кімнат\w*|пятикомнат\w*"),
    (6, r"шести?кімнат\w*|шестикомнат\w*"),
)
_ROOM_NAMES: Final = [
    (rooms, re.compile(rf"(?<!\w)(?:{stems})(?!\w)", re.IGNORECASE)) for rooms, stems in _ROOM_STEMS
]


def normalize_query(text: str) -> str:
    """Write `text` the one way that both stored text and queries are searched in.

    Apostrophes inside words become U+02BC, Latin look-alikes inside Cyrillic words become Cyrillic, square
    metres become `м²`, and every way of saying a number of rooms becomes one word. Characters that Postgres
    cannot hold or that nobody sees go. Idempotent.
    """
    text = unicodedata.normalize("NFC", _UNREADABLE.sub("", text)).translate(_QUOTES)
    text = _INNER_APOSTROPHE.sub(APOSTROPHE, text)
    text = _WORD.sub(_without_look_alikes, text)
    text = _DECIMAL_COMMA.sub(".", _SQUARE_METRES.sub(" м²", text))
    text = _ROOM_FIGURES.sub(lambda match: _ROOM_WORDS[int(match[1])], text)
    for rooms, names in _ROOM_NAMES:
        text = names.sub(_ROOM_WORDS[rooms], text)
    return _SPACES.sub(" ", text).strip()


def fold_name(text: str) -> str:
    """Give the key under which all spellings of one proper name meet.

    Case, apostrophe, look-alike letters (`i` for `і` or `ї`), dashes and spaces make no difference.
    """
    text = unicodedata.normalize("NFKC", _UNREADABLE.sub("", text)).casefold()
    text = re.sub(rf"[{_APOSTROPHES}]", APOSTROPHE, text).translate(_LOOK_ALIKES)
    text = text.replace("ї", "і")
    return _SPACES.sub(" ", text.replace("\u2013", "-").replace("\u2011", "-")).strip()


def like_pattern(text: str) -> str:
    r"""Give the LIKE pattern that finds `text` anywhere, whatever apostrophe the stored text has.

    `%`, `_` and `\` of the text stand for themselves.
    """
    text = _SPACES.sub(" ", _UNREADABLE.sub("", text)).strip()
    escaped = re.sub(r"([\\%_])", r"\\\1", text)
    return "%" + re.sub(rf"[{_APOSTROPHES}]", "_", escaped) + "%"


def _without_look_alikes(match: re.Match[str]) -> str:
    word = match[0]
    if not (_CYRILLIC.search(word) and _LATIN.search(word)):
        return word
    changed = _YI.sub("ї", word).translate(_LOOK_ALIKES)
    return word if _LATIN.search(changed) else changed
