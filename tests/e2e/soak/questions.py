"""What is asked in a soak, of every family, and how the answers are known to be right."""

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from tests.e2e.soak.ollama import drop_strays, make_stray

Arguments = Mapping[str, Any]

_HERE: Final = {"longitude": 118.69, "latitude": 25.36}
_FLATS: Final = {"filters": {"city": "Київ"}, "min_similarity": 0.5}


class Question(Struct, frozen=True):
    """A call whose answer is the same whenever it is asked.

    Attributes:
        needs_embedder: its text carries a word that no cache has seen, in the argument `query`.
    """

    tool: str
    arguments: Arguments
    needs_embedder: bool = False

    def ask(self, number: int) -> Arguments:
        """Give the arguments of the call of that number."""
        if not self.needs_embedder:
            return self.arguments
        return {**self.arguments, "query": make_stray(self.arguments["query"], number)}


LISTINGS: Final = (
    Question("search_similar_listings", {"query": "затишна оселя з видом на парк", **_FLATS}),
    Question("search_similar_listings", {"query": "тиха вулиця біля озера", **_FLATS}, needs_embedder=True),
    Question(
        "search_similar_listings", {"query": "світла кухня", "min_similarity": 0.5}, needs_embedder=True
    ),
    Question("search_by_metadata", {"query": "квартира", "filters": {"max_price": 60000}}),
    Question("search_by_metadata", {"filters": {"city": "Львів"}, "pagination": {"limit": 5, "offset": 10}}),
    Question("hybrid_search", {"query": "будинок з садом", "pagination": {"limit": 5}}),
    Question("get_listing_by_id", {"listing_id": 7}),
    Question("get_similar_to_listing", {"listing_id": 7, "pagination": {"limit": 5}}),
    Question("compare_listings", {"listing_ids": [1, 2, 3]}),
    Question("summarize_market", {"group_by": "district", "filters": {"city": "Київ"}}),
    Question("describe_schema", {}),
)
SPATIAL: Final = (
    Question("search_places", {"name": "水库"}),
    Question("find_water_sources", _HERE),
    Question("get_grid_context", _HERE),
    Question("find_responsible_squadron", _HERE),
    Question("find_command_posts", _HERE),
    Question("find_access_routes", _HERE),
    Question("find_risk_areas", {**_HERE, "radius_m": 50_000}),
)
DOCUMENTS: Final = (
    Question("vector_search", {"query": "topic-otter", "top_k": 3}),
    Question("vector_search", {"query": "topic-badger", "top_k": 3}, needs_embedder=True),
)
ASKED: Final = (
    Question("ask", {"question": "How many permits are there in total?"}),
    Question("ask", {"question": "How many permits does each contractor hold?"}),
    Question("list_schema", {}),
)


def essence(result: Mapping[str, Any]) -> str:
    """Give what must be the same in every answer to a question."""
    answer = dict(result["structuredContent"])
    for varying in ("elapsed_ms", "total_chunks"):
        answer.pop(varying, None)
    return drop_strays(json.dumps(answer, sort_keys=True, ensure_ascii=False))


class Wandering(Struct, frozen=True):
    """A search by filters that are drawn by chance; its answer is held against the filters."""

    rooms: int
    max_price: int
    offset: int

    @property
    def arguments(self) -> Arguments:
        """Give the arguments of the call."""
        filters = {"rooms_count": [self.rooms], "max_price": self.max_price}
        return {"filters": filters, "pagination": {"limit": 8, "offset": self.offset}}

    def faults_of(self, answer: Mapping[str, Any]) -> list[str]:
        """Say in what the answer disobeys."""
        found: Sequence[Mapping[str, Any]] = answer["listings"]
        ids = [listing["id"] for listing in found]
        claims = {
            "a listing comes twice": len(set(ids)) == len(ids),
            "a listing has other rooms": all(one["rooms_count"] == self.rooms for one in found),
            "the page is not as long as the total has it": len(found)
            == max(0, min(8, answer["total"] - self.offset)),
        }
        return [fault for fault, holds in claims.items() if not holds]


def wander(chance: random.Random) -> Wandering:
    """Draw a search."""
    return Wandering(chance.randint(1, 4), chance.choice((20_000, 60_000, 200_000)), 8 * chance.randint(0, 5))
