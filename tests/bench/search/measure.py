"""One run of the search part of the bench."""

import asyncio
from typing import Final

from msgspec import Struct

from tests.bench.search.cases import find_home, make_cases
from tests.bench.search.curve import Cost, measure_curve
from tests.bench.search.desk import open_desk
from tests.bench.search.recall import CaseFigures, measure_case
from tests.bench.search.stock import Stock, bench_listings, open_stock
from tests.bench.search.vectors import Likeness, Space, describe
from tests.bench.search.walks import Walk, walk_all
from tests.integration.servers import run_script
from vmk_mcp.listings.queries import Vectors

FEWER: Final = 10_000
"""Rows that the cost of each call is compared with."""

_QUERIES: Final = 20
_CHURN: Final = (
    "DELETE FROM public.property_listings WHERE id % 5 = 0",
    "UPDATE public.property_listings SET price = price + 1, images_count = 1 WHERE id % 5 = 1",
)


class SearchFigures(Struct, frozen=True):
    """All that one run gives.

    Attributes:
        likeness: how the made-up vectors lie.
        cases: by filter.
        after_churn: the same after a fifth of the rows was deleted and another rewritten, without vacuum.
        curve: by number of rows, and then by call.
    """

    rows: int
    likeness: Likeness
    cases: list[CaseFigures]
    after_churn: list[CaseFigures]
    walks: list[Walk]
    curve: dict[int, dict[str, Cost]]


def measure_search(rows: int) -> SearchFigures:
    """Measure everything over `rows` listings."""
    listings = bench_listings(rows)
    space = Space()
    queries = space.queries_for(find_home(listings), _QUERIES, 1)
    with open_stock(FEWER, rows) as stock:
        return SearchFigures(
            rows,
            describe(space.vectors_of(listings[:3200])),
            asyncio.run(_measure_cases(stock, stock.databases[rows], rows, queries)),
            _measure_churned(stock, rows, queries),
            asyncio.run(_walk(stock, rows, queries)),
            {size: asyncio.run(_measure_curve(stock, size, queries)) for size in (FEWER, rows)},
        )


async def _measure_cases(stock: Stock, database: str, rows: int, queries: Vectors) -> list[CaseFigures]:
    cases = make_cases(bench_listings(rows))
    async with open_desk(stock, database) as desk:
        # Thrown away: it brings tables and indexes into memory, which the first way tried would pay for.
        await measure_case(desk, cases[0], queries)
        return [await measure_case(desk, case, queries) for case in cases]


def _measure_churned(stock: Stock, rows: int, queries: Vectors) -> list[CaseFigures]:
    with stock.copy(rows, "churned") as name:
        for statement in _CHURN:
            asyncio.run(run_script(stock.server, name, statement))
        return asyncio.run(_measure_cases(stock, name, rows, queries[:7]))


async def _walk(stock: Stock, rows: int, queries: Vectors) -> list[Walk]:
    async with open_desk(stock, stock.databases[rows]) as desk:
        return await walk_all(desk, queries[0])


async def _measure_curve(stock: Stock, rows: int, queries: Vectors) -> dict[str, Cost]:
    async with open_desk(stock, stock.databases[rows]) as desk:
        return await measure_curve(desk, queries)
