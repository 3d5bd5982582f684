"""The made-up county in a real PostGIS: copies that no test changes, and one to break."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

import pytest

from tests.fakes import RecordingObserver
from tests.integration.servers import Dsn, copy_database, drop_database, run_script
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.pool import Database, PoolLimits, reading_session
from vmk_mcp.database.scripts import Blueprint

MANY: Final = 100_000

OpenDatabase = Callable[[str], Awaitable[Database]]
"""Opens a pool that reads as the service does over the database of a DSN, for this test."""

# Every made-up source is taken in turn, with its village and kind, and set down again up to 3 km away.
_ADD_POINTS: Final = """
SELECT setseed(0.42);
WITH stock AS (
    SELECT row_number() OVER (ORDER BY id) - 1 AS n, * FROM st_2_mpslfh_t_slfh_syd WHERE NOT ST_IsEmpty(geom)
)
INSERT INTO st_2_mpslfh_t_slfh_syd
    (id, mingcheng, xiangzhen, cun, leixing, rongliang_m3, zerenren, dianhua, geom)
SELECT
    1000000 + i, s.mingcheng || i, s.xiangzhen, s.cun, s.leixing, s.rongliang_m3, s.zerenren, s.dianhua,
    ST_Translate(s.geom, (random() - 0.5) * 0.06, (random() - 0.5) * 0.06)
FROM generate_series(1, {count}) AS i
INNER JOIN stock AS s ON s.n = i % (SELECT count(*) FROM stock);
ANALYZE;
"""


@pytest.fixture(scope="session")
def county(postgis: EmbeddedServer, county_template: Blueprint) -> Dsn:
    """The DSN, by role, of a county that no test changes."""
    asyncio.run(copy_database(postgis, county_template, "county_unchanged"))
    return lambda role: postgis.dsn(role, "county_unchanged")


@pytest.fixture(scope="session")
def crowded_county(postgis: EmbeddedServer, county_template: Blueprint) -> Dsn:
    """The DSN, by role, of a county with `MANY` water sources more, which no test changes."""

    async def make() -> None:
        await copy_database(postgis, county_template, "county_crowded")
        await run_script(postgis, "county_crowded", _ADD_POINTS.format(count=MANY))

    asyncio.run(make())
    return lambda role: postgis.dsn(role, "county_crowded")


@pytest.fixture
async def own_county(postgis: EmbeddedServer, county_template: Blueprint) -> AsyncIterator[Dsn]:
    """The DSN, by role, of a county of this test's own, to be broken."""
    await copy_database(postgis, county_template, "county_own")
    yield lambda role: postgis.dsn(role, "county_own")
    await drop_database(postgis, "county_own")


@pytest.fixture
async def open_database() -> AsyncIterator[OpenDatabase]:
    """Opens pools that read as the service does, and closes them after the test."""
    opened: list[Database] = []

    async def open_one(dsn: str) -> Database:
        limits = PoolLimits(size=2)
        session = {k: v for k, v in reading_session(limits).items() if not k.startswith("hnsw.")}
        database = Database(
            "spatial", dsn, limits=limits, session=session, warm_up=(), observer=RecordingObserver()
        )
        await database.open()
        opened.append(database)
        return database

    yield open_one
    for database in opened:
        await database.close()


@pytest.fixture
async def county_database(county: Dsn, open_database: OpenDatabase) -> Database:
    """A pool that reads the county as the service does."""
    return await open_database(county(Role.READER))


@pytest.fixture
async def crowded_database(crowded_county: Dsn, open_database: OpenDatabase) -> Database:
    """A pool that reads the county of many points as the service does."""
    return await open_database(crowded_county(Role.READER))
