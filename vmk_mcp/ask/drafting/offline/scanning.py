"""From tokens to items: periods, numbers, and the longest phrases of the source and of the lexicon."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple

from msgspec import structs

from vmk_mcp.ask.drafting.offline.columns import is_moment
from vmk_mcp.ask.drafting.offline.items import Item
from vmk_mcp.ask.drafting.offline.lexicon import LONGEST_PHRASE, Meaning, load_lexicon, phrase_keys
from vmk_mcp.ask.drafting.offline.periods import find_period
from vmk_mcp.ask.drafting.offline.stems import stem_keys
from vmk_mcp.ask.drafting.offline.tokens import Token, split_words, tokenize
from vmk_mcp.ask.drafting.offline.vocabulary import PART, Sense, Vocabulary

_FIRM: Final = {"measure", "most", "compare", "negate", "group", "sort"}
# Their words keep their meaning where a column of one word has the same name.
_LOOSE: Final = {"filler", "link", "be", "relate", "light", "unit", "currency"}
_ABBREVIATED: Final = 3
_UNFINISHED: Final = ("un", "in", "non", "dis")
_MARKS: Final = {",": "comma", ";": "comma", "&": "join", "?": "end", "!": "end", ".": "end", ":": "comma"}
_SIGNS: Final = {
    "$": "currency",
    "€": "currency",
    "₴": "currency",
    "%": "unit",
    ">": "compare",
    "<": "compare",
    "=": "compare",
}


_CURRENCIES: Final = {"$": "USD", "€": "EUR", "₴": "UAH"}


class _Hit(NamedTuple):
    item: Item
    length: int


def scan_question(text: str, vocabulary: Vocabulary, today: date) -> list[Item]:
    """Turn a question into items; a word that nothing knows becomes an `unknown` one."""
    tokens = tokenize(text)
    items: list[Item] = []
    position = 0
    while position < len(tokens):
        hit = _scan_at(tokens, position, vocabulary, today)
        items.extend(hit[0])
        position += hit[1]
    return items


def _scan_at(
    tokens: Sequence[Token], position: int, vocabulary: Vocabulary, today: date
) -> tuple[Sequence[Item], int]:
    token = tokens[position]
    period = find_period(tokens, position, today)
    if period is not None:
        text = " ".join(one.text for one in tokens[position : position + period.length])
        return [Item("period", text, period=period.period)], period.length
    if token.kind == "quote":
        return [_scan_quote(token, vocabulary)], 1
    hit = _find_longest(tokens, position, vocabulary)
    if hit is not None:
        return [hit.item], hit.length
    number = _read_number(tokens, position)
    if number is not None:
        return [number.item], number.length
    return _scan_rest(token, vocabulary), 1


def _scan_quote(token: Token, vocabulary: Vocabulary) -> Item:
    keys = [stem_keys(word) for word in split_words(token.text)]
    senses = [one for one in vocabulary.find_senses(keys) if one.kind == "value"]
    return Item("name", token.text, senses=tuple(senses)) if senses else Item("unknown", token.text)


def _find_longest(tokens: Sequence[Token], position: int, vocabulary: Vocabulary) -> _Hit | None:
    for length in range(min(max(LONGEST_PHRASE, vocabulary.longest), len(tokens) - position), 0, -1):
        part = tokens[position : position + length]
        if part[0].kind == "number" and length == 1:
            return None
        if all(token.kind in {"word", "number"} for token in (part[0], part[-1])):
            item = _read_phrase(part, vocabulary, is_first=position == 0)
            if item is not None:
                return _Hit(item, length)
    return None


def _read_phrase(part: Sequence[Token], vocabulary: Vocabulary, *, is_first: bool) -> Item | None:
    """Take tokens for one phrase of the source, else of the lexicon, else for a synonym; None for neither."""
    text = " ".join(token.text for token in part)
    keys = [token.keys for token in part]
    senses, meaning = vocabulary.find_senses(keys), _find_meaning(keys, text)
    if senses and not (meaning and _prefers_lexicon(meaning.kind, senses, text if is_first else "")):
        return Item("name", text, meaning.kind if meaning else "", senses=_rank(senses, text))
    if meaning:
        senses = senses or (find_synonyms(keys, vocabulary) if meaning.kind == "light" else ())
        return Item(meaning.kind, text, meaning.sense, senses=_rank(senses, text))
    if len(part) > 1 and (alike := find_synonyms(keys, vocabulary)):
        return Item("name", text, "synonym", senses=alike)
    return None


def _find_meaning(keys: Sequence[Sequence[str]], text: str) -> Meaning | None:
    phrases = load_lexicon().phrases
    meaning = next((phrases[phrase] for phrase in phrase_keys(keys) if phrase in phrases), None)
    if meaning is not None and meaning.kind == "sort" and text.lower() not in load_lexicon().written:
        return None
    return meaning


def _prefers_lexicon(kind: str, senses: Sequence[Sense], first: str) -> bool:
    """Say whether a word of both worlds has its general meaning; `first` is it at the very beginning."""
    if kind == "ask":
        return first.lower() in load_lexicon().written
    if kind in _FIRM:
        return not any(sense.kind == "table" for sense in senses)
    if kind in _LOOSE or kind in {"refuse", "part", "distinct"}:
        return kind in {"filler", "link", "be", "relate"} or (kind == "refuse" and bool(first))
    return True


def _rank(senses: Sequence[Sense], text: str) -> tuple[Sense, ...]:
    """Put the surest first; a value written letter by letter is as sure as a column's whole name."""
    lower = text.lower()

    def weigh(sense: Sense) -> int:
        is_exact = sense.kind == "value" and sense.value.lower().replace("_", " ") == lower
        return -(sense.weight + is_exact)

    return tuple(sorted(senses, key=weigh))


def _read_number(tokens: Sequence[Token], position: int) -> _Hit | None:
    token = tokens[position]
    number = token.number
    if number is None and token.kind == "word" and token.keys[0] in load_lexicon().numbers:
        number = Decimal(load_lexicon().numbers[token.keys[0]])
    if (
        number is None
        and len(token.text) > _ABBREVIATED
        and (factor := load_lexicon().scales.get(token.keys[0]))
    ):
        return _Hit(Item("number", token.text, number=Decimal(factor)), 1)
    if number is None:
        return None
    length = 1
    following = tokens[position + 1] if position + 1 < len(tokens) else None
    factor = load_lexicon().scales.get(following.keys[0]) if following and following.kind == "word" else None
    if factor is not None:
        number, length = number * factor, 2
    return _Hit(Item("number", token.text, number=number), length)


def _scan_rest(token: Token, vocabulary: Vocabulary) -> Sequence[Item]:
    if token.kind == "mark":
        kind = _MARKS.get(token.text) or _SIGNS.get(token.text, "end")
        return [Item(kind, token.text, _CURRENCIES.get(token.text, token.text))]
    return _split_negation(token, vocabulary) or [_find_synonym(token, vocabulary)]


def _split_negation(token: Token, vocabulary: Vocabulary) -> Sequence[Item]:
    lower = token.text.lower()
    for prefix in _UNFINISHED:
        rest = lower.removeprefix(prefix)
        if rest == lower or len(rest) < 3:  # noqa: PLR2004 - `under` minus `un` is no word
            continue
        keys = [stem_keys(rest)]
        senses = vocabulary.find_senses(keys) or find_synonyms(keys, vocabulary)
        usable = [one for one in senses if one.kind in {"flag", "value", "verb"} or _is_event(one)]
        if usable:
            return [
                Item("negate", prefix, "prefix"),
                Item("name", token.text, "participle", senses=tuple(usable)),
            ]
    return ()


def _is_event(sense: Sense) -> bool:
    return sense.column is not None and sense.kind == "column" and is_moment(sense.column)


def _find_synonym(token: Token, vocabulary: Vocabulary) -> Item:
    senses = find_synonyms([token.keys], vocabulary)
    return Item("name", token.text, "synonym", senses=senses) if senses else Item("unknown", token.text)


def find_synonyms(keys: Sequence[Sequence[str]], vocabulary: Vocabulary) -> tuple[Sense, ...]:
    """Give what the synonyms of a phrase stand for, none of it surer than a part of a name."""
    return tuple(
        structs.replace(sense, weight=min(sense.weight, PART))
        for phrase in phrase_keys(keys)
        for other in load_lexicon().synonyms.get(phrase, ())
        for sense in vocabulary.find_senses([(word,) for word in other])
    )
