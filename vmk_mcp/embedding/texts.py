"""Texts in the one form in which they are embedded and remembered."""

import unicodedata
from typing import Final

from vmk_mcp.errors import InvalidArguments

MAX_CHARACTERS: Final = 8_000
"""Beyond it a text is cut: even at a token a character it fits the 8,192 tokens that most models take."""


def normalise_text(text: str) -> str:
    """Give `text` without NULs and lone surrogates, composed (NFC), with single blanks, cut.

    NUL ends a C string and a lone surrogate is in no encoding. Models see no difference between blanks and
    line ends, so texts that differ only there share one vector.

    Raises:
        InvalidArguments: nothing is left.
    """
    encodable = text.encode("utf-8", "ignore").decode("utf-8").replace("\0", " ")
    # Cut before composing too: that takes quadratic time where a caller piles up combining marks.
    short = " ".join(encodable.split())[:MAX_CHARACTERS]
    normal = unicodedata.normalize("NFC", short)[:MAX_CHARACTERS].rstrip()
    if not normal:
        raise InvalidArguments(
            "The text to embed is empty.",
            hint="Give at least one letter, digit or sign that can be searched.",
        )
    return normal
