"""A `ListingStore` in memory that filters, orders and counts as honestly as the SQL files do."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Final

import numpy as np

from tests.listing_rows import KINDS, Row, passes
from tests.listing_shapes import join_texts, match_like, shape_result, split_words
from vmk_mcp.errors import VmkError
from vmk_mcp.listings.filters import Criteria
from vmk_mcp.listings.live import TABLES, LiveColumn, ServerFeatures
from vmk_mcp.listings.model import Listing, ListingCard, ListingRecord
from vmk_mcp.listings.normalize import normalize_query
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

FEATURES: Final = ServerFeatures(
    server_version=180_000,
    vector_version="0.8.6",
    has_trigrams=True,
    has_ukrainian=False,
    has_property_listings=True,
    has_property_types=True,
    is_superuser=False,
    has_inline_vectors=True,
)
_VALUE_FIELDS: Final = (
    "deal_type", "city", "district", "metro_station", "building_type", "renovation_status", "currency",
    "listing_status",
)  # fmt: skip
_LAST: Final = float("inf")


class FakeListingStore:
    """See `ListingStore`.

    Attributes:
        calls: names of the methods called, in order.
        estimate: what `estimate_matching` says, or None for the truth.
        index_finds: how many rows the vector index brings at most, or None for all.
        failure: raised by each call while it is set.
        columns: of the live tables; take some away to play an older table.
        features: of the live server.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows = list(rows)
        self.calls: list[str] = []
        self.estimate: int | None = None
        self.index_finds: int | None = None
        self.failure: VmkError | None = None
        self.columns = {(table, name) for table, names in TABLES.items() for name in names}
        self.features = FEATURES

    async def find_similar_exact(self, query: SimilarQuery) -> tuple[Measured, list[Listing]]:
        """See `ListingStore.find_similar_exact`."""
        self._called("find_similar_exact")
        return self._measure(self._embedded(query)[: query.most], query)

    async def find_similar_approximate(self, query: SimilarQuery) -> tuple[Measured, list[Listing]]:
        """See `ListingStore.find_similar_approximate`."""
        self._called("find_similar_approximate")
        rows = sorted(self._embedded(query), key=lambda row: _cosine(row, query))
        return self._measure(rows[: self.index_finds][: query.most], query)

    async def estimate_matching(self, criteria: Criteria) -> int:
        """See `ListingStore.estimate_matching`."""
        self._called("estimate_matching")
        return len(self._passing(criteria)) if self.estimate is None else self.estimate

    async def probe_nearest(self, query: SimilarQuery | HybridQuery) -> int:
        """See `ListingStore.probe_nearest`."""
        self._called("probe_nearest")
        embedded = [row for row in self.rows if row.embedding is not None]
        nearest = sorted(embedded, key=lambda row: _cosine(row, query))[: query.most]
        return sum(passes(query, row.record) for row in nearest)

    async def find_by_filters(self, query: FilterQuery) -> tuple[Matched, list[Listing]]:
        """See `ListingStore.find_by_filters`."""
        self._called("find_by_filters")
        return self._page(self._passing(query), query)

    async def find_by_words(self, query: WordQuery) -> tuple[Matched, list[Listing]]:
        """See `ListingStore.find_by_words`; words have no inflections here."""
        self._called("find_by_words")
        forms = [split_words(query.query), split_words(query.raw_query)]
        rows = [
            row
            for row in self._passing(query)
            if any(form and form <= split_words(normalize_query(join_texts(row.record))) for form in forms)
        ]
        return self._page(rows, query, rank_score=0.1)

    async def find_by_substring(self, query: SubstringQuery) -> tuple[Matched, list[Listing]]:
        """See `ListingStore.find_by_substring`."""
        self._called("find_by_substring")
        fits = match_like(query.pattern)
        rows = [
            row
            for row in self._passing(query)
            if any(fits(text) for text in (row.record.title, row.record.description, row.record.address_raw))
        ]
        return self._page(rows, query)

    async def find_newest(self, query: NewestQuery) -> tuple[Seen, list[Listing]]:
        """See `ListingStore.find_newest`."""
        self._called("find_newest")
        rows = sorted(self._passing(query), key=lambda row: (_newest_first(row.record), row.record.id))
        end = query.offset + query.limit
        page = rows[query.offset : end]
        listings = [
            shape_result(Listing, row.record, contacts=query.contacts, full=query.full) for row in page
        ]
        return Seen(min(len(rows), end + 1)), listings

    async def find_hybrid_exact(self, query: HybridQuery) -> tuple[Fused, list[Listing]]:
        """Fusion and figures of the market are tried on Postgres alone."""
        raise NotImplementedError

    async def find_hybrid_approximate(self, query: HybridQuery) -> tuple[Fused, list[Listing]]:
        """See `find_hybrid_exact`."""
        raise NotImplementedError

    async def summarize_market(self, query: MarketQuery) -> Sequence[MarketRow]:
        """See `find_hybrid_exact`."""
        raise NotImplementedError

    async def summarize_database(self) -> Sequence[OverviewRow]:
        """See `find_hybrid_exact`."""
        raise NotImplementedError

    async def count_unpriced(self, query: UnpricedQuery) -> int:
        """See `ListingStore.count_unpriced`."""
        self._called("count_unpriced")
        prices = [(row.record.currency, row.record.price) for row in self._passing(query)]
        return sum(
            currency is not None and price is not None and currency not in query.priced_currencies
            for currency, price in prices
        )

    async def get_listing(self, query: IdQuery) -> ListingCard | None:
        """See `ListingStore.get_listing`."""
        self._called("get_listing")
        found = [row.record for row in self.rows if row.record.id == query.listing_id]
        return shape_result(ListingCard, found[0], contacts=query.contacts) if found else None

    async def list_listings(self, query: IdsQuery) -> Sequence[ListingCard]:
        """See `ListingStore.list_listings`."""
        self._called("list_listings")
        records = sorted((row.record for row in self.rows), key=lambda record: record.id)
        return [
            shape_result(ListingCard, record, contacts=query.contacts)
            for record in records
            if record.id in query.listing_ids
        ]

    async def get_embedding(self, query: ListingKey) -> StoredEmbedding | None:
        """See `ListingStore.get_embedding`."""
        self._called("get_embedding")
        found = [row for row in self.rows if row.record.id == query.listing_id]
        return StoredEmbedding(query.listing_id, found[0].embedding) if found else None

    async def list_values(self) -> Sequence[StoredValue]:
        """See `ValueStore.list_values`."""
        self._called("list_values")
        counts = Counter(
            (field, value)
            for field in _VALUE_FIELDS
            for row in self.rows
            if (value := getattr(row.record, field)) is not None
        )
        ordered = sorted(counts.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))
        return [StoredValue(field, value, count) for (field, value), count in ordered]

    async def list_property_types(self) -> Sequence[PropertyType]:
        """See `ValueStore.list_property_types`."""
        self._called("list_property_types")
        return [PropertyType(kind.id, kind.slug, kind.name) for kind in KINDS]

    async def list_columns(self) -> Sequence[LiveColumn]:
        """See `ListingStore.list_columns`."""
        self._called("list_columns")
        return [
            LiveColumn(table, name, "vector(768)" if name == "embedding" else "text", None)
            for table, names in TABLES.items()
            for name in names
            if (table, name) in self.columns
        ]

    async def list_indexes(self) -> Sequence[LiveIndex]:
        """See `ListingStore.list_indexes`."""
        self._called("list_indexes")
        return [LiveIndex("property_listings", "by_city", "CREATE INDEX by_city ON property_listings (city)")]

    async def count_rows(self) -> RowCounts:
        """See `ListingStore.count_rows`."""
        self._called("count_rows")
        return RowCounts(len(self.rows), len(KINDS))

    async def inspect_server(self) -> ServerFeatures:
        """See `ListingStore.inspect_server`."""
        self._called("inspect_server")
        return self.features

    async def pick_embedded(self, query: PickQuery) -> Sequence[EmbeddedListing]:
        """See `ListingStore.pick_embedded`."""
        self._called("pick_embedded")
        return [
            EmbeddedListing(row.record.id, row.embedding)
            for row in sorted(self.rows, key=lambda row: row.record.id)
            if row.embedding is not None
        ][: query.limit]

    def _called(self, method: str) -> None:
        self.calls.append(method)
        if self.failure is not None:
            raise self.failure

    def _passing(self, criteria: Criteria) -> list[Row]:
        return [row for row in self.rows if passes(criteria, row.record)]

    def _embedded(self, query: SimilarQuery) -> list[Row]:
        passing = self._passing(query)
        return [row for row in passing if row.embedding is not None and row.record.id != query.excluded_id]

    def _measure(self, rows: list[Row], query: SimilarQuery) -> tuple[Measured, list[Listing]]:
        near = [row for row in rows if _cosine(row, query) <= query.max_distance]
        near.sort(key=lambda row: (_distance(row, query), row.record.id))
        page = near[query.offset : query.offset + query.limit]
        listings = [
            shape_result(
                Listing,
                row.record,
                contacts=query.contacts,
                full=query.full,
                similarity_score=round(1 - _cosine(row, query) / 2, 4),
                distance=None if query.metric == "cosine" else _distance(row, query),
            )
            for row in page
        ]
        return Measured(len(rows), len(near)), listings

    def _page(
        self, rows: list[Row], query: FilterQuery, rank_score: float | None = None
    ) -> tuple[Matched, list[Listing]]:
        rows = sorted(rows, key=lambda row: (*_sort_key(row.record, query), row.record.id))
        page = rows[query.offset : query.offset + query.limit]
        return Matched(len(rows)), [
            shape_result(Listing, row.record, contacts=query.contacts, full=query.full, rank_score=rank_score)
            for row in page
        ]


def _sort_key(record: ListingRecord, query: FilterQuery) -> tuple[float, int]:
    rates = dict(zip(query.rate_currencies, query.rates, strict=True))
    price = None if record.price is None else rates.get(record.currency or "") and record.price
    own = float(price / rates[record.currency or ""]) if price is not None else None
    keys = {
        "price_asc": _LAST if own is None else own,
        "price_desc": _LAST if own is None else -own,
        "area_desc": _LAST if record.total_area is None else -record.total_area,
    }
    return keys.get(query.sort_by, 0.0), _newest_first(record)


def _newest_first(record: ListingRecord) -> int:
    return -(record.publish_date or date.min).toordinal()


def _cosine(row: Row, query: SimilarQuery | HybridQuery) -> float:
    assert row.embedding is not None
    lengths = np.linalg.norm(row.embedding) * np.linalg.norm(query.embedding)
    return float(1 - row.embedding @ query.embedding / lengths)


def _distance(row: Row, query: SimilarQuery) -> float:
    assert row.embedding is not None
    if query.metric == "l2":
        return float(np.linalg.norm(row.embedding - query.embedding))
    if query.metric == "inner_product":
        return float(-(row.embedding @ query.embedding))
    return _cosine(row, query)
