"""What the listings service needs from the world."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from vmk_mcp.listings.filters import Criteria
from vmk_mcp.listings.live import LiveColumn, ServerFeatures
from vmk_mcp.listings.model import Listing, ListingCard
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
from vmk_mcp.listings.values import ValueStore


class QueryEmbedder(Protocol):
    """Turns queries into vectors."""

    @property
    def model(self) -> str:
        """The model's name."""

    async def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give shape (n, 768) float32, unit rows; raises `EmbeddingUnavailable`."""


class Standing(Protocol):
    """How the embedder stands."""

    def reasons(self) -> Sequence[str]:
        """Give what is wrong with it at the moment, in sentences."""


class ListingStore(ValueStore, Protocol):
    """The database as this service needs it.

    Every method raises `StoreUnavailable`, `TooSlow` or `NotOffered`.
    """

    async def find_similar_exact(self, query: SimilarQuery) -> tuple[Measured, list[Listing]]:
        """Measure every row that passes the filters, at most `most`."""

    async def find_similar_approximate(self, query: SimilarQuery) -> tuple[Measured, list[Listing]]:
        """Take `most` candidates from the vector index among rows that pass, and sort them again."""

    async def estimate_matching(self, criteria: Criteria) -> int:
        """Guess how many rows pass, without looking at them."""

    async def probe_nearest(self, query: SimilarQuery | HybridQuery) -> int:
        """Count those of the `most` listings nearest to the vector that pass the filters."""

    async def find_by_filters(self, query: FilterQuery) -> tuple[Matched, list[Listing]]:
        """Give a sorted page of the rows that pass."""

    async def find_by_words(self, query: WordQuery) -> tuple[Matched, list[Listing]]:
        """Give a sorted page of the rows that hold all words and pass."""

    async def find_by_substring(self, query: SubstringQuery) -> tuple[Matched, list[Listing]]:
        """Give a sorted page of the rows that hold the text and pass."""

    async def find_newest(self, query: NewestQuery) -> tuple[Seen, list[Listing]]:
        """Give a page of the newest rows that pass, without counting all of them."""

    async def find_hybrid_exact(self, query: HybridQuery) -> tuple[Fused, list[Listing]]:
        """Fuse words with meaning, measuring every row that passes, at most `most`."""

    async def find_hybrid_approximate(self, query: HybridQuery) -> tuple[Fused, list[Listing]]:
        """Fuse words with meaning, taking `most` candidates from the vector index."""

    async def summarize_market(self, query: MarketQuery) -> Sequence[MarketRow]:
        """Give prices by group and currency, largest group first."""

    async def summarize_database(self) -> Sequence[OverviewRow]:
        """Give counts and price ranges of active listings by deal type and currency."""

    async def count_unpriced(self, query: UnpricedQuery) -> int:
        """Count rows that pass but are priced in other currencies."""

    async def get_listing(self, query: IdQuery) -> ListingCard | None:
        """Give one listing whatever its status, or None."""

    async def list_listings(self, query: IdsQuery) -> Sequence[ListingCard]:
        """Give those of the listings that exist, whatever their status, by id."""

    async def get_embedding(self, query: ListingKey) -> StoredEmbedding | None:
        """Give the stored vector of one listing, or None for an unknown id."""

    async def list_columns(self) -> Sequence[LiveColumn]:
        """Give the columns of the live tables."""

    async def list_indexes(self) -> Sequence[LiveIndex]:
        """Give the indexes of the live tables."""

    async def count_rows(self) -> RowCounts:
        """Count the rows of the live tables."""

    async def inspect_server(self) -> ServerFeatures:
        """Say what the live server offers."""

    async def pick_embedded(self, query: PickQuery) -> Sequence[EmbeddedListing]:
        """Give a few listings with their stored vectors."""
