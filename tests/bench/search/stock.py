"""Databases of many listings in one embedded server, made once and kept between runs."""

import asyncio
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import asyncpg
from msgspec import Struct
from msgspec.structs import asdict, replace

from tests.bench.search.vectors import Space
from tests.house import ROOT
from tests.integration.servers import drop_database, named, run_script
from vmk_mcp.database.binaries import find_wheel_binaries
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer, start_embedded
from vmk_mcp.database.prepare import prepare_database
from vmk_mcp.database.scripts import LISTINGS_AFTER_LOAD, blueprint_listings
from vmk_mcp.database.writer import Writer
from vmk_mcp.listings.model import ListingRecord
from vmk_mcp.listings.writing import PropertyTypeRecord, with_words, write_listings
from vmk_mcp.sample.listings import PROPERTY_TYPES, make_listings

VERSION: Final = 1
"""To be raised with every change of what is made, so that nobody measures with an old stock."""

_FOLDER: Final = ROOT / ".data" / f"bench-search-{VERSION}"
_AT_ONCE: Final = 5_000
# Beyond so many the columns repeat, with ids and vectors of their own.
_DISTINCT: Final = 100_000
# Memory in which the graph of a vector index is built at once: a vector with its neighbours.
_BUILD_BYTES: Final = 4_500


class Stock(Struct, frozen=True):
    """A server with one database for each number of listings."""

    server: EmbeddedServer
    databases: dict[int, str]

    def dsn(self, rows: int, role: Role = Role.READER) -> str:
        """Give the DSN of the database with `rows` listings."""
        return self.server.dsn(role, self.databases[rows])

    @contextmanager
    def copy(self, rows: int, name: str) -> Iterator[str]:
        """Give the name of a database of one's own with `rows` listings, in which nothing is vacuumed."""
        source = self.databases[rows]
        asyncio.run(drop_database(self.server, name))
        asyncio.run(
            run_script(
                self.server, "postgres", f"CREATE DATABASE {name} TEMPLATE {source} STRATEGY FILE_COPY"
            )
        )
        try:
            still = "ALTER TABLE public.property_listings SET (autovacuum_enabled = off)"
            asyncio.run(run_script(self.server, name, still))
            yield name
        finally:
            asyncio.run(drop_database(self.server, name))


@contextmanager
def open_stock(*sizes: int, folder: Path = _FOLDER) -> Iterator[Stock]:
    """Start the server of the bench, make what it lacks, and stop it at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    server = start_embedded(folder, find_wheel_binaries(), _say)
    try:
        stock = Stock(server, {rows: f"listings_{rows}" for rows in sizes})
        for rows in sizes:
            asyncio.run(_make(stock, rows))
        yield stock
    finally:
        server.close()


def bench_listings(rows: int) -> list[ListingRecord]:
    """Give the listings of a database of the bench; fewer are the beginning of more."""
    distinct = make_listings(min(rows, _DISTINCT))
    return [
        listing if number == listing.id else replace(listing, id=number)
        for number in range(1, rows + 1)
        for listing in (distinct[(number - 1) % _DISTINCT],)
    ]


async def _make(stock: Stock, rows: int) -> None:
    server, database = stock.server, stock.databases[rows]
    blueprint = named(blueprint_listings(has_dictionary=server.has_dictionary), database)
    if await _is_complete(stock, rows):
        return
    _say(f"Making {rows:,} listings with vectors: some minutes, once; they are kept in {_FOLDER}")
    began = time.monotonic()
    await drop_database(server, database)
    await prepare_database(server, blueprint.without(*LISTINGS_AFTER_LOAD), _quiet)
    await _load(stock, rows)
    _say(f"Loaded after {time.monotonic() - began:.0f} s; building the indexes")
    memory_kib = max(65_536, rows * _BUILD_BYTES // 1024)
    await run_script(server, "postgres", f"ALTER SYSTEM SET maintenance_work_mem = {memory_kib}")
    await run_script(server, "postgres", "SELECT pg_reload_conf()")
    await prepare_database(server, blueprint, _quiet)
    await run_script(server, "postgres", "ALTER SYSTEM RESET maintenance_work_mem")
    await run_script(server, "postgres", "SELECT pg_reload_conf()")
    # So that no autovacuum runs beside what is measured, and scans of an index alone may be chosen.
    await run_script(server, database, "VACUUM (ANALYZE)")
    await run_script(server, database, f"COMMENT ON DATABASE {database} IS 'complete'")
    _say(f"Made after {time.monotonic() - began:.0f} s")


async def _is_complete(stock: Stock, rows: int) -> bool:
    connection = await asyncpg.connect(stock.server.dsn(Role.SUPERUSER, "postgres"))
    try:
        comment = await connection.fetchval(
            "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = $1",
            stock.databases[rows],
        )
    finally:
        await connection.close()
    return bool(comment == "complete")


async def _load(stock: Stock, rows: int) -> None:
    configuration = "ukrainian" if stock.server.has_dictionary else "simple"
    space, listings = Space(), bench_listings(rows)
    kinds = [PropertyTypeRecord(**asdict(kind)) for kind in PROPERTY_TYPES]
    async with Writer(stock.dsn(rows, Role.OWNER)) as writer:
        for start in range(0, rows, _AT_ONCE):
            batch = listings[start : start + _AT_ONCE]
            written = [
                with_words(record, vector, configuration=configuration)
                for record, vector in zip(batch, space.vectors_of(batch), strict=True)
            ]
            await write_listings(writer, written, kinds)
            if start % 20_000 == 0:
                _say(f"{start + len(batch):,} of {rows:,} listings")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201 (a bench that takes minutes says what it does)


def _quiet(line: str) -> None:
    """Take a line for people that nobody reads."""
