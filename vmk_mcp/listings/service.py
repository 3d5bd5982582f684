"""The rules of searching listings: routing, totals, fallbacks and what the caller is told."""

import asyncio
from collections.abc import Callable
from datetime import date
from typing import Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, replace

from vmk_mcp.errors import NotFound, VmkError
from vmk_mcp.listings.arguments import MetadataSearch, Pagination, SimilarSearch
from vmk_mcp.listings.criteria import Resolved, resolve_filters
from vmk_mcp.listings.filters import Filters
from vmk_mcp.listings.live import SORT_COLUMNS, LiveSchema
from vmk_mcp.listings.model import Listing, ListingCard, PriceBasis, SchemaDescription, SearchResult
from vmk_mcp.listings.money import RATES_GROW_OLD_AFTER_DAYS, ExchangeRates, comparable_rates
from vmk_mcp.listings.normalize import drop_unreadable, like_pattern, normalize_query
from vmk_mcp.listings.page import (
    Found,
    SearchPath,
    Slice,
    check_depth,
    find_next,
    take_slice,
    threshold_hints,
)
from vmk_mcp.listings.ports import ListingStore, QueryEmbedder, Standing
from vmk_mcp.listings.queries import (
    FilterQuery,
    IdQuery,
    Measured,
    SimilarQuery,
    SubstringQuery,
    UnpricedQuery,
    WordQuery,
)
from vmk_mcp.listings.schema import describe
from vmk_mcp.listings.values import LiveValues
from vmk_mcp.tool import Readiness

CANDIDATES: Final = 200
"""Rows that approximate search takes for every page: 10 gave recall .59, 200 sorted again gave .99."""

CANDIDATES_RERANKED: Final = 500
"""Cosine candidates that are ordered again by another metric."""


class ListingRules(Struct, frozen=True):
    """What the operator decides.

    Attributes:
        max_limit: most rows on one page.
        price_currency: the currency of price bounds that name none, and of price order.
        rates: exchange rates, or None where none are known.
        data_model: name of the model that made the stored vectors.
        today: gives the current day, by which rates are judged.
    """

    max_limit: int
    price_currency: str
    rates: ExchangeRates | None
    data_model: str
    today: Callable[[], date]


class ListingService:
    """Searches listings; see the docstrings of the tools in `tools.py` for what each promises."""

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
        self._embedder = embedder
        self._standing = standing
        self._values = values
        self._rules = rules
        self._live: LiveSchema | None = None

    async def inspect(self) -> LiveSchema:
        """Compare the live tables, as they are now, with the declared ones; later calls go by it."""
        features, columns = await asyncio.gather(self._store.inspect_server(), self._store.list_columns())
        live = LiveSchema(features, columns)
        # Tables that cannot be read yet are looked at again with the next call.
        self._live = None if live.readiness().status == "unavailable" else live
        return live

    async def readiness(self) -> Readiness:
        """Say how the family stands now; never raises `VmkError`."""
        try:
            ready = (await self.inspect()).readiness()
        except VmkError as error:
            return Readiness("unavailable", (error.message,))
        reasons = (*ready.reasons, *self._standing.reasons())
        return ready if ready.status == "unavailable" or not reasons else Readiness("degraded", reasons)

    async def search_similar_listings(self, search: SimilarSearch, *, contacts: bool) -> SearchResult:
        """Find listings near in meaning to the query, nearest first.

        Raises:
            InvalidArguments: a filter contradicts itself, or the page lies too deep.
            NotOffered: the live table has no vectors, or lacks a filter's column.
        """
        live, page = await self._check(search.filters, search.pagination)
        live.require_vectors()
        resolved, vectors = await asyncio.gather(
            self._resolve(search.filters, live),
            self._embedder.embed_queries([normalize_query(search.query)]),
        )
        reranked = search.distance_metric != "cosine"
        query = SimilarQuery(
            **asdict(resolved.criteria),
            embedding=vectors[0],
            max_distance=2.0 * (1.0 - search.min_similarity),
            metric=search.distance_metric,
            limit=page.limit,
            offset=page.offset,
            contacts=contacts,
            most=CANDIDATES_RERANKED if reranked else CANDIDATES,
        )
        measured, listings, path = await self._find_similar(query, live.exact_bound)
        return await self._answer(
            Found(measured.total, listings, "meaning", path, query.most if path == "approximate" else None),
            page,
            resolved,
            hints=threshold_hints(measured, path, search.min_similarity),
        )

    async def search_by_metadata(self, search: MetadataSearch, *, contacts: bool) -> SearchResult:
        """Find listings by words, by a substring when no row holds all words, or by filters alone."""
        live, page = await self._check(search.filters, search.pagination)
        live.require(*SORT_COLUMNS[search.sort_by], purpose=f"sort_by {search.sort_by}")
        resolved = await self._resolve(search.filters, live)
        currencies, rates = comparable_rates(self._rules.price_currency, self._rules.rates)
        base = FilterQuery(
            **asdict(resolved.criteria),
            sort_by=search.sort_by,
            rate_currencies=currencies,
            rates=rates,
            limit=page.limit,
            offset=page.offset,
            contacts=contacts,
        )
        text = drop_unreadable(search.query or "").strip()
        if not text:
            matched, listings = await self._store.find_by_filters(base)
            found = Found(matched.total, listings, "filters")
            return await self._answer(found, page, resolved, hints=[])
        found = await self._find_by_text(text, base, live)
        hints = [] if found.total else ["no listing holds these words; try fewer, or search_similar_listings"]
        return await self._answer(found, page, resolved, hints=hints, text_search=live.text_configuration)

    async def get_listing_by_id(self, listing_id: int, *, contacts: bool) -> ListingCard:
        """Give one listing whatever its status; raises `NotFound`."""
        listing = await self._store.get_listing(IdQuery(listing_id, contacts))
        if listing is None:
            raise NotFound(
                f"there is no listing {listing_id}",
                hint="take listing_id from the id of a search result",
                field="listing_id",
            )
        return listing

    async def describe_schema(self) -> SchemaDescription:
        """Say what is searched, read from the live server."""
        live = self._live or await self.inspect()
        indexes, counts, values = await asyncio.gather(
            self._store.list_indexes(), self._store.count_rows(), self._values.get()
        )
        return describe(live, indexes, counts, values, model=self._rules.data_model)

    async def _check(self, filters: Filters, pagination: Pagination) -> tuple[LiveSchema, Slice]:
        page = take_slice(pagination, self._rules.max_limit)
        live = self._live or await self.inspect()
        live.require_filters(
            [name for name in filters.__struct_fields__ if getattr(filters, name) is not None]
        )
        return live, page

    async def _resolve(self, filters: Filters, live: LiveSchema) -> Resolved:
        return resolve_filters(
            filters,
            await self._values.get(),
            price_currency=self._rules.price_currency,
            rates=self._rules.rates,
            has_status=live.has("listing_status"),
        )

    async def _find_similar(
        self, query: SimilarQuery, bound: int
    ) -> tuple[Measured, list[Listing], SearchPath]:
        """Take the exact path where few rows pass, the index where many do, and the other when one fails."""
        exact = replace(query, most=2 * bound + 1)
        values = await self._values.get()
        if values.total <= bound or await self._store.estimate_matching(query) <= bound:
            measured, listings = await self._store.find_similar_exact(exact)
            if measured.examined <= 2 * bound:
                return measured, listings, "exact"
        measured, listings = await self._store.find_similar_approximate(query)
        if measured.examined < query.most:
            complete, rows = await self._store.find_similar_exact(exact)
            if complete.examined <= 2 * bound:
                return complete, rows, "exact"
        # Only now: where the other path served the first page, it serves the deep ones too.
        check_depth(query)
        return measured, listings, "approximate"

    async def _find_by_text(self, text: str, base: FilterQuery, live: LiveSchema) -> Found:
        if live.has("search_vector"):
            words = WordQuery(
                **asdict(base),
                configuration=live.text_configuration,
                query=normalize_query(text),
                raw_query=text,
            )
            matched, listings = await self._store.find_by_words(words)
            if matched.total:
                return Found(matched.total, listings, "words")
        pattern = SubstringQuery(**asdict(base), pattern=like_pattern(text))
        matched, listings = await self._store.find_by_substring(pattern)
        return Found(matched.total, listings, "substring")

    async def _answer(
        self,
        found: Found,
        page: Slice,
        resolved: Resolved,
        *,
        hints: list[str],
        text_search: str | UnsetType = UNSET,
    ) -> SearchResult:
        next_offset, page_hints = find_next(found, page)
        said = [*resolved.hints, *hints, *page_hints, *self._rate_hints(resolved.basis)]
        return SearchResult(
            total=found.total,
            total_relation="eq" if found.path == "exact" else "gte",
            limit=page.limit,
            offset=page.offset,
            has_more=next_offset is not UNSET,
            search_path=found.path,
            match=found.match,
            listings=found.listings,
            next_offset=next_offset,
            price_basis=await self._complete_basis(resolved) or UNSET,
            text_search=text_search,
            hints=said or UNSET,
        )

    def _rate_hints(self, basis: PriceBasis | None) -> list[str]:
        if basis is None or basis.rates_date is UNSET:
            return []
        age = (self._rules.today() - basis.rates_date).days
        if age <= RATES_GROW_OLD_AFTER_DAYS:
            return []
        return [f"prices were converted with rates that are {age} days old ({basis.rates_date})"]

    async def _complete_basis(self, resolved: Resolved) -> PriceBasis | None:
        """Count what a price bound left out for want of a rate."""
        basis = resolved.basis
        if basis is None or resolved.criteria.currency is not None:
            return basis
        if not set((await self._values.get()).stored("currency")) - set(basis.currencies):
            return basis
        unbounded = replace(resolved.criteria, price_currencies=None, price_minima=None, price_maxima=None)
        query = UnpricedQuery(**asdict(unbounded), priced_currencies=basis.currencies)
        return replace(basis, left_out=await self._store.count_unpriced(query))
