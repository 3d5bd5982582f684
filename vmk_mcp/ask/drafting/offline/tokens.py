"""Cutting a question into words, numbers, dates and quoted texts."""

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Final

from msgspec import Struct

from vmk_mcp.ask.drafting.offline.stems import stem_keys

MOST_CHARACTERS: Final = 600
MOST_TOKENS: Final = 80
"""Beyond these a text is a letter and no question, and parts of it would go unheard."""

_TOKEN: Final = re.compile(
    r"""(?P<quote>"[^"]{1,200}"|«[^»]{1,200}»|“[^”]{1,200}”|(?<!\w)'[^']{1,200}'(?!\w))"""
    r"|(?P<date>(?<!\d)\d{4}-\d{2}-\d{2}(?!\d))"
    r"|(?P<number>\d{1,3}(?:[, \u00a0]\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?)"
    r"|(?P<word>[^\W\d_]+(?:['’ʼ`][^\W\d_]+)*)"
    r"|(?P<mark>[^\s\w])",
)
_POSSESSIVE: Final = re.compile(r"['’]s?$")
_SPACED: Final = re.compile(r"[, \u00a0]")


class Token(Struct, frozen=True):
    """A piece of a question.

    Attributes:
        kind: `word`, `number`, `date`, `quote` or `mark`.
        text: as written, without quotes and a possessive ending.
        keys: what it is compared by: stems of a word, else the text in lower case.
        number: the value of a number.
        day: the value of a date.
    """

    kind: str
    text: str
    keys: tuple[str, ...]
    number: Decimal | None = None
    day: date | None = None


def tokenize(text: str) -> list[Token]:
    """Cut a text; blanks, underscores and hyphens only separate. Stops after `MOST_TOKENS` and one more."""
    tokens: list[Token] = []
    for token in _read_tokens(text[: MOST_CHARACTERS + 1]):
        tokens.append(token)
        if len(tokens) > MOST_TOKENS:
            break
    return tokens


def split_words(name: str) -> tuple[str, ...]:
    """Give the words of a name or value in lower case, such as `order`, `items` of `order_items`."""
    return tuple(word.lower() for word in re.findall(r"[^\W\d_]+(?:['’ʼ`][^\W\d_]+)*|\d+(?:\.\d+)?", name))


def _read_tokens(text: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(text):
        kind, written = str(match.lastgroup), match[0]
        if kind == "mark" and written in "-–—_*#|/":
            continue
        if kind == "quote":
            yield Token(kind, written[1:-1], (written[1:-1].lower(),))
        elif kind == "date":
            yield _read_day(written)
        elif kind == "number":
            number = Decimal(_SPACED.sub("", written))
            yield Token(kind, written, (str(number),), number=number)
        elif kind == "word":
            word = _POSSESSIVE.sub("", written) or written
            yield Token(kind, word, stem_keys(word.lower()))
        else:
            yield Token(kind, written, (written,))


def _read_day(written: str) -> Token:
    try:
        return Token("date", written, (written,), day=date.fromisoformat(written))
    except ValueError:
        return Token("word", written, (written,))
