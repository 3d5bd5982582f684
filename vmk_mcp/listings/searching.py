"""The four searches: by meaning, like another listing, by words and filters, and both fused."""

from typing import Final

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict, replace

from vmk_mcp.errors import EmbeddingUnavailable, NotFound
from vmk_mcp.listings.arguments import HybridSearch, MetadataSearch, SimilarSearch, SimilarToListing
from vmk_mcp.listings.criteria import Resolved, named_values
from vmk_mcp.listings.filters import Criteria
from vmk_mcp.listings.framing import SearchFrame
from vmk_mcp.listings.live import SORT_COLUMNS, LiveSchema
from vmk_mcp.listings.money import comparable_rates
from vmk_mcp.listings.normalize import like_pattern, normalize_query
from vmk_mcp.listings.page import Found, Slice, check_depth, threshold_hints
from vmk_mcp.listings.ports import ListingStore, QueryEmbedder
from vmk_mcp.listings.queries import (
    FilterQuery,
    HybridQuery,
    ListingKey,
    NewestQuery,
    SimilarQuery,
    SubstringQuery,
    Vector,
    WordQuery,
)
from vmk_mcp.listings.results import SearchPath, SearchResult
from vmk_mcp.listings.routing import CANDIDATES, CANDIDATES_RERANKED, Extent, Routes, find_by_vector
from vmk_mcp.listings.values import LiveValues
from vmk_mcp.listings.words import shortening_hints, words_of

BRANCH_DEPTH: Final = 200
"""Listings that each branch of a hybrid search gives to the fusion."""

_ANY_DISTANCE: Final = 2.0
_LONGEST_SUBSTRING: Final = 200
_NEWEST_FIRST: Final = frozenset({"relevance", "date_desc"})


class ListingSearch:
    """Searches; each method raises `InvalidArguments`, `NotOffered` and what the store raises."""

    def __init__(
        self, frame: SearchFrame, store: ListingStore, values: LiveValues, embedder: QueryEmbedder
    ) -> None:
        self._frame = frame
        self._store = store
        self._values = values
        self._embedder = embedder

    async def by_meaning(self, search: SimilarSearch, *, contacts: bool) -> SearchResult:
        """Find listings near in meaning to the query, nearest first; raises `EmbeddingUnavailable`."""
        wishes = await self._frame.read_wishes(search.query, search.filters, interpreted=search.interpret)
        live, page = await self._frame.begin(wishes.filters, search.pagination)
        live.require_vectors()
        resolved = await self._frame.resolve(wishes.filters, live)
        vectors = await self._embedder.embed_queries([normalize_query(wishes.text)])
        query = SimilarQuery(
            **asdict(resolved.criteria),
            **asdict(page),
            embedding=vectors[0],
            max_distance=_max_distance(search.min_similarity),
            metric=search.distance_metric,
            contacts=contacts,
            full=search.detail == "full",
        )
        found = await self._find_similar(query, page, live)
        return await self._frame.finish(found, page, resolved, wishes.account)

    async def like_listing(self, search: SimilarToListing, *, contacts: bool) -> SearchResult:
        """Find listings near in meaning to a stored one, itself left out; raises `NotFound`."""
        live, page = await self._frame.begin(search.filters, search.pagination)
        live.require_vectors()
        resolved = await self._frame.resolve(search.filters, live)
        stored = await self._store.get_embedding(ListingKey(search.listing_id))
        if stored is None:
            raise no_listing(search.listing_id)
        if stored.embedding is None:
            raise NotFound(
                f"Listing {search.listing_id} has no vector yet.",
                hint="Search by its words with search_similar_listings.",
                field="listing_id",
            )
        query = SimilarQuery(
            **asdict(resolved.criteria),
            **asdict(page),
            embedding=stored.embedding,
            max_distance=_max_distance(search.min_similarity),
            metric="cosine",
            contacts=contacts,
            full=search.detail == "full",
            excluded_id=search.listing_id,
        )
        return await self._frame.finish(await self._find_similar(query, page, live), page, resolved)

    async def by_metadata(self, search: MetadataSearch, *, contacts: bool) -> SearchResult:
        """Find listings by words, by a substring when no row holds all words, or by filters alone."""
        wishes = await self._frame.read_wishes(
            search.query or "", search.filters, interpreted=search.interpret
        )
        live, page = await self._frame.begin(wishes.filters, search.pagination)
        live.require(*SORT_COLUMNS[search.sort_by], purpose=f"Sorting by {search.sort_by}")
        resolved = await self._frame.resolve(wishes.filters, live)
        query = self._sorted(resolved, page, search, contacts=contacts)
        if wishes.rest:
            found = await self._find_by_text(wishes.rest, query, live)
        elif (
            search.sort_by in _NEWEST_FIRST
            and not search.exact_total
            and await self._frame.is_large(resolved, live)
        ):
            found = await self._find_newest(query, resolved)
        else:
            matched, listings = await self._store.find_by_filters(query)
            found = Found(matched.total, listings, "filters")
        return await self._frame.finish(found, page, resolved, wishes.account)

    async def hybrid(self, search: HybridSearch, *, contacts: bool) -> SearchResult:
        """Find listings by meaning and by words, fused by reciprocal rank; words alone without embedder."""
        wishes = await self._frame.read_wishes(search.query, search.filters, interpreted=search.interpret)
        live, page = await self._frame.begin(wishes.filters, search.pagination)
        live.require_vectors()
        live.require("search_vector", purpose="Hybrid search")
        resolved = await self._frame.resolve(wishes.filters, live)
        vector = await self._embed_if_possible(wishes.text)
        if vector is None:
            words = self._sorted(resolved, page, MetadataSearch(detail=search.detail), contacts=contacts)
            found = await self._find_by_text(wishes.rest or wishes.text, words, live)
            found = replace(found, degraded="embedding_unavailable")
            return await self._frame.finish(found, page, resolved, wishes.account)
        least = search.min_similarity
        query = HybridQuery(
            **asdict(resolved.criteria),
            **asdict(page),
            embedding=vector,
            max_distance=_ANY_DISTANCE if least is None else _max_distance(least),
            configuration=live.text_configuration,
            **asdict(words_of(wishes.rest)),
            depth=BRANCH_DEPTH,
            contacts=contacts,
            full=search.detail == "full",
        )
        found = await self._fuse(query, live)
        found = replace(found, hints=[*found.hints, *shortening_hints(wishes.rest)])
        return await self._frame.finish(found, page, resolved, wishes.account)

    async def _find_similar(self, query: SimilarQuery, page: Slice, live: LiveSchema) -> Found:
        most = CANDIDATES if query.metric == "cosine" else CANDIDATES_RERANKED
        store = self._store
        routes = Routes(
            store.find_similar_exact,
            store.find_similar_approximate,
            store.estimate_matching,
            store.probe_nearest,
        )
        extent = await self._measure(query, live)
        measured, listings, path = await find_by_vector(query, routes, extent, most=most)
        if path == "approximate":
            # Only now: where the other path served the first page, it serves the deep ones too.
            check_depth(page, most)
        return Found(
            measured.total,
            listings,
            "meaning",
            path,
            is_complete=path == "exact",
            deepest=most if path == "approximate" else None,
            degraded=_shortcoming(live, path),
            hints=threshold_hints(measured, path, query.max_distance),
        )

    async def _fuse(self, query: HybridQuery, live: LiveSchema) -> Found:
        store = self._store
        routes = Routes(
            store.find_hybrid_exact,
            store.find_hybrid_approximate,
            store.estimate_matching,
            store.probe_nearest,
        )
        extent = await self._measure(query, live)
        fused, listings, path = await find_by_vector(query, routes, extent, most=CANDIDATES)
        return Found(
            fused.total,
            listings,
            "hybrid",
            path,
            is_complete=path == "exact" and max(fused.by_meaning, fused.by_words) < BRANCH_DEPTH,
            text_search=query.configuration,
            degraded=_shortcoming(live, path),
            hints=_unheld_hints(fused.unheld),
        )

    async def _measure(self, criteria: Criteria, live: LiveSchema) -> Extent:
        values = await self._values.get()
        return Extent(values.total, values.at_most(named_values(criteria)), live.exact_bound)

    async def _embed_if_possible(self, text: str) -> Vector | None:
        try:
            vectors = await self._embedder.embed_queries([normalize_query(text)])
        except EmbeddingUnavailable:
            return None
        first: Vector = vectors[0]
        return first

    def _sorted(
        self, resolved: Resolved, page: Slice, search: MetadataSearch, *, contacts: bool
    ) -> FilterQuery:
        currencies, rates = comparable_rates(self._frame.rules.price_currency, self._frame.rules.rates)
        return FilterQuery(
            **asdict(resolved.criteria),
            **asdict(page),
            sort_by=search.sort_by,
            rate_currencies=currencies,
            rates=rates,
            contacts=contacts,
            full=search.detail == "full",
        )

    async def _find_newest(self, query: FilterQuery, resolved: Resolved) -> Found:
        newest = NewestQuery(
            **asdict(resolved.criteria),
            limit=query.limit,
            offset=query.offset,
            contacts=query.contacts,
            full=query.full,
        )
        seen, listings = await self._store.find_newest(newest)
        if not listings and query.offset:
            # Past the end: only a count tells where that is.
            matched, _ = await self._store.find_by_filters(query)
            return Found(matched.total, [], "filters")
        return Found(seen.seen, listings, "filters", is_complete=seen.seen <= query.offset + query.limit)

    async def _find_by_text(self, text: str, query: FilterQuery, live: LiveSchema) -> Found:
        configuration = live.text_configuration
        if live.has("search_vector"):
            words = WordQuery(**asdict(query), **asdict(words_of(text)), configuration=configuration)
            matched, listings = await self._store.find_by_words(words)
            if matched.total:
                hints = shortening_hints(text)
                return Found(matched.total, listings, "words", text_search=configuration, hints=hints)
        pattern = SubstringQuery(**asdict(query), pattern=like_pattern(text[:_LONGEST_SUBSTRING]))
        matched, listings = await self._store.find_by_substring(pattern)
        hints = [] if matched.total else ["no listing holds these words; try fewer, or hybrid_search"]
        return Found(matched.total, listings, "substring", text_search=configuration, hints=hints)


def no_listing(listing_id: int) -> NotFound:
    """Say that there is no listing of that id."""
    return NotFound(
        f"There is no listing {listing_id}.",
        hint="Take listing_id from the id of a search result.",
        field="listing_id",
    )


def _max_distance(min_similarity: float) -> float:
    """Give the cosine distance of which `1 - distance / 2` makes `min_similarity`."""
    return 2.0 * (1.0 - min_similarity)


def _unheld_hints(words: list[str]) -> list[str]:
    """Say which words nothing holds: what was found by meaning alone may then be beside the point."""
    return [f"no listing holds: {', '.join(words)}"] if words else []


def _shortcoming(live: LiveSchema, path: SearchPath) -> str | UnsetType:
    return "incomplete_index_scan" if path == "approximate" and not live.scans_iteratively else UNSET
