"""Databases with listings: a dozen by hand, and a few hundred of the sample with made-up vectors."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import date
from decimal import Decimal
from typing import Final

import numpy as np
import pytest

from tests.fake_services import make_rules, make_service
from tests.fakes import RecordingObserver
from tests.integration.servers import Dsn, MakeDatabase, copy_database, named
from tests.listing_rows import KINDS, ROWS, Row
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.pool import Database, PoolLimits, reading_session
from vmk_mcp.database.scripts import Blueprint
from vmk_mcp.database.writer import Writer
from vmk_mcp.listings.money import ExchangeRates
from vmk_mcp.listings.service import ListingService
from vmk_mcp.listings.store import PostgresListingStore
from vmk_mcp.listings.writing import PropertyTypeRecord, with_words, write_listings
from vmk_mcp.sample.listings import PROPERTY_TYPES, make_listings

SAMPLE_SIZE: Final = 400
RATES: Final = ExchangeRates(date(2026, 1, 1), {"UAH": Decimal(42), "EUR": Decimal("0.9")})

OpenStore = Callable[[str], Awaitable[PostgresListingStore]]
"""Opens a store over the database of a DSN, for this test."""


async def load_rows(
    dsn: str, rows: Sequence[Row], kinds: Sequence[PropertyTypeRecord], configuration: str
) -> None:
    listings = [with_words(row.record, row.embedding, configuration=configuration) for row in rows]
    async with Writer(dsn) as writer:
        await write_listings(writer, listings, kinds)
        await writer.analyze()


def make_sample() -> list[Row]:
    """Give `SAMPLE_SIZE` made-up listings with made-up unit vectors; each fifteenth has none."""
    rng = np.random.default_rng(7)
    records = make_listings(SAMPLE_SIZE)
    vectors = rng.standard_normal((SAMPLE_SIZE, 768)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return [
        Row(record, None if record.id % 15 == 0 else vector)
        for record, vector in zip(records, vectors, strict=True)
    ]


@pytest.fixture(scope="session")
def rows_template(cluster: EmbeddedServer, listings_template: Blueprint) -> Blueprint:
    """A database with the rows of `tests.listing_rows`, their words as written."""
    asyncio.run(copy_database(cluster, listings_template, "rows_template"))
    asyncio.run(load_rows(cluster.dsn(Role.OWNER, "rows_template"), ROWS, KINDS, "simple"))
    return named(listings_template, "rows_template")


@pytest.fixture(scope="session")
def sample() -> list[Row]:
    """The rows of `sample_template`."""
    return make_sample()


@pytest.fixture(scope="session")
def sample_template(cluster: EmbeddedServer, listings_template: Blueprint, sample: list[Row]) -> Blueprint:
    """A database with `SAMPLE_SIZE` listings of the sample."""
    kinds = [PropertyTypeRecord(kind.id, kind.slug, kind.name) for kind in PROPERTY_TYPES]
    configuration = "ukrainian" if cluster.has_dictionary else "simple"
    asyncio.run(copy_database(cluster, listings_template, "sample_template"))
    asyncio.run(load_rows(cluster.dsn(Role.OWNER, "sample_template"), sample, kinds, configuration))
    return named(listings_template, "sample_template")


@pytest.fixture
async def open_store() -> AsyncIterator[OpenStore]:
    """Opens stores that read as the service does, and closes them after the test."""
    opened: list[Database] = []

    async def open_one(dsn: str) -> PostgresListingStore:
        limits = PoolLimits(size=2)
        database = Database(
            "listings", dsn, limits=limits, session=reading_session(limits), warm_up=(),
            observer=RecordingObserver(),
        )  # fmt: skip
        await database.open()
        opened.append(database)
        return PostgresListingStore(database)

    yield open_one
    for database in opened:
        await database.close()


@pytest.fixture
async def rows_store(
    cluster: EmbeddedServer, rows_template: Blueprint, open_store: OpenStore
) -> PostgresListingStore:
    """A store over the dozen rows, which no test changes."""
    return await open_store(cluster.dsn(Role.READER, rows_template.database))


@pytest.fixture
async def sample_store(
    cluster: EmbeddedServer, sample_template: Blueprint, open_store: OpenStore
) -> PostgresListingStore:
    """A store over the sample, which no test changes."""
    return await open_store(cluster.dsn(Role.READER, sample_template.database))


@pytest.fixture
def sample_service(sample_store: PostgresListingStore) -> ListingService:
    """A service over the sample."""
    return make_service(sample_store, rules=make_rules(rates=RATES))


@pytest.fixture
async def rows_dsn(cluster: EmbeddedServer, make_database: MakeDatabase, rows_template: Blueprint) -> Dsn:
    """The DSN, by role, of a copy of the dozen rows of this test's own."""
    name = await make_database(rows_template)
    return lambda role: cluster.dsn(role, name)


@pytest.fixture
async def sample_dsn(cluster: EmbeddedServer, make_database: MakeDatabase, sample_template: Blueprint) -> Dsn:
    """The DSN, by role, of a copy of the sample of this test's own."""
    name = await make_database(sample_template)
    return lambda role: cluster.dsn(role, name)
