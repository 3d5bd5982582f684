"""The listings' database and embedder, played in memory: filters, words and meaning over the made-up rows.

Some ids and words bring on a failure, so that each failure has a request of its own (see `TROUBLES`).
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
import numpy as np

from tests.contract.played_filters import passes
from tests.contract.played_rows import COLUMNS, FEATURES, INDEXES, PROPERTY_TYPES, ROWS
from vmk_mcp.database.failures import translate
from vmk_mcp.embedding.failures import Server, unreachable
from vmk_mcp.listings.filters import Criteria
from vmk_mcp.listings.live import LiveColumn, ServerFeatures
from vmk_mcp.listings.model import Listing, ListingCard, ListingRecord
from vmk_mcp.listings.queries import (
    EmbeddedListing,
    FilterQuery,
    IdQuery,
    LiveIndex,
    Matched,
    Measured,
    PickQuery,
    RowCounts,
    SimilarQuery,
    SubstringQuery,
    UnpricedQuery,
    Vector,
    Vectors,
    WordQuery,
)
from vmk_mcp.listings.values import PropertyType, StoredValue

DIMENSIONS: Final = 768
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

_NAMED: Final = (
    "deal_type",
    "city",
    "district",
    "metro_station",
    "building_type",
    "renovation_status",
    "currency",
    "listing_status",
)
_STEM: Final = 5
"""Letters by which two forms of one Ukrainian word are held for the same."""


class PlayedEmbedder:
    """See `QueryEmbedder`: a text is the sum of one axis for each of its words."""

    model = "nomic-embed-text"

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `QueryEmbedder.embed_queries`."""
        if SILENT_EMBEDDER in texts:
            raise unreachable(OLLAMA)
        return np.array([embed(text) for text in texts], dtype=np.float32)

    def reasons(self) -> Sequence[str]:
        """See `Standing.reasons`."""
        return ()


class PlayedListingStore:
    """See `ListingStore`, over rows in memory; nothing in it is approximate."""

    def __init__(self, rows: Sequence[ListingRecord] = ROWS) -> None:
        self._rows = {row.id: row for row in rows}

    async def find_similar_exact(self, query: SimilarQuery) -> tuple[Measured, list[Listing]]:
        """See `ListingStore.find_similar_exact`."""
        passing = self._passing(query)
        distances = {row.id: 1.0 - float(embed(_text_of(row)) @ query.embedding) for row in passing}
        near = [row for row in passing if distances[row.id] <= query.max_distance]
        near.sort(key=lambda row: (distances[row.id], -row.id))
        shown = [
            _listing(row, contacts=query.contacts, similarity_score=_score(distances[row.id]))
            for row in near[query.offset : query.offset + query.limit]
        ]
        return Measured(len(passing), len(near)), shown

    async def find_similar_approximate(self, query: SimilarQuery) -> tuple[Measured, list[Listing]]:
        """See `ListingStore.find_similar_approximate`."""
        return await self.find_similar_exact(query)

    async def estimate_matching(self, criteria: Criteria) -> int:
        """See `ListingStore.estimate_matching`."""
        return len(self._passing(criteria))

    async def find_by_filters(self, query: FilterQuery) -> tuple[Matched, list[Listing]]:
        """See `ListingStore.find_by_filters`."""
        return _page(self._passing(query), query)

    async def find_by_words(self, query: WordQuery) -> tuple[Matched, list[Listing]]:
        """See `ListingStore.find_by_words`."""
        wanted = _stems(query.query)
        holding = [row for row in self._passing(query) if wanted and wanted <= _stems(_text_of(row))]
        return _page(holding, query, rank_score=0.1)

    async def find_by_substring(self, query: SubstringQuery) -> tuple[Matched, list[Listing]]:
        """See `ListingStore.find_by_substring`."""
        text = query.pattern.strip("%").casefold()
        return _page([row for row in self._passing(query) if text in _text_of(row).casefold()], query)

    async def count_unpriced(self, query: UnpricedQuery) -> int:
        """See `ListingStore.count_unpriced`."""
        return sum(row.currency not in query.priced_currencies for row in self._passing(query))

    async def get_listing(self, query: IdQuery) -> ListingCard | None:
        """See `ListingStore.get_listing`."""
        if query.listing_id in TROUBLES:
            raise TROUBLES[query.listing_id]()
        if query.listing_id == LONG_LISTING:
            return _card(ListingRecord(id=LONG_LISTING, title="Палац", description="довго " * 20_000), query)
        row = self._rows.get(query.listing_id)
        return None if row is None else _card(row, query)

    async def list_values(self) -> Sequence[StoredValue]:
        """See `ValueStore.list_values`."""
        counts = Counter((field, getattr(row, field)) for field in _NAMED for row in self._rows.values())
        found = [
            StoredValue(field, value, count) for (field, value), count in counts.items() if value is not None
        ]
        return sorted(found, key=lambda stored: (stored.field, -stored.listings, stored.value))

    async def list_property_types(self) -> Sequence[PropertyType]:
        """See `ValueStore.list_property_types`."""
        return PROPERTY_TYPES

    async def list_columns(self) -> Sequence[LiveColumn]:
        """See `ListingStore.list_columns`."""
        return COLUMNS

    async def list_indexes(self) -> Sequence[LiveIndex]:
        """See `ListingStore.list_indexes`."""
        return INDEXES

    async def count_rows(self) -> RowCounts:
        """See `ListingStore.count_rows`."""
        return RowCounts(len(self._rows), len(PROPERTY_TYPES))

    async def inspect_server(self) -> ServerFeatures:
        """See `ListingStore.inspect_server`."""
        return FEATURES

    async def pick_embedded(self, query: PickQuery) -> Sequence[EmbeddedListing]:
        """See `ListingStore.pick_embedded`."""
        rows = list(self._rows.values())[: query.limit]
        return [EmbeddedListing(row.id, embed(_text_of(row))) for row in rows]

    def _passing(self, criteria: Criteria) -> list[ListingRecord]:
        return [row for row in self._rows.values() if passes(row, criteria)]


def embed(text: str) -> Vector:
    """Give the unit vector of the words of `text`."""
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    for stem in _stems(text):
        axis = int.from_bytes(hashlib.blake2b(stem.encode(), digest_size=4).digest()) % DIMENSIONS
        vector[axis] = 1.0
    unit: Vector = vector / max(float(np.linalg.norm(vector)), 1.0)
    return unit


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"\w{2,}", text.casefold())}


def _text_of(row: ListingRecord) -> str:
    return f"{row.title} {row.description or ''}"


def _score(distance: float) -> float:
    # Rounded: the last digits of a product of vectors differ from one processor to another.
    return round(1.0 - distance / 2.0, 4)


def _page(
    rows: Sequence[ListingRecord], query: FilterQuery, rank_score: float | None = None
) -> tuple[Matched, list[Listing]]:
    rates = dict(zip(query.rate_currencies, query.rates, strict=True))

    def worth(row: ListingRecord) -> float:
        rate = rates.get(row.currency or "")
        return float("inf") if row.price is None or rate is None else float(row.price / rate)

    ordered = sorted(rows, key=lambda row: (str(row.publish_date or ""), row.id), reverse=True)
    if query.sort_by == "price_asc":
        ordered.sort(key=worth)
    elif query.sort_by == "price_desc":
        ordered.sort(key=lambda row: -worth(row) if worth(row) != float("inf") else float("inf"))
    elif query.sort_by == "area_desc":
        ordered.sort(key=lambda row: -(row.total_area or 0.0))
    shown = ordered[query.offset : query.offset + query.limit]
    return Matched(len(rows)), [
        _listing(row, contacts=query.contacts, rank_score=rank_score) for row in shown
    ]


def _values_of(row: ListingRecord, *, contacts: bool) -> dict[str, object]:
    price = None if row.price is None else float(row.price)
    known = {kind.id: kind.name for kind in PROPERTY_TYPES}
    values = msgspec.structs.asdict(row) | {
        "price": price,
        "price_per_m2": round(price / row.total_area, 2) if price and row.total_area else None,
        "property_type": known.get(row.property_type_id or 0),
    }
    return values if contacts else values | {"contact_phone": None, "contact_name": None}


def _listing(
    row: ListingRecord,
    *,
    contacts: bool,
    similarity_score: float | None = None,
    rank_score: float | None = None,
) -> Listing:
    empty = dict.fromkeys(Listing.__struct_fields__)
    scores = {"similarity_score": similarity_score, "rank_score": rank_score}
    return msgspec.convert(empty | _values_of(row, contacts=contacts) | scores, Listing)


def _card(row: ListingRecord, query: IdQuery) -> ListingCard:
    return msgspec.convert(_values_of(row, contacts=query.contacts), ListingCard)
