"""The calls that are measured: as our clients send them, and as a bare peer takes them for the same SQL."""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.listings.service import CANDIDATES

QUERY: Final = "двокімнатна квартира біля метро з ремонтом"
"""Repeated in each call by meaning, so that its vector comes from the cache."""

_FILTERS: Final = {"deal_type": "sale", "currency": "USD"}
_CRITERIA: Final = {"deal_types": ["sale"], "currency": "USD", "listing_statuses": ["active"]}
_PAGE: Final = {"filters": _FILTERS, "pagination": {"limit": 20}}
_BARE_PAGE: Final = {
    **_CRITERIA,
    "sort_by": "relevance",
    # Enough to sort by price, which this page does not.
    "rate_currencies": ["USD"],
    "rates": [1],
    "limit": 20,
    "offset": 0,
    "contacts": True,
}
# Without a threshold there are ten hits whatever the vectors.
_MEANING: Final = {"query": QUERY, "filters": _FILTERS, "pagination": {"limit": 10}, "min_similarity": 0}
_BARE_MEANING: Final = {
    **_CRITERIA,
    "max_distance": 2.0,
    "metric": "cosine",
    "limit": 10,
    "offset": 0,
    "contacts": True,
}
# As the service bounds them.
_MOST: Final = {"exact": 40_001, "approximate": CANDIDATES}
# Ids that every sample has; more than one, so that no answer is simply repeated.
_IDS: Final = range(1, 41)


class Call(Struct, frozen=True):
    """One kind of call.

    Attributes:
        name: as the report shows it.
        ours: bodies of JSON-RPC requests to the service; sent in turn.
        bare: the same for the bare peer, whose tools are SQL files and whose arguments are their parameters.
        token_of_success: bytes that every good answer holds.
    """

    name: str
    ours: tuple[bytes, ...]
    bare: tuple[bytes, ...]
    token_of_success: bytes = b'"isError":false'

    @property
    def reads_listings(self) -> bool:
        """Whether it is answered with listings."""
        return b"tools/call" in self.ours[0]


def make_calls(path: str = "exact") -> tuple[Call, ...]:
    """Give the calls, cheapest first; `path` is the way that the service's search by meaning goes."""
    ping = msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    return (
        Call("ping", (ping,), (ping,), b'"result":{}'),
        Call(
            "by id",
            tuple(_tool("get_listing_by_id", {"listing_id": id_}) for id_ in _IDS),
            tuple(_tool("get_listing", {"listing_id": id_, "contacts": True}) for id_ in _IDS),
        ),
        Call("page of 20", (_tool("search_by_metadata", _PAGE),), (_tool("find_by_filters", _BARE_PAGE),)),
        Call(
            "vector top 10",
            (_tool("search_similar_listings", _MEANING),),
            (_tool(f"find_similar_{path}", {**_BARE_MEANING, "most": _MOST[path]}),),
        ),
    )


def _tool(name: str, arguments: Mapping[str, object]) -> bytes:
    params = {"name": name, "arguments": arguments}
    return msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
