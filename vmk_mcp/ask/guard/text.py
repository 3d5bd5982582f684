"""Step 1: size and encoding of the text, before any parser sees it."""

import unicodedata
from typing import Final

from vmk_mcp.ask.guard.limits import GuardLimits
from vmk_mcp.ask.guard.refusing import Refused

_BLANKS: Final = frozenset(" \t\n\r")
# Cc, Cf: control and format characters; Zl, Zp, Zs: blanks that Postgres takes for letters of a name; what is
# left has no meaning that two parsers could agree on. Marks and fillers that show nothing are named singly.
_HIDING_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
_HIDING_LETTERS: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {
    chr(code) for code in (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
}


def check_text(sql: str, limits: GuardLimits) -> None:
    """Hold the text to its size and to characters that show.

    Raises:
        Refused: `too_large` or `bad_encoding`.
    """
    if len(sql) > limits.statement_bytes or len(sql.encode("utf-8", "replace")) > limits.statement_bytes:
        raise Refused(
            "too_large", f"The statement is larger than {limits.statement_bytes} bytes: ask for less at once."
        )
    if sql.isascii() and sql.isprintable():
        return
    for place, letter in enumerate(sql):
        if letter not in _BLANKS and _hides(letter):
            raise Refused(
                "bad_encoding",
                f"The character U+{ord(letter):04X} at place {place + 1} cannot be seen: take it out of the "
                "statement, and write ordinary blanks.",
            )


def _hides(letter: str) -> bool:
    if letter.isascii():
        return not letter.isprintable()
    return unicodedata.category(letter) in _HIDING_CATEGORIES or letter in _HIDING_LETTERS
