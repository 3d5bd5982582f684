"""The rules of searching listings: routing, totals, fallbacks and what the caller is told."""

import asyncio
from collections.abc import Callable
from datetime import date
from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict, replace

from vmk_mcp.errors import InvalidArguments, NotFound, VmkError
from vmk_mcp.listings.arguments import DEFAULT_LIMIT, MetadataSearch, Pagination, SimilarSearch
from vmk_mcp.listings.criteria import Resolved, resolve_filters
from vmk_mcp.listings.filters import Filters
from vmk_mcp.listings.live import LiveSchema
from vmk_mcp.listings.model import Listing, ListingCard, PriceBasis, SchemaDescription, SearchResult
from vmk_mcp.listings.money import RATES_GROW_OLD_AFTER_DAYS, ExchangeRates, comparable_rates
from vmk_mcp.listings.normalize import like_pattern, normalize_query
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
        """Compare the live tables with the declared ones; once, until it has succeeded."""
        if self._live is None:
            features, columns = await asyncio.gather(self._store.inspect_server(), self._store.list_columns())
            self._live = LiveSchema(features, columns)
        return self._live

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
        live.require("embedding", purpose="search by meaning")
        resolved, vectors = await asyncio.gather(
            self._resolve(search.filters),
            self._embedder.embed_queries([normalize_query(search.query) or search.query]),
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
            _Found(measured.total, listings, "meaning", path),
            page,
            resolved,
            hints=_threshold_hints(measured, path, search.min_similarity),
        )

    async def search_by_metadata(self, search: MetadataSearch, *, contacts: bool) -> SearchResult:
        """Find listings by words, by a substring when no row holds all words, or by filters alone."""
        live, page = await self._check(search.filters, search.pagination)
        resolved = await self._resolve(search.filters)
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
        if search.query is None or not search.query.strip():
            matched, listings = await self._store.find_by_filters(base)
            found = _Found(matched.total, listings, "filters", "exact")
            return await self._answer(found, page, resolved, hints=[])
        found = await self._find_by_text(search.query, base, live)
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
        live = await self.inspect()
        indexes, counts, values = await asyncio.gather(
            self._store.list_indexes(), self._store.count_rows(), self._values.get()
        )
        return describe(live, indexes, counts, values, model=self._rules.data_model)

    async def _check(self, filters: Filters, pagination: Pagination) -> tuple[LiveSchema, "_Slice"]:
        most = self._rules.max_limit
        limit = min(DEFAULT_LIMIT, most) if pagination.limit is UNSET else pagination.limit
        if limit > most:
            raise InvalidArguments(
                f"pagination.limit is {limit}, the most is {most} (MAX_LIMIT)",
                hint=f"ask for {most} or fewer and walk on by offset",
                field="pagination.limit",
            )
        live = self._live or await self.inspect()
        live.require_filters(
            [name for name in filters.__struct_fields__ if getattr(filters, name) is not None]
        )
        return live, _Slice(limit, pagination.offset)

    async def _resolve(self, filters: Filters) -> Resolved:
        values = await self._values.get()
        return resolve_filters(
            filters, values, price_currency=self._rules.price_currency, rates=self._rules.rates
        )

    async def _find_similar(
        self, query: SimilarQuery, bound: int
    ) -> tuple[Measured, list[Listing], Literal["exact", "approximate"]]:
        """Take the exact path where few rows pass, the index where many do, and the other when one fails."""
        exact = replace(query, most=2 * bound + 1)
        values = await self._values.get()
        if values.total <= bound or await self._store.estimate_matching(query) <= bound:
            measured, listings = await self._store.find_similar_exact(exact)
            if measured.examined <= 2 * bound:
                return measured, listings, "exact"
        _check_depth(query)
        measured, listings = await self._store.find_similar_approximate(query)
        if measured.examined < query.most:
            complete, rows = await self._store.find_similar_exact(exact)
            if complete.examined <= 2 * bound:
                return complete, rows, "exact"
        return measured, listings, "approximate"

    async def _find_by_text(self, text: str, base: FilterQuery, live: LiveSchema) -> "_Found":
        if live.has("search_vector"):
            words = WordQuery(
                **asdict(base),
                configuration=live.text_configuration,
                query=normalize_query(text),
                raw_query=text.replace("\0", ""),
            )
            matched, listings = await self._store.find_by_words(words)
            if matched.total:
                return _Found(matched.total, listings, "words", "exact")
        pattern = SubstringQuery(**asdict(base), pattern=like_pattern(text))
        matched, listings = await self._store.find_by_substring(pattern)
        return _Found(matched.total, listings, "substring", "exact")

    async def _answer(
        self,
        found: "_Found",
        page: "_Slice",
        resolved: Resolved,
        *,
        hints: list[str],
        text_search: str | UnsetType = UNSET,
    ) -> SearchResult:
        end = page.offset + len(found.listings)
        exact = found.path == "exact"
        has_more = bool(found.listings) and end < found.total
        said = [*resolved.hints, *hints, *self._rate_hints(resolved.basis)]
        return SearchResult(
            total=found.total,
            total_relation="eq" if exact else "gte",
            limit=page.limit,
            offset=page.offset,
            has_more=has_more,
            search_path=found.path,
            match=found.match,
            listings=found.listings,
            next_offset=end if has_more else UNSET,
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
        if basis is None or self._rules.rates is not None or resolved.criteria.currency is not None:
            return basis
        unbounded = replace(resolved.criteria, price_currencies=None, price_minima=None, price_maxima=None)
        query = UnpricedQuery(**asdict(unbounded), priced_currencies=basis.currencies)
        return replace(basis, left_out=await self._store.count_unpriced(query))


class _Slice(Struct, frozen=True):
    limit: int
    offset: int


class _Found(Struct, frozen=True):
    total: int
    listings: list[Listing]
    match: Literal["meaning", "words", "substring", "filters"]
    path: Literal["exact", "approximate"]


def _check_depth(query: SimilarQuery) -> None:
    if query.offset + query.limit > query.most:
        raise InvalidArguments(
            f"pagination reaches row {query.offset + query.limit}; so many listings pass that only the "
            f"{query.most} nearest are ranked",
            hint="narrow the search with filters, or use search_by_metadata to walk through all of them",
            field="pagination.offset",
        )


def _threshold_hints(measured: Measured, path: str, min_similarity: float) -> list[str]:
    dropped = measured.examined - measured.total
    if path != "exact" or not dropped:
        return []
    return [f"{dropped} more listings pass the filters but lie below min_similarity {min_similarity:g}"]
