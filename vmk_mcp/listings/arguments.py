"""Arguments of the family's tools, as clients send them."""

from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from vmk_mcp.listings.filters import INT4_MAX, Filters
from vmk_mcp.tool import TERSE

DEFAULT_LIMIT: Final = 20
QUERY_MAX_LENGTH: Final = 20_000
INT8_MIN: Final = -(2**63)
INT8_MAX: Final = 2**63 - 1

Id = Annotated[int, Meta(ge=INT8_MIN, le=INT8_MAX, description="The id in a search result.")]


class Pagination(Struct, frozen=True, forbid_unknown_fields=True):
    """Which part of the list is wanted."""

    limit: (
        Annotated[int, Meta(ge=1, le=100, description="Listings on the page; 20 unless given.")] | UnsetType
    ) = UNSET
    offset: Annotated[
        int, Meta(ge=0, le=INT4_MAX, description="Listings to skip: next_offset of the page before.")
    ] = 0


Interpret = Annotated[
    bool, Meta(description="Take rooms, price, places and the like out of the query as filters.")
]
Detail = Annotated[
    Literal["full", "brief"], Meta(description="brief: the telling fields alone, without texts.")
]
Conditions = Annotated[Filters, Meta(description="All optional and joined by AND; a list means any of it.")]
SameConditions = Annotated[
    Filters,
    Meta(
        description="As in search_similar_listings; describe_schema lists the values.",
        extra_json_schema=TERSE,
    ),
]
"""Said once: five tools that each tell all of it would fill half of what a model is given to read."""


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
    interpret: Interpret = True
    detail: Detail = "full"


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
    filters: SameConditions = Filters()
    pagination: Pagination = Pagination()
    sort_by: Annotated[SortBy, Meta(description="Without a query, relevance means newest first.")] = (
        "relevance"
    )
    interpret: Interpret = True
    exact_total: Annotated[bool, Meta(description="Count all matches, however many.")] = False
    detail: Detail = "full"


class HybridSearch(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `hybrid_search`."""

    query: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=QUERY_MAX_LENGTH,
            description="What is wanted, in Ukrainian: translate the user's words.",
            examples=["світла квартира біля парку з новим ремонтом"],
        ),
    ]
    filters: SameConditions = Filters()
    pagination: Pagination = Pagination()
    min_similarity: Annotated[
        Annotated[float, Meta(ge=0, le=1)] | None,
        Meta(description="Least similarity_score of what is found by meaning; none unless given."),
    ] = None
    interpret: Interpret = True
    detail: Detail = "full"


class SimilarToListing(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `get_similar_to_listing`."""

    listing_id: Id
    filters: SameConditions = Filters()
    pagination: Pagination = Pagination()
    min_similarity: Annotated[float, Meta(ge=0, le=1, description="Least similarity_score.")] = 0.7
    detail: Detail = "full"


class ListingIds(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `compare_listings`."""

    listing_ids: Annotated[
        list[Annotated[int, Meta(ge=INT8_MIN, le=INT8_MAX)]],
        Meta(min_length=2, max_length=10, description="The ids in search results."),
    ]


GroupBy = Literal[
    "city", "district", "rooms_count", "building_type", "property_type", "deal_type", "metro_station"
]


class MarketQuestion(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `summarize_market`."""

    filters: SameConditions = Filters()
    group_by: Annotated[GroupBy | None, Meta(description="Leave out for one group.")] = None


class ListingId(Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `get_listing_by_id`."""

    listing_id: Id


class NoArguments(Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `describe_schema`: none."""
