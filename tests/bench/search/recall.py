"""How right and how quick a search by meaning is with each filter, beside both of its paths forced."""

from itertools import permutations
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, replace

from tests.bench.search.cases import Case
from tests.bench.search.desk import RATES, Desk, Spent
from vmk_mcp.listings.arguments import Pagination, SimilarSearch
from vmk_mcp.listings.criteria import resolve_filters
from vmk_mcp.listings.model import Listing
from vmk_mcp.listings.queries import SimilarQuery, Vectors
from vmk_mcp.listings.routing import CANDIDATES
from vmk_mcp.listings.values import LiveValues

TOP: Final = 10
_SELDOM: Final = 8
# Who comes after whom decides what lies in the server's buffers: each order comes equally often.
_ORDERS: Final = tuple(permutations(range(3)))
_ALL: Final = 2_000_000_000
_ANY_DISTANCE: Final = 2.0


class Way(Struct):
    """What one way of searching gave and took, query by query."""

    recalls: list[float]
    counts: list[int]
    spent: list[Spent]

    @property
    def recall(self) -> float:
        """Mean recall@10 against every row measured."""
        return float(np.mean(self.recalls))

    def wall_ms(self, percentile: float) -> float:
        """Percentile of milliseconds on the wall."""
        return float(np.percentile([one.wall_s for one in self.spent], percentile) * 1000)

    def cpu_ms(self, percentile: float) -> float:
        """Percentile of milliseconds of CPU."""
        return float(np.percentile([one.cpu_s for one in self.spent], percentile) * 1000)


class CaseFigures(Struct):
    """What one filter gave.

    Attributes:
        passing: rows that pass.
        estimate: rows that the planner thinks pass.
        routes: the paths that the service took.
        totals: relations of the totals that the service gave.
    """

    case: Case
    passing: int
    estimate: int
    routes: list[str]
    totals: list[str]
    service: Way
    exact: Way
    approximate: Way

    @property
    def is_index_hopeless(self) -> bool:
        """Whether the index was so much slower than the exact way that a few turns of it tell enough."""
        return bool(self.approximate.spent) and self.approximate.cpu_ms(50) > 5 * self.exact.cpu_ms(50)

    @property
    def ratio(self) -> float:
        """The service's p95 to that of the better of the forced paths, by CPU: the machine has other work."""
        return self.service.cpu_ms(95) / min(self.exact.cpu_ms(95), self.approximate.cpu_ms(95))


async def measure_case(desk: Desk, case: Case, queries: Vectors) -> CaseFigures:
    """Search with each query all three ways, in turn; the first query only warms."""
    values = await LiveValues(desk.store, clock=lambda: 0.0).get()
    criteria = resolve_filters(case.filters, values, price_currency="USD", rates=RATES).criteria
    figures = CaseFigures(
        case, 0, await desk.store.estimate_matching(criteria), [], [],
        Way([], [], []), Way([], [], []), Way([], [], []),
    )  # fmt: skip
    for number, vector in enumerate(queries):
        query = SimilarQuery(
            **asdict(criteria), embedding=vector, max_distance=_ANY_DISTANCE, metric="cosine",
            limit=TOP, offset=0, contacts=True, full=True,
        )  # fmt: skip
        await _take_turns(desk, figures, query, number)
        if number == 0:
            figures = replace(
                figures, service=Way([], [], []), exact=Way([], [], []), approximate=Way([], [], []),
                routes=[], totals=[],
            )  # fmt: skip
    return figures


async def _take_turns(desk: Desk, figures: CaseFigures, query: SimilarQuery, number: int) -> None:
    desk.embedder.vector = query.embedding
    search = SimilarSearch(
        query="q",
        filters=figures.case.filters,
        pagination=Pagination(limit=TOP),
        min_similarity=0.0,
        interpret=False,
    )
    found: dict[str, tuple[list[Listing], Spent]] = {}

    async def by_service() -> None:
        result, spent = await desk.time(lambda: desk.service.search_similar_listings(search, contacts=True))
        figures.routes.append(result.search_path)
        figures.totals.append(result.total_relation)
        found["service"] = result.listings, spent

    async def by_exact() -> None:
        (head, rows), spent = await desk.time(
            lambda: desk.store.find_similar_exact(replace(query, most=_ALL))
        )
        figures.passing = head.examined
        found["exact"] = rows, spent

    async def by_approximate() -> None:
        (_, rows), spent = await desk.time(
            lambda: desk.store.find_similar_approximate(replace(query, most=CANDIDATES))
        )
        found["approximate"] = rows, spent

    turns = (by_service, by_exact, by_approximate)
    for turn in (turns[place] for place in _ORDERS[number % len(_ORDERS)]):
        if turn is not by_approximate or number % _SELDOM == 0 or not figures.is_index_hopeless:
            await turn()
    truth = {one.id for one in found["exact"][0]}
    for way, (rows, spent) in ((getattr(figures, name), outcome) for name, outcome in found.items()):
        way.recalls.append(len(truth & {one.id for one in rows}) / len(truth) if truth else 1.0)
        way.counts.append(len(rows))
        way.spent.append(spent)
