"""How the embedder stands, as readiness tells it."""

from vmk_mcp.observe import Embedded, EmbedderChanged, Event


class EmbedderStanding:
    """An observer that remembers whether the embedder can be reached, and whether its vectors belong here."""

    def __init__(self) -> None:
        self._unreachable: str = ""
        self._mismatch: str = ""

    def observe(self, event: Event) -> None:
        """Take note of the breaker's changes, and of every text that was embedded after all."""
        if isinstance(event, EmbedderChanged):
            self._unreachable = "" if event.reachable else event.reason
        elif isinstance(event, Embedded) and event.cached < event.texts:
            # A failure or two open no breaker, so that none tells of the return; the cache proves nothing.
            self._unreachable = ""

    def note_unreachable(self, reason: str) -> None:
        """Take note of why the embedder could not be used just now."""
        self._unreachable = reason

    def note_mismatch(self, sentence: str) -> None:
        """Take note that its vectors do not belong to the stored ones."""
        self._mismatch = sentence

    def reasons(self) -> list[str]:
        """Give what is wrong at the moment, in sentences; empty when all is well."""
        return [reason for reason in (self._unreachable, self._mismatch) if reason]
