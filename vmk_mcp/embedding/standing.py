"""How the embedder stands, as readiness tells it."""

from vmk_mcp.observe import EmbedderChanged, Event


class EmbedderStanding:
    """An observer that remembers whether the embedder can be reached, and what a check at start found."""

    def __init__(self) -> None:
        self._unreachable: str = ""
        self._mismatch: str = ""

    def observe(self, event: Event) -> None:
        """Take note of the breaker's changes."""
        if isinstance(event, EmbedderChanged):
            self._unreachable = "" if event.reachable else event.reason

    def note_check(self, unreachable: str = "", mismatch: str = "") -> None:
        """Take note of a check at start: why the embedder cannot be used, or what does not fit."""
        self._unreachable = unreachable
        self._mismatch = mismatch

    def reasons(self) -> list[str]:
        """Give what is wrong at the moment, in sentences; empty when all is well."""
        return [reason for reason in (self._unreachable, self._mismatch) if reason]
