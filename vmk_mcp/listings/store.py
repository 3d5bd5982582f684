"""The family's port onto SQL files: one method per file."""

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.database.pool import Database
from vmk_mcp.database.query import HeadT, PageQuery, Query, load_page_query, load_query
from vmk_mcp.listings.filters import Criteria
from vmk_mcp.listings.live import LiveColumn, ServerFeatures
from vmk_mcp.listings.model import BRIEF_FIELDS, Listing, ListingCard
from vmk_mcp.listings.queries import (
    EmbeddedListing,
    FilterQuery,
    Fused,
    HybridQuery,
    IdQuery,
    IdsQuery,
    ListingKey,
    LiveIndex,
    MarketQuery,
    MarketRow,
    Matched,
    Measured,
    NewestQuery,
    OverviewRow,
    PickQuery,
    RowCounts,
    Seen,
    SimilarQuery,
    StoredEmbedding,
    SubstringQuery,
    UnpricedQuery,
    WordQuery,
)
from vmk_mcp.listings.values import PropertyType, StoredValue


class _Plan(Struct, rename={"rows": "Plan Rows"}):
    rows: float


class _Explained(Struct, rename={"plan": "Plan"}):
    plan: _Plan


class _PlanRow(Struct, frozen=True):
    query_plan: str


class _Words(Struct, frozen=True):
    words: str


class _Count(Struct, frozen=True):
    total: int


_FIND_SIMILAR_EXACT: Final = load_page_query("listings/find_similar_exact", head=Measured, row=Listing)
_FIND_SIMILAR_APPROXIMATE: Final = load_page_query(
    "listings/find_similar_approximate", head=Measured, row=Listing
)
_ESTIMATE_MATCHING: Final = load_query("listings/estimate_matching", row=_PlanRow)
_PROBE_NEAREST: Final = load_query("listings/probe_nearest", row=_Count)
_FIND_BY_FILTERS: Final = load_page_query("listings/find_by_filters", head=Matched, row=Listing)
_FIND_BY_WORDS: Final = load_page_query("listings/find_by_words", head=Matched, row=Listing)
_FIND_BY_SUBSTRING: Final = load_page_query("listings/find_by_substring", head=Matched, row=Listing)
_FIND_NEWEST: Final = load_page_query("listings/find_newest", head=Seen, row=Listing)
_FIND_HYBRID_EXACT: Final = load_page_query("listings/find_hybrid_exact", head=Fused, row=Listing)
_FIND_HYBRID_APPROXIMATE: Final = load_page_query("listings/find_hybrid_approximate", head=Fused, row=Listing)
_SUMMARIZE_MARKET: Final = load_query("listings/summarize_market", row=MarketRow)
_SUMMARIZE_DATABASE: Final = load_query("listings/summarize_database", row=OverviewRow)
_COUNT_UNPRICED: Final = load_query("listings/count_unpriced", row=_Count)
_GET_LISTING: Final = load_query("listings/get_listing", row=ListingCard)
_LIST_LISTINGS: Final = load_query("listings/list_listings", row=ListingCard)
_GET_EMBEDDING: Final = load_query("listings/get_embedding", row=StoredEmbedding)
_LIST_VALUES: Final = load_query("listings/list_values", row=StoredValue)
_LIST_PROPERTY_TYPES: Final = load_query("listings/list_property_types", row=PropertyType)
_LIST_COLUMNS: Final = load_query("listings/list_columns", row=LiveColumn)
_LIST_INDEXES: Final = load_query("listings/list_indexes", row=LiveIndex)
_COUNT_ROWS: Final = load_query("listings/count_rows", row=RowCounts)
_INSPECT_SERVER: Final = load_query("listings/inspect_server", row=ServerFeatures)
_PICK_EMBEDDED: Final = load_query("listings/pick_embedded", row=EmbeddedListing)

WARM_TEXT_SEARCH: Final[Query[_Words]] = load_query("listings/warm_text_search", row=_Words)
"""To be run on each new connection: a dictionary takes 0.35 s on first use, for which a call would wait."""

_PLANS: Final = msgspec.json.Decoder(list[_Explained])


class PostgresListingStore:
    """See `ListingStore`: each method runs the SQL file of its name."""

    def __init__(self, database: Database) -> None:
        """Read from `database`."""
        self._database = database

    async def find_similar_exact(self, query: SimilarQuery) -> tuple[Measured, list[Listing]]:
        """See `ListingStore.find_similar_exact`."""
        return await self._page(_FIND_SIMILAR_EXACT, query, full=query.full)

    async def find_similar_approximate(self, query: SimilarQuery) -> tuple[Measured, list[Listing]]:
        """See `ListingStore.find_similar_approximate`."""
        return await self._page(_FIND_SIMILAR_APPROXIMATE, query, full=query.full)

    async def estimate_matching(self, criteria: Criteria) -> int:
        """See `ListingStore.estimate_matching`."""
        row = await self._database.fetch_one(_ESTIMATE_MATCHING, criteria)
        return int(_PLANS.decode(row.query_plan)[0].plan.rows) if row else 0

    async def probe_nearest(self, query: SimilarQuery | HybridQuery) -> int:
        """See `ListingStore.probe_nearest`."""
        row = await self._database.fetch_one(_PROBE_NEAREST, query)
        return row.total if row else 0

    async def find_by_filters(self, query: FilterQuery) -> tuple[Matched, list[Listing]]:
        """See `ListingStore.find_by_filters`."""
        return await self._page(_FIND_BY_FILTERS, query, full=query.full)

    async def find_by_words(self, query: WordQuery) -> tuple[Matched, list[Listing]]:
        """See `ListingStore.find_by_words`."""
        return await self._page(_FIND_BY_WORDS, query, full=query.full)

    async def find_by_substring(self, query: SubstringQuery) -> tuple[Matched, list[Listing]]:
        """See `ListingStore.find_by_substring`."""
        return await self._page(_FIND_BY_SUBSTRING, query, full=query.full)

    async def find_newest(self, query: NewestQuery) -> tuple[Seen, list[Listing]]:
        """See `ListingStore.find_newest`."""
        return await self._page(_FIND_NEWEST, query, full=query.full)

    async def find_hybrid_exact(self, query: HybridQuery) -> tuple[Fused, list[Listing]]:
        """See `ListingStore.find_hybrid_exact`."""
        return await self._page(_FIND_HYBRID_EXACT, query, full=query.full)

    async def find_hybrid_approximate(self, query: HybridQuery) -> tuple[Fused, list[Listing]]:
        """See `ListingStore.find_hybrid_approximate`."""
        return await self._page(_FIND_HYBRID_APPROXIMATE, query, full=query.full)

    async def summarize_market(self, query: MarketQuery) -> Sequence[MarketRow]:
        """See `ListingStore.summarize_market`."""
        return await self._database.fetch_all(_SUMMARIZE_MARKET, query)

    async def summarize_database(self) -> Sequence[OverviewRow]:
        """See `ListingStore.summarize_database`."""
        return await self._database.fetch_all(_SUMMARIZE_DATABASE)

    async def count_unpriced(self, query: UnpricedQuery) -> int:
        """See `ListingStore.count_unpriced`."""
        row = await self._database.fetch_one(_COUNT_UNPRICED, query)
        return row.total if row else 0

    async def get_listing(self, query: IdQuery) -> ListingCard | None:
        """See `ListingStore.get_listing`."""
        return await self._database.fetch_one(_GET_LISTING, query)

    async def list_listings(self, query: IdsQuery) -> Sequence[ListingCard]:
        """See `ListingStore.list_listings`."""
        return await self._database.fetch_all(_LIST_LISTINGS, query)

    async def get_embedding(self, query: ListingKey) -> StoredEmbedding | None:
        """See `ListingStore.get_embedding`."""
        return await self._database.fetch_one(_GET_EMBEDDING, query)

    async def list_values(self) -> Sequence[StoredValue]:
        """See `ValueStore.list_values`."""
        return await self._database.fetch_all(_LIST_VALUES)

    async def list_property_types(self) -> Sequence[PropertyType]:
        """See `ValueStore.list_property_types`."""
        return await self._database.fetch_all(_LIST_PROPERTY_TYPES)

    async def list_columns(self) -> Sequence[LiveColumn]:
        """See `ListingStore.list_columns`."""
        return await self._database.fetch_all(_LIST_COLUMNS)

    async def list_indexes(self) -> Sequence[LiveIndex]:
        """See `ListingStore.list_indexes`."""
        return await self._database.fetch_all(_LIST_INDEXES)

    async def count_rows(self) -> RowCounts:
        """See `ListingStore.count_rows`."""
        row = await self._database.fetch_one(_COUNT_ROWS)
        return row or RowCounts(0, 0)

    async def inspect_server(self) -> ServerFeatures:
        """See `ListingStore.inspect_server`."""
        (row,) = await self._database.fetch_all(_INSPECT_SERVER)
        return row

    async def pick_embedded(self, query: PickQuery) -> Sequence[EmbeddedListing]:
        """See `ListingStore.pick_embedded`."""
        return await self._database.fetch_all(_PICK_EMBEDDED, query)

    async def _page(
        self, page: PageQuery[HeadT, Listing], query: Criteria, *, full: bool
    ) -> tuple[HeadT, list[Listing]]:
        return await self._database.fetch_page(page, query, first=None if full else BRIEF_FIELDS)
