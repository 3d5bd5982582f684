"""Arguments of the family's tools, as clients send them."""

from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from vmk_mcp.listings.filters import INT4_MAX, Filters

DEFAULT_LIMIT: Final = 20
QUERY_MAX_LENGTH: Final = 20_000


class Pagination(Struct, frozen=True, forbid_unknown_fields=True):
    """Which part of the list is wanted."""

    limit: (
        Annotated[int, Meta(ge=1, le=100, description="Listings on the page; 20 unless given.")] | UnsetType
    ) = UNSET
    offset: Annotated[
        int, Meta(ge=0, le=INT4_MAX, description="Listings to skip: next_offset of the page before.")
    ] = 0


Conditions = Annotated[Filters, Meta(description="All optional and joined by AND; a list means any of it.")]


class SimilarSearch(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `search_similar_listings`."""

    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=QUERY_MAX_LENGTH,
            description="What is wanted, in Ukrainian: translate the user's words. Leave out what filters "
            "can say.",
            examples=["світла квартира біля парку з новим ремонтом"],
        ),
    ]
    filters: Conditions = Filters()
    pagination: Pagination = Pagination()
    min_similarity: Annotated[
        float, Meta(ge=0, le=1, description="Least similarity_score; lower it when too little is found.")
    ] = 0.7
    distance_metric: Annotated[
        Literal["cosine", "l2", "inner_product"], Meta(description="What orders the page; leave it as it is.")
    ] = "cosine"


SortBy = Literal["relevance", "price_asc", "price_desc", "date_desc", "area_desc"]


class MetadataSearch(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `search_by_metadata`."""

    query: Annotated[
        Annotated[str, Meta(max_length=QUERY_MAX_LENGTH)] | None,
        Meta(
            description="Ukrainian words that must all occur, in any form; leave out to use filters alone.",
            examples=["новобудова з терасою"],
        ),
    ] = None
    filters: Conditions = Filters()
    pagination: Pagination = Pagination()
    sort_by: Annotated[SortBy, Meta(description="Without a query, relevance means newest first.")] = (
        "relevance"
    )


class ListingId(Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `get_listing_by_id`."""

    listing_id: Annotated[int, Meta(ge=-(2**63), le=2**63 - 1, description="The id in a search result.")]


class NoArguments(Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `describe_schema`: none."""
