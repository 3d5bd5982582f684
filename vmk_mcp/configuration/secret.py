"""A text that no log, error or repr ever shows."""

from typing import Final

_MASK: Final = "********"


class Secret:
    """Holds a secret; not a `Struct`, so that no encoder can write it out by accident."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        """Hide `text`."""
        self._text = text

    def reveal(self) -> str:
        """Give the secret itself, for the one place that needs it."""
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_MASK})"
