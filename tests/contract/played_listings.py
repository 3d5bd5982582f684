"""The listings' database and embedder, played in memory over a handful of made-up rows.

Some ids and words bring on a failure, so that each failure has a request of its own (see `TROUBLES`).
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from msgspec.structs import asdict, replace

from tests.contract.played_figures import fuse, overview, summarize
from tests.contract.played_rows import COLUMNS, INDEXES, ROWS
from tests.fake_listing_store import FakeListingStore
from tests.fakes import FakeEmbedder
from vmk_mcp.database.failures import translate
from vmk_mcp.embedding.failures import Server, unreachable
from vmk_mcp.embedding.port import Vectors
from vmk_mcp.listings.filters import Criteria
from vmk_mcp.listings.live import LiveColumn
from vmk_mcp.listings.model import Listing, ListingCard
from vmk_mcp.listings.queries import (
    Fused,
    HybridQuery,
    IdQuery,
    LiveIndex,
    MarketQuery,
    MarketRow,
    OverviewRow,
    SimilarQuery,
    WordQuery,
)

SILENT_EMBEDDER: Final = "мовчазна модель"
"""The query that the embedder fails at."""

OLLAMA: Final = Server(
    name="Ollama",
    model="nomic-embed-text",
    address_setting="OLLAMA_BASE_URL",
    timeout_setting="OLLAMA_REQUEST_TIMEOUT",
    key_setting="",
    missing_model_hint="",
    address_hint="",
)
TROUBLES: Final[dict[int, Callable[[], Exception]]] = {
    900001: lambda: translate(ConnectionRefusedError()),
    900002: lambda: translate(TimeoutError()),
    900004: lambda: RuntimeError("a bug of the service"),
}
"""Listing ids whose reading fails, and how."""

LONG_LISTING: Final = 900003
"""The id of a listing whose description is longer than an answer may be."""


class PlayedEmbedder(FakeEmbedder):
    """See `QueryEmbedder` and `Standing`."""

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `QueryEmbedder.embed_queries`."""
        if SILENT_EMBEDDER in texts:
            raise unreachable(OLLAMA)
        return await super().embed_queries(texts)

    def reasons(self) -> Sequence[str]:
        """See `Standing.reasons`."""
        return ()


class PlayedListingStore(FakeListingStore):
    """See `ListingStore`: columns and indexes as a live table might have them, and troubles by id."""

    def __init__(self) -> None:
        super().__init__(ROWS)
        self.features = replace(self.features, has_ukrainian=True)

    async def get_listing(self, query: IdQuery) -> ListingCard | None:
        """See `ListingStore.get_listing`."""
        if query.listing_id in TROUBLES:
            raise TROUBLES[query.listing_id]()
        if query.listing_id != LONG_LISTING:
            return await super().get_listing(query)
        card = await super().get_listing(replace(query, listing_id=ROWS[0].record.id))
        return card and replace(card, id=LONG_LISTING, description="довго " * 20_000)

    async def find_hybrid_exact(self, query: HybridQuery) -> tuple[Fused, list[Listing]]:
        """See `ListingStore.find_hybrid_exact`."""
        asked = asdict(query) | {"limit": query.depth, "offset": 0}
        near = {**_fields_of(SimilarQuery, asked), "metric": "cosine"}
        measured, by_meaning = await self.find_similar_exact(SimilarQuery(**near))
        worded = {**_fields_of(WordQuery, asked), "sort_by": "relevance", "rate_currencies": [], "rates": []}
        _, by_words = await self.find_by_words(WordQuery(**worded))
        fused = fuse(by_meaning, by_words)
        page = fused[query.offset : query.offset + query.limit]
        return Fused(measured.examined, len(by_meaning), len(by_words), len(fused), []), page

    async def summarize_market(self, query: MarketQuery) -> Sequence[MarketRow]:
        """See `ListingStore.summarize_market`."""
        return summarize([row.record for row in self._passing(query)], query)

    async def summarize_database(self) -> Sequence[OverviewRow]:
        """See `ListingStore.summarize_database`."""
        return overview([row.record for row in self.rows if row.record.listing_status == "active"])

    async def list_columns(self) -> Sequence[LiveColumn]:
        """See `ListingStore.list_columns`."""
        return COLUMNS

    async def list_indexes(self) -> Sequence[LiveIndex]:
        """See `ListingStore.list_indexes`."""
        return INDEXES


def _fields_of(struct: type[Criteria], values: dict[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in struct.__struct_fields__ if name in values}
