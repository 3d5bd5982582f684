"""A cache in front of an embedder, which also sends each text once and many texts together."""

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from msgspec import Struct

from vmk_mcp.embedding.batches import Batches
from vmk_mcp.embedding.port import Embed, Embedder, Kind, Vectors
from vmk_mcp.embedding.texts import normalise_text
from vmk_mcp.observe import Embedded, Observer, current_stages


class CacheLimits(Struct, frozen=True):
    """Bounds of a cache.

    Attributes:
        entries: vectors kept; 2,000 of 768 dimensions are 6 MiB.
        texts_per_request: texts sent together.
        shortest_first: where texts wait for a request, the shortest goes next, so that a short one does not
            wait for all the long ones before it; for an embedder whose work grows with a text's length.
    """

    entries: int = 2_000
    texts_per_request: int = 32
    shortest_first: bool = False


class RowCache:
    """Vectors by kind and text; when full, the one unused for longest goes."""

    def __init__(self, entries: int) -> None:
        self._entries = entries
        self._rows: OrderedDict[tuple[Kind, str], Vectors] = OrderedDict()

    def get(self, kind: Kind, text: str) -> Vectors | None:
        """Give the vector of `text`, which thereby is the one used last."""
        row = self._rows.get((kind, text))
        if row is not None:
            self._rows.move_to_end((kind, text))
        return row

    def put(self, kind: Kind, text: str, row: Vectors) -> None:
        """Keep a copy of `row`: a row cut from a batch would keep the whole batch alive."""
        self._rows[kind, text] = row.copy()
        self._rows.move_to_end((kind, text))
        while len(self._rows) > self._entries:
            self._rows.popitem(last=False)


class CachedEmbedder:
    """Remembers what `inner` embedded; see `Embedder`.

    The key is the model (a cache belongs to one embedder), the kind and the normalised text. The same text
    wanted by several callers at once is sent once; failures are not remembered.

    Args:
        inner: the embedder, behind its breaker if it has one.
        observer: told `Embedded` for each call that succeeds.
        limits: bounds.
        clock: seconds that only grow, for the stage `embed` of the current call.
    """

    def __init__(
        self,
        inner: Embedder,
        observer: Observer,
        *,
        limits: CacheLimits | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        bounds = CacheLimits() if limits is None else limits
        self.model = inner.model
        self.dimensions = inner.dimensions
        self._inner = inner
        self._observer = observer
        self._clock = clock
        self._rows = RowCache(bounds.entries)
        self._batches: dict[Kind, Batches] = {
            "query": self._gather(inner.embed_queries, "query", bounds),
            "document": self._gather(inner.embed_documents, "document", bounds),
        }

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_queries`."""
        return await self._embed("query", texts)

    async def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed_documents`."""
        return await self._embed("document", texts)

    async def close(self) -> None:
        """Fail all who wait, then close the embedder behind."""
        for batches in self._batches.values():
            await batches.close()
        await self._inner.close()

    def _gather(self, embed: Embed, kind: Kind, bounds: CacheLimits) -> Batches:
        return Batches(
            embed,
            partial(self._rows.put, kind),
            most=bounds.texts_per_request,
            shortest_first=bounds.shortest_first,
        )

    async def _embed(self, kind: Kind, texts: Sequence[str]) -> Vectors:
        started = self._clock()
        try:
            normal = [normalise_text(text) for text in texts]
            known = {text: row for text in normal if (row := self._rows.get(kind, text)) is not None}
            cached = sum(text in known for text in normal)
            missing = list(dict.fromkeys(text for text in normal if text not in known))
            if missing:
                known.update(zip(missing, await self._batches[kind].fetch(missing), strict=True))
        finally:
            elapsed_s = self._clock() - started
            if (stages := current_stages.get()) is not None:
                stages.add("embed", elapsed_s)
        self._observer.observe(Embedded(self.model, len(texts), cached, elapsed_s))
        vectors = np.empty((len(normal), self.dimensions), dtype=np.float32)
        for place, text in enumerate(normal):
            vectors[place] = known[text]
        return vectors
