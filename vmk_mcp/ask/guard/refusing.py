"""How a step of the guard says no, and how it finds the name that was meant."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from vmk_mcp.ask.model import Refusal

_SHOWN: Final = 60


class Refused(Exception):
    """Raised by any step; `check` alone catches it and hands the refusal back as a value."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.refusal = Refusal(code, reason)


def show_name(name: str) -> str:
    """Quote a name or a piece of a statement for a sentence: printable and at most 60 characters."""
    printable = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name)
    return f'"{printable[:_SHOWN]}…"' if len(printable) > _SHOWN else f'"{printable}"'


def suggest_name(name: str, names: Iterable[str]) -> str:
    """Give ` Did you mean "x"?` with the nearest of `names`, or an empty text; begins with a blank."""
    near = get_close_matches(name.lower(), sorted(names), n=1, cutoff=0.6)
    return f' Did you mean "{near[0]}"?' if near else ""
