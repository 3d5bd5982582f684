"""A breaker in front of an embedder: after failures in a row it fails at once, and probes now and then."""

import math
import time
from collections.abc import Callable, Sequence

from msgspec import Struct

from vmk_mcp.embedding.failures import TextsRefused
from vmk_mcp.embedding.port import Embed, Embedder, Vectors
from vmk_mcp.errors import EmbeddingUnavailable
from vmk_mcp.observe import EmbedderChanged, Observer


class BreakerRule(Struct, frozen=True):
    """When a breaker opens and for how long.

    Attributes:
        failures: failures in a row after which it opens.
        pause_s: seconds until the first probe; each probe that fails doubles them.
        longest_pause_s: seconds beyond which they are not doubled.
    """

    failures: int = 3
    pause_s: float = 5.0
    longest_pause_s: float = 60.0


class Breaker:
    """Embeds by `inner` until it fails several times in a row; see `Embedder`.

    While open every call fails at once and says when the next probe is due. The first call after that is the
    probe: it goes through alone, and its outcome closes the breaker or keeps it open for longer.

    Args:
        inner: the embedder behind HTTP.
        observer: told `EmbedderChanged` when the breaker opens and when it closes.
        rule: when it opens and for how long.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        inner: Embedder,
        observer: Observer,
        *,
        rule: BreakerRule | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.model = inner.model
        self.dimensions = inner.dimensions
        self._inner = inner
        self._observer = observer
        self._rule = BreakerRule() if rule is None else rule
        self._clock = clock
        self._failures = 0
        self._pause_s = self._rule.pause_s
        self._last = EmbeddingUnavailable("")
        self._probe_due: float | None = None
        self._probing = False

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_queries`."""
        return await self._guard(self._inner.embed_queries, texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_documents`."""
        return await self._guard(self._inner.embed_documents, texts)

    async def close(self) -> None:
        """Close the embedder behind."""
        await self._inner.close()

    async def _guard(self, embed: Embed, texts: Sequence[str]) -> Vectors:
        if self._probe_due is None:
            return await self._attempt(embed, texts)
        if self._probing or self._clock() < self._probe_due:
            raise self._refusal(self._probe_due)
        self._probing = True
        try:
            return await self._attempt(embed, texts)
        except EmbeddingUnavailable:
            if self._probe_due is not None:
                self._pause_s = min(2 * self._pause_s, self._rule.longest_pause_s)
                self._probe_due = self._clock() + self._pause_s
            raise
        finally:
            self._probing = False

    async def _attempt(self, embed: Embed, texts: Sequence[str]) -> Vectors:
        try:
            vectors = await embed(texts)
        except TextsRefused:
            # The server answered: it is these texts that it does not take.
            self._note_success()
            raise
        except EmbeddingUnavailable as failure:
            self._note_failure(failure)
            raise
        self._note_success()
        return vectors

    def _note_success(self) -> None:
        self._failures = 0
        self._pause_s = self._rule.pause_s
        if self._probe_due is not None:
            self._probe_due = None
            self._observer.observe(EmbedderChanged(self.model, reachable=True, reason=""))

    def _note_failure(self, failure: EmbeddingUnavailable) -> None:
        self._failures += 1
        self._last = failure
        if self._probe_due is None and self._failures >= self._rule.failures:
            self._probe_due = self._clock() + self._pause_s
            self._observer.observe(EmbedderChanged(self.model, reachable=False, reason=failure.message))

    def _refusal(self, probe_due: float) -> EmbeddingUnavailable:
        wait_s = max(1, math.ceil(probe_due - self._clock()))
        return EmbeddingUnavailable(
            f"{self._last.message} It failed {self._failures} times in a row and is left alone for now.",
            hint=f"{self._last.hint} It is tried again in {wait_s} s.",
        )
