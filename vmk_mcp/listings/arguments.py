"""Arguments of the family's tools, as clients send them."""

from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from vmk_mcp.listings.filters import INT4_MAX, Filters

DEFAULT_LIMIT: Final = 20
QUERY_MAX_LENGTH: Final = 20_000


class Pagination(Struct, frozen=True, forbid_unknown_fields=True):
    """Which part of the list is wanted."""

    limit: (
        Annotated[int, Meta(ge=1, le=100, description="Rows on the page; 20 unless given.")] | UnsetType
    ) = UNSET
    offset: Annotated[int, Meta(ge=0, le=INT4_MAX, description="Rows to skip.")] = 0


class SimilarSearch(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `search_similar_listings`."""

    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=QUERY_MAX_LENGTH,
            description="What is wanted, in Ukrainian.",
            examples=["двокімнатна квартира біля метро з ремонтом"],
        ),
    ]
    filters: Filters = Filters()
    pagination: Pagination = Pagination()
    min_similarity: Annotated[float, Meta(ge=0, le=1, description="Least 1 - cosine distance / 2.")] = 0.7
    distance_metric: Literal["cosine", "l2", "inner_product"] = "cosine"


SortBy = Literal["relevance", "price_asc", "price_desc", "date_desc", "area_desc"]


class MetadataSearch(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `search_by_metadata`."""

    query: Annotated[
        Annotated[str, Meta(max_length=QUERY_MAX_LENGTH)] | None,
        Meta(
            description="Words that all must occur, in Ukrainian; leave out to use filters alone.",
            examples=["квартира з балконом Печерський"],
        ),
    ] = None
    filters: Filters = Filters()
    pagination: Pagination = Pagination()
    sort_by: Annotated[SortBy, Meta(description="Without a query, relevance means newest first.")] = (
        "relevance"
    )


class ListingId(Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `get_listing_by_id`."""

    listing_id: Annotated[int, Meta(ge=-(2**63), le=2**63 - 1, description="id of a search result.")]


class NoArguments(Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `describe_schema`: none."""
