"""The calls that are measured: as our clients send them, and as a bare peer takes them for the same SQL."""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.listings.routing import CANDIDATES

QUERY: Final = "двокімнатна квартира біля метро з ремонтом"
"""Repeated in each call by meaning, so that its vector comes from the cache."""

_FILTERS: Final = {"deal_type": ["sale"], "currency": "USD"}
_BARE: Final = {
    "deal_types": ["sale"],
    "currency": "USD",
    "listing_statuses": ["active"],
    "offset": 0,
    "contacts": True,
    "full": True,
}
_BARE_LISTING: Final = {"contacts": True}
_PAGE: Final = {"filters": _FILTERS, "pagination": {"limit": 20}}
_BARE_PAGE: Final = {
    **_BARE,
    "sort_by": "relevance",
    # Enough to sort by price, which this page does not.
    "rate_currencies": ["USD"],
    "rates": [1],
    "limit": 20,
}
_MEANING: Final = {
    "query": QUERY,
    "filters": _FILTERS,
    "pagination": {"limit": 10},
    # Without a threshold there are ten hits whatever the vectors.
    "min_similarity": 0,
    # The bare peer reads no wishes out of a query, and both are to run the same SQL.
    "interpret": False,
}
_BARE_MEANING: Final = {**_BARE, "max_distance": 2.0, "metric": "cosine", "limit": 10}
# As the service bounds them.
_MOST: Final = {"find_similar_exact": 40_001, "find_similar_approximate": CANDIDATES}
# Ids that every sample has; more than one, so that no answer is simply repeated.
_IDS: Final = range(1, 41)


class Call(Struct, frozen=True):
    """One kind of call.

    Attributes:
        name: as the report shows it.
        ours: bodies of JSON-RPC requests to the service; sent in turn.
        bare: the same for the bare peer, whose tools are SQL files and whose arguments are their parameters.
        others: the same for the peers that others built, whose tools are those of `tests.bench.task`.
        token_of_success: bytes that every good answer of ours and of the bare peer holds.
        others_success: bytes that every good answer of another peer holds.
    """

    name: str
    ours: tuple[bytes, ...]
    bare: tuple[bytes, ...]
    others: tuple[bytes, ...] = ()
    token_of_success: bytes = b'"isError":false'
    # A column of every listing: some say `isError` only of an error.
    others_success: bytes = b"url_source"

    @property
    def reads_listings(self) -> bool:
        """Whether it is answered with listings."""
        return b"tools/call" in self.ours[0]


class Ways(Struct, frozen=True):
    """The SQL files that the service takes for a page and for a search by meaning, by size of the table."""

    page: str = "find_by_filters"
    meaning: str = "find_similar_exact"


SMALL: Final = Ways()
"""Those of a table as small as the sample."""


def find_ways(page: Mapping[str, object], by_meaning: Mapping[str, object]) -> Ways:
    """Tell from the service's answers which files it took."""
    return Ways(
        "find_by_filters" if page["total_relation"] == "eq" else "find_newest",
        f"find_similar_{by_meaning['search_path']}",
    )


def make_calls(ways: Ways = SMALL, embedding: str = "") -> tuple[Call, ...]:
    """Give the calls, cheapest first; the bare peer takes the same `ways` as the service.

    `embedding` is the query's, as pgvector reads it; needed only for the peers that others built.
    """
    ping, done = msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "ping"}), b'"result":{}'
    return (
        Call("ping", (ping,), (ping,), (ping,), done, done),
        Call(
            "by id",
            tuple(_tool("get_listing_by_id", {"listing_id": id_}) for id_ in _IDS),
            tuple(_tool("get_listing", {"listing_id": id_, **_BARE_LISTING}) for id_ in _IDS),
            tuple(_tool("by_id", {"listing_id": id_}) for id_ in _IDS),
        ),
        Call(
            "page of 20",
            (_tool("search_by_metadata", _PAGE),),
            (_tool(ways.page, arguments_of(ways.page)),),
            (_tool("page", {"limit": _BARE_PAGE["limit"]}),),
        ),
        Call(
            "vector top 10",
            (_tool("search_similar_listings", _MEANING),),
            (_tool(ways.meaning, arguments_of(ways.meaning)),),
            (_tool("by_meaning", {"embedding": embedding}),),
        ),
    )


def arguments_of(name: str) -> dict[str, object]:
    """Give what the SQL file `name` is called with, but for the listing's id and the vector."""
    if name == "get_listing":
        return dict(_BARE_LISTING)
    if name in _MOST:
        return {**_BARE_MEANING, "most": _MOST[name]}
    return dict(_BARE_PAGE)


def _tool(name: str, arguments: Mapping[str, object]) -> bytes:
    params = {"name": name, "arguments": arguments}
    return msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


BRIEF: Final = Call(
    "search for 20 brief hits",
    (_tool("search_similar_listings", {**_MEANING, "pagination": {"limit": 20}, "detail": "brief"}),),
    (),
)
"""What an agent that looks around asks for."""

DOCUMENTS: Final = Call("search of documents", (_tool("vector_search", {"query": QUERY}),), ())
"""Only for the memory that it takes; no peer has the documents."""
