"""Vectors for listings that have none: read, embedded and written in batches, each committed."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Final, Protocol

from msgspec import Struct

from vmk_mcp.embedding.failures import TextsRefused
from vmk_mcp.embedding.port import Embedder
from vmk_mcp.errors import EmbeddingUnavailable
from vmk_mcp.listings.document import embedding_text
from vmk_mcp.listings.loading.store import Filled, TextSource, UnembeddedQuery, WrittenVectors
from vmk_mcp.listings.queries import Vector

ROWS_AT_ONCE: Final = 32
_PAUSES_S: Final = (1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""After each failure in a row; together longer than the pause of a breaker that stands before it."""

_LOWEST_ID: Final = -(2**63)

Sleep = Callable[[float], Awaitable[None]]


class VectorStore(Protocol):
    """What filling needs of the database; every failure is a `VmkError`."""

    def transaction(self) -> AbstractAsyncContextManager[None]:
        """All or nothing of what is written inside."""

    async def count_vectors(self) -> Filled:
        """Say how many listings there are, and how many have a vector."""

    async def find_unembedded(self, query: UnembeddedQuery) -> list[TextSource]:
        """Give the next listings by id."""

    async def write_vectors(self, vectors: WrittenVectors) -> int:
        """Write vectors to those listings that have not changed since, and say to how many."""

    async def clear_vectors(self) -> int:
        """Take all vectors away, and say how many there were."""


class Filling(Struct):
    """What has been done: vectors written, and listings passed over because nothing of them can be embedded.

    `changed` listings were written by others while they were embedded, and are taken up again.
    """

    filled: int = 0
    skipped: int = 0
    changed: int = 0


class FillRules(Struct, frozen=True):
    """How vectors are filled: those of all listings or the missing ones, and how many at once."""

    includes_filled: bool = False
    rows_at_once: int = ROWS_AT_ONCE


FillProgress = Callable[[Filling], None]
"""Told after each batch was committed."""


class VectorFiller:
    """Embeds listings; see `run`.

    Args:
        store: where they are.
        embedder: makes the vectors.
        type_names: names of the kinds of property, by id.
        sleep: seconds until the embedder is asked again.
    """

    def __init__(
        self,
        store: VectorStore,
        embedder: Embedder,
        type_names: Callable[[int | None], str | None],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._type_names = type_names
        self._sleep = sleep

    async def run(self, rules: FillRules, progress: FillProgress) -> Filling:
        """Fill until nothing is left that could be.

        What was filled is committed, so that a later run goes on where this one ended.

        Raises:
            EmbeddingUnavailable: the embedder failed several times in a row.
            StoreUnavailable: the database went away.
        """
        filling = await self._pass(rules, Filling(), progress)
        missing_only = FillRules(rows_at_once=rules.rows_at_once)
        changed = filling.changed
        while changed:
            # What others wrote while it was embedded is without a vector still, or again.
            again = await self._pass(missing_only, Filling(), _ignore)
            filling.filled += again.filled
            changed = again.changed
        progress(filling)
        return filling

    async def _pass(self, rules: FillRules, filling: Filling, progress: FillProgress) -> Filling:
        last_id = _LOWEST_ID
        while sources := await self._store.find_unembedded(
            UnembeddedQuery(last_id, rules.includes_filled, rules.rows_at_once)
        ):
            last_id = sources[-1].id
            vectors = await self._embed(sources)
            written = await self._store.write_vectors(vectors) if vectors.ids else 0
            filling.filled += written
            filling.changed += len(vectors.ids) - written
            filling.skipped += len(sources) - len(vectors.ids)
            progress(filling)
        return filling

    async def _embed(self, sources: Sequence[TextSource]) -> WrittenVectors:
        texts = [
            embedding_text(source.as_record(), self._type_names(source.property_type_id))
            for source in sources
        ]
        said = [(source, text) for source, text in zip(sources, texts, strict=True) if text.strip()]
        vectors = await self._embed_texts([text for _, text in said])
        pairs = zip(said, vectors, strict=True)
        found = [(source, vector) for (source, _), vector in pairs if vector is not None]
        return WrittenVectors(
            [source.id for source, _ in found],
            [source.version for source, _ in found],
            [number for _, vector in found for number in vector.tolist()],
            self._embedder.dimensions,
        )

    async def _embed_texts(self, texts: Sequence[str]) -> list[Vector | None]:
        """Embed all at once; where that is refused, each alone: None for what the embedder does not take."""
        if not texts:
            return []
        try:
            return list(await self._try(texts))
        except TextsRefused:
            if len(texts) == 1:
                return [None]
        return [vector for text in texts for vector in await self._embed_texts([text])]

    async def _try(self, texts: Sequence[str]) -> Sequence[Vector]:
        for pause_s in _PAUSES_S:
            try:
                return list(await self._embedder.embed_documents(texts))
            except EmbeddingUnavailable as failure:
                if not failure.retryable:
                    raise
            await self._sleep(pause_s)
        return list(await self._embedder.embed_documents(texts))


def _ignore(_: Filling) -> None:
    """Take word of a batch that was counted before."""
