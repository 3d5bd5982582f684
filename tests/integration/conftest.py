"""One embedded server for all integration tests, and a database of its own for each test.

To build on it: a session fixture may copy `listings_template` under another name, load rows into the copy,
let go of its connections, and give `named(listings_template, ...)`; a test then hands it to `make_database`.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from tests.integration.servers import (
    Dsn,
    MakeDatabase,
    copy_database,
    drop_database,
    open_folder,
    quiet,
    started,
    started_postgis,
)
from vmk_mcp.bootstrap.county import fill_county
from vmk_mcp.bootstrap.databases import run_apart
from vmk_mcp.database.binaries import find_postgis_binaries
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.prepare import prepare_database, prepare_databases
from vmk_mcp.database.scripts import MUNICIPAL, SPATIAL, STATE, Blueprint, blueprint_listings
from vmk_mcp.errors import StartError
from vmk_mcp.sample.municipal.loading import load_municipal


@pytest.fixture(scope="session")
def cluster() -> Iterator[EmbeddedServer]:
    """A running embedded server with both databases prepared and empty."""
    with open_folder() as folder, started(folder) as server:
        asyncio.run(prepare_databases(server, quiet))
        yield server


@pytest.fixture(scope="session")
def listings_template(cluster: EmbeddedServer) -> Blueprint:
    """The prepared, empty database of listings, to be copied."""
    return blueprint_listings(has_dictionary=cluster.has_dictionary)


@pytest.fixture(scope="session")
def municipal(cluster: EmbeddedServer) -> Dsn:
    """The DSN, by role, of the loaded municipal sample, which no test changes."""

    async def load() -> None:
        await prepare_database(cluster, MUNICIPAL, quiet)
        await load_municipal(cluster.dsn(Role.OWNER, MUNICIPAL.database), say=quiet)

    asyncio.run(load())
    return lambda role: cluster.dsn(role, MUNICIPAL.database)


@pytest.fixture(scope="session")
def postgis() -> Iterator[EmbeddedServer]:
    """A running PostGIS cluster with the made-up county; where there is no PostGIS, the test is skipped."""
    try:
        find_postgis_binaries()
    except StartError as error:
        pytest.skip(f"{error.message} {error.hint}")
    with open_folder() as folder, started_postgis(folder) as server:
        # A test may ask for this while its own event loop runs.
        run_apart(fill_county(server, quiet))
        yield server


@pytest.fixture(scope="session")
def county_template(postgis: EmbeddedServer) -> Blueprint:
    """The prepared database with the made-up county, to be copied; nobody stays connected to it."""
    return SPATIAL


@pytest.fixture
async def make_database(cluster: EmbeddedServer) -> AsyncIterator[MakeDatabase]:
    """Copies a prepared database for this test; the copies are dropped after it."""
    made: list[str] = []

    async def make(source: Blueprint) -> str:
        name = f"test_{len(made)}"
        made.append(name)
        await copy_database(cluster, source, name)
        return name

    yield make
    for name in made:
        await drop_database(cluster, name)


@pytest.fixture
async def listings_dsn(
    cluster: EmbeddedServer, make_database: MakeDatabase, listings_template: Blueprint
) -> Dsn:
    """The DSN, by role, of an empty database of listings of this test's own."""
    name = await make_database(listings_template)
    return lambda role: cluster.dsn(role, name)


@pytest.fixture
async def state_dsn(cluster: EmbeddedServer, make_database: MakeDatabase) -> Dsn:
    """The DSN, by role, of an empty state database of this test's own."""
    name = await make_database(STATE)
    return lambda role: cluster.dsn(role, name)
