"""Each tool among 100,000 points beside its bare statement: 95th percentiles of one run, in turns."""

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

import asyncpg
import numpy as np
from msgspec import Struct

from tests.fakes import FakeClock, RecordingObserver
from tests.integration.spatial.desk import random_points
from vmk_mcp.database.pool import Database, PoolLimits, plain_reading_session
from vmk_mcp.protocol.envelope import encode
from vmk_mcp.sample.county.making import OPEN_TOWNS
from vmk_mcp.spatial.service import SpatialService
from vmk_mcp.spatial.standing import LiveAudit
from vmk_mcp.spatial.store import PostgisStore
from vmk_mcp.spatial.tools import offer_spatial
from vmk_mcp.tool import CallContext, Caller

TOOLS: Final = (
    "search_places", "get_grid_context", "find_responsible_squadron", "find_water_sources",
    "find_command_posts", "find_access_routes", "find_risk_areas",
)  # fmt: skip
NAMES: Final = ("东山水库", "石壁", "榜头镇", "检查站")
CALLS: Final = 120
CALLER: Final = CallContext(Caller(name="bench", rights=frozenset({"spatial"}), towns=frozenset(OPEN_TOWNS)))


class Figure(Struct, frozen=True):
    """95th percentiles of a tool and of its statement run by asyncpg alone, in milliseconds."""

    ours_ms: float
    bare_ms: float


class Remembering:
    """A database that remembers what it was last asked, so that the same can be asked without it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.sql = ""
        self.values: Sequence[Any] = ()

    async def fetch_page(self, query: Any, arguments: Struct) -> Any:
        """See `Database.fetch_page`."""
        self.sql, self.values = query.sql, query.bind(arguments)
        return await self._database.fetch_page(query, arguments)

    async def fetch_all(self, query: Any, *arguments: Struct) -> Any:
        """See `Database.fetch_all`."""
        return await self._database.fetch_all(query, *arguments)


async def time_ms(call: Callable[[], Awaitable[object]]) -> float:
    """Give the milliseconds that one call takes."""
    started = time.perf_counter()
    await call()
    return (time.perf_counter() - started) * 1000


async def measure_tools(dsn: str) -> dict[str, Figure]:
    """Measure every tool over the database of `dsn`, one call at a time."""
    limits = PoolLimits(size=1)
    session = plain_reading_session(limits)
    database = Database(
        "spatial", dsn, limits=limits, session=session, warm_up=(), observer=RecordingObserver()
    )
    await database.open()
    bare = await asyncpg.connect(dsn, server_settings=session)
    try:
        return {name: await _measure(name, Remembering(database), bare) for name in TOOLS}
    finally:
        await bare.close()
        await database.close()


async def _measure(name: str, database: Remembering, bare: "asyncpg.Connection[Any]") -> Figure:
    """Let the tool and its statement take turns at the same questions."""
    store = PostgisStore(database)  # type: ignore[arg-type] # has the two methods that the store uses
    service = SpatialService(store, LiveAudit(store, clock=FakeClock()))
    (tool,) = [tool for tool in offer_spatial(service).tools if tool.name == name]
    ours, alone = [], []
    for place, (x, y) in enumerate(random_points(CALLS)):
        asked: dict[str, Any] = {"longitude": x, "latitude": y}
        if name == "search_places":
            asked = {"name": NAMES[place % len(NAMES)]}
        arguments = tool.arguments(**asked)

        async def call(arguments: Struct = arguments) -> None:
            encode(await tool.call(arguments, CALLER))

        ours.append(await time_ms(call))
        alone.append(await time_ms(lambda: bare.fetch(database.sql, *database.values)))
    return Figure(float(np.percentile(ours[10:], 95)), float(np.percentile(alone[10:], 95)))
