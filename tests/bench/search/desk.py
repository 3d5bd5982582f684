"""The real service over the real pool, with a clock on it: wall, and CPU of its server process and of us."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Final, TypeVar

import asyncpg
import numpy as np
from msgspec import Struct

from tests.bench.search.stock import Stock
from tests.fake_services import make_rules, make_service
from tests.fakes import RecordingObserver
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.pool import Database, PoolLimits, reading_session
from vmk_mcp.listings.money import ExchangeRates
from vmk_mcp.listings.queries import Vector, Vectors
from vmk_mcp.listings.service import ListingService
from vmk_mcp.listings.store import WARM_TEXT_SEARCH, PostgresListingStore

ResultT = TypeVar("ResultT")

RATES: Final = ExchangeRates(date(2026, 1, 1), {"UAH": Decimal(42), "EUR": Decimal("0.9")})

_LIMITS: Final = PoolLimits(size=1, query_timeout_s=60)


class HeldVector:
    """An embedder that gives the vector which it was handed, whatever the text."""

    model = "held"

    def __init__(self) -> None:
        self.vector: Vector | None = None

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `QueryEmbedder.embed_queries`."""
        if self.vector is None:
            raise RuntimeError("no vector was handed over")
        return np.stack([self.vector] * len(texts))


class Spent(Struct, frozen=True):
    """What one call took: seconds on the wall, and of CPU in Postgres and here together."""

    wall_s: float
    cpu_s: float


class Desk(Struct, frozen=True):
    """One service with one connection, so that one server process does all of its work."""

    service: ListingService
    store: PostgresListingStore
    embedder: HeldVector
    backend: Path

    async def time(self, call: Callable[[], Awaitable[ResultT]]) -> tuple[ResultT, Spent]:
        """Make a call and say what it took."""
        wall, cpu = time.perf_counter(), self._cpu_s()
        result = await call()
        return result, Spent(time.perf_counter() - wall, self._cpu_s() - cpu)

    def _cpu_s(self) -> float:
        return int(self.backend.read_text("ascii").split()[0]) / 1e9 + time.process_time()


@asynccontextmanager
async def open_desk(stock: Stock, database: str) -> AsyncIterator[Desk]:
    """Open the service over a database of the stock."""
    pool = Database(
        "bench", stock.server.dsn(Role.READER, database), limits=_LIMITS, session=reading_session(_LIMITS),
        warm_up=(WARM_TEXT_SEARCH,), observer=RecordingObserver(),
    )  # fmt: skip
    await pool.open()
    try:
        await pool.warm()
        store, embedder = PostgresListingStore(pool), HeldVector()
        service = make_service(store, rules=make_rules(rates=RATES), embedder=embedder)
        yield Desk(service, store, embedder, await _find_backend(stock, database))
    finally:
        await pool.close()


async def _find_backend(stock: Stock, database: str) -> Path:
    connection = await asyncpg.connect(stock.server.dsn(Role.SUPERUSER, "postgres"))
    try:
        pid = await connection.fetchval(
            "SELECT pid FROM pg_stat_activity WHERE datname = $1 AND usename = $2", database, str(Role.READER)
        )
    finally:
        await connection.close()
    return Path("/proc", str(pid), "schedstat")
