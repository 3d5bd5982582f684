"""The counter of tokens that all limits of chunks are given in."""

import re
from typing import Final

from msgspec import Struct

_COUNTED: Final = re.compile(r"(?P<latin>[A-Za-zÀ-ɏ]+)|(?P<pairs>[Ͱ-ԯ]+|[0-9]+)|(?P<single>\S)")
_LATIN_LETTERS: Final = 4
_OTHER_LETTERS: Final = 2

CHARACTERS_PER_TOKEN: Final = 6
"""No chunk has more characters than that for each token it may have: blanks count nothing but take room."""


class Limits(Struct, frozen=True):
    """How large a chunk may be.

    Attributes:
        tokens: by `count_tokens`.
        characters: of the text, blanks included.
    """

    tokens: int
    characters: int


def count_tokens(text: str) -> int:
    """Count tokens the way this service does for every embedder.

    A word of Latin letters is one token for every four letters begun; of Greek and Cyrillic ones for every
    two, as for digits in a row. Any other visible character is one; blanks are none. On Ukrainian, Russian
    and English prose that is more than the tokenisers of the usual models count. The count of a text is never
    above the sum of its parts'.
    """
    count = 0
    for match in _COUNTED.finditer(text):
        length = match.end() - match.start()
        if match.lastgroup == "latin":
            count += -(-length // _LATIN_LETTERS)
        elif match.lastgroup == "pairs":
            count += -(-length // _OTHER_LETTERS)
        else:
            count += 1
    return count
