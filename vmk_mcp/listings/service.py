"""The listings family's one service: searches, single listings, the market and the schema."""

import asyncio
from collections.abc import Sequence

from msgspec.structs import asdict

from vmk_mcp.errors import VmkError
from vmk_mcp.listings.arguments import (
    HybridSearch,
    MarketQuestion,
    MetadataSearch,
    SimilarSearch,
    SimilarToListing,
)
from vmk_mcp.listings.framing import ListingRules, SearchFrame
from vmk_mcp.listings.live import FILTER_COLUMNS, LiveSchema
from vmk_mcp.listings.market import MOST_GROUPS, compare, mixture_hints, overview, summarize
from vmk_mcp.listings.model import ListingCard
from vmk_mcp.listings.ports import ListingStore, QueryEmbedder, Standing
from vmk_mcp.listings.queries import IdQuery, IdsQuery, MarketQuery
from vmk_mcp.listings.results import Comparison, DatabaseOverview, MarketSummary, SearchResult
from vmk_mcp.listings.schema import SchemaDescription, describe
from vmk_mcp.listings.searching import ListingSearch, no_listing
from vmk_mcp.listings.values import LiveValues
from vmk_mcp.tool import Readiness


class ListingService:
    """Answers the family's tools; see their descriptions in `tools.py` for what each promises.

    `contacts` says whether people's contacts may be read; without it they are null.
    """

    def __init__(
        self,
        store: ListingStore,
        values: LiveValues,
        embedder: QueryEmbedder,
        standing: Standing,
        rules: ListingRules,
    ) -> None:
        """Join the ports."""
        self._store = store
        self._values = values
        self._standing = standing
        self._frame = SearchFrame(store, values, rules)
        self._search = ListingSearch(self._frame, store, values, embedder)

    async def inspect(self) -> LiveSchema:
        """Compare the live tables, as they are now, with the declared ones; later calls go by it."""
        return await self._frame.inspect()

    async def readiness(self) -> Readiness:
        """Say how the family stands now; never raises `VmkError`."""
        try:
            ready = (await self.inspect()).readiness()
        except VmkError as error:
            return Readiness("unavailable", (error.message,))
        reasons = (*ready.reasons, *self._standing.reasons())
        return ready if ready.status == "unavailable" or not reasons else Readiness("degraded", reasons)

    async def search_similar_listings(self, search: SimilarSearch, *, contacts: bool) -> SearchResult:
        """See `ListingSearch.by_meaning`."""
        return await self._search.by_meaning(search, contacts=contacts)

    async def get_similar_to_listing(self, search: SimilarToListing, *, contacts: bool) -> SearchResult:
        """See `ListingSearch.like_listing`."""
        return await self._search.like_listing(search, contacts=contacts)

    async def search_by_metadata(self, search: MetadataSearch, *, contacts: bool) -> SearchResult:
        """See `ListingSearch.by_metadata`."""
        return await self._search.by_metadata(search, contacts=contacts)

    async def hybrid_search(self, search: HybridSearch, *, contacts: bool) -> SearchResult:
        """See `ListingSearch.hybrid`."""
        return await self._search.hybrid(search, contacts=contacts)

    async def get_listing_by_id(self, listing_id: int, *, contacts: bool) -> ListingCard:
        """Give one listing whatever its status; raises `NotFound`."""
        listing = await self._store.get_listing(IdQuery(listing_id, contacts))
        if listing is None:
            raise no_listing(listing_id)
        return listing

    async def compare_listings(self, listing_ids: Sequence[int], *, contacts: bool) -> Comparison:
        """Put listings side by side; those that do not exist are named."""
        cards = await self._store.list_listings(IdsQuery(list(listing_ids), contacts))
        return compare(listing_ids, cards)

    async def summarize_market(self, question: MarketQuestion) -> MarketSummary:
        """Give quartiles of prices, by group and currency, of what passes the filters."""
        live = await self._frame.check_filters(question.filters)
        if question.group_by is not None:
            live.require(*FILTER_COLUMNS[question.group_by], purpose=f"Grouping by {question.group_by}")
        resolved = await self._frame.resolve(question.filters, live)
        spellings, spelled = (await self._values.get()).variants(question.group_by or "")
        query = MarketQuery(
            **asdict(resolved.criteria),
            group_by=question.group_by,
            most=MOST_GROUPS,
            spellings=spellings,
            spelled=spelled,
        )
        rows = await self._store.summarize_market(query)
        basis = await self._frame.complete_basis(resolved)
        hints = [*resolved.hints, *mixture_hints(question), *self._frame.rate_hints(basis)]
        return summarize(rows, group_by=question.group_by, basis=basis, hints=hints)

    async def summarize_database(self) -> DatabaseOverview:
        """Say what the database holds."""
        await self._frame.live()
        values, rows = await asyncio.gather(self._store.list_values(), self._store.summarize_database())
        return overview(values, rows)

    async def describe_schema(self) -> SchemaDescription:
        """Say what is searched, read from the live server."""
        live = await self._frame.live()
        indexes, counts, values = await asyncio.gather(
            self._store.list_indexes(), self._store.count_rows(), self._values.get()
        )
        return describe(live, indexes, counts, values, model=self._frame.rules.data_model)
