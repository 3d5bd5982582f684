"""Looks at what the search of listings needs: its database, tables, indexes and embedder."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final, Literal

from vmk_mcp.bootstrap.databases import LazySources, ListingsSource, make_database
from vmk_mcp.bootstrap.embedders import compare_embedder, make_embedder
from vmk_mcp.bootstrap.findings import (
    Finding,
    KeptWarnings,
    as_sentence,
    blame,
    blame_database,
    foresee_server,
)
from vmk_mcp.database.embedded import is_made
from vmk_mcp.database.pool import Database
from vmk_mcp.embedding.port import Embedder
from vmk_mcp.embedding.verify import check_dimensions, refuse_other_model
from vmk_mcp.errors import VmkError
from vmk_mcp.listings.indexes import find_missing_indexes
from vmk_mcp.listings.live import LiveSchema
from vmk_mcp.listings.queries import LiveIndex
from vmk_mcp.listings.store import PostgresListingStore
from vmk_mcp.settings import Settings

_ROLES_ADVICE: Final = "`vmk-mcp roles` prints the script that gives vmk_reader what it needs."

_REMAKE: Final = "Ask the owner of the table to reindex it, or to drop it and make it anew."


def examine_listings(settings: Settings, sources: LazySources) -> list[Finding]:
    """Look at the operator's database or that of the embedded server, which is started but not made."""
    if settings.database.listings is None and not is_made(settings.data_dir):
        return [foresee_server("database"), asyncio.run(_examine_embedder_alone(settings))]
    try:
        return asyncio.run(_examine_source(settings, sources.listings()))
    except VmkError as error:
        return [blame("database", error), asyncio.run(_examine_embedder_alone(settings))]


async def _examine_source(settings: Settings, source: ListingsSource) -> list[Finding]:
    warnings = KeptWarnings()
    database = make_database(source, settings, warnings)
    store = PostgresListingStore(database)
    async with _opened(database):
        try:
            live = LiveSchema(await store.inspect_server(), await store.list_columns())
            indexes = await store.list_indexes()
        except VmkError as error:
            foreign = settings.database.listings
            found = blame_database("database", error, "DATABASE_URL", foreign, "The embedded Postgres")
            return [found, await _examine_embedder_alone(settings)]
        findings = [*_examine_tables(live), *_examine_indexes(indexes)]
        findings += await _examine_embedder(settings, source, store)
    return findings + [Finding("database", "warning", message) for message in warnings.messages]


def _examine_tables(live: LiveSchema) -> list[Finding]:
    ready = live.readiness()
    if ready.status == "ok":
        return [Finding("database", "ok", "Tables, columns, extensions and role are as they should be.")]
    verdict: Literal["warning", "failed"] = "failed" if ready.status == "unavailable" else "warning"
    advice = _ROLES_ADVICE if verdict == "failed" else ""
    return [Finding("database", verdict, as_sentence(reason), advice) for reason in ready.reasons]


def _examine_indexes(indexes: Sequence[LiveIndex]) -> list[Finding]:
    broken = [index.name for index in indexes if not index.is_valid]
    found = [
        Finding("indexes", "warning", f"The making of the index {name} broke off: it is never used.", _REMAKE)
        for name in broken
    ]
    found += [
        Finding("indexes", "warning", f"{one}.", "Ask the owner of the table to make it.")
        for one in find_missing_indexes(indexes)
    ]
    return found or [Finding("indexes", "ok", "Every index that the searches count on is there and valid.")]


async def _examine_embedder(
    settings: Settings, source: ListingsSource, store: PostgresListingStore
) -> list[Finding]:
    try:
        embedder = make_embedder(settings.embedding, KeptWarnings())
        refuse_other_model(embedder, source.data_model)
    except VmkError as error:
        return [blame("embedder", error)]
    async with _closing(embedder):
        try:
            agreement = await compare_embedder(embedder, store, source.data_model)
        except VmkError as error:
            return [blame("embedder", error)]
    if not agreement.matches:
        advice = "Check EMBEDDER, its address, and DATA_EMBED_MODEL."
        return [Finding("embedder", "failed", agreement.sentence, advice)]
    return [Finding("embedder", "ok", f"{embedder.model} works, and its vectors match the stored ones.")]


async def _examine_embedder_alone(settings: Settings) -> Finding:
    """Look at the embedder where there are no stored vectors to hold its own against."""
    try:
        embedder = make_embedder(settings.embedding, KeptWarnings())
        async with _closing(embedder):
            await check_dimensions(embedder, embedder.dimensions)
    except VmkError as error:
        return blame("embedder", error)
    return Finding("embedder", "ok", f"{embedder.model} works; it was not compared with stored vectors.")


@asynccontextmanager
async def _opened(database: Database) -> AsyncIterator[None]:
    await database.open()
    try:
        yield
    finally:
        await database.close()


@asynccontextmanager
async def _closing(embedder: Embedder) -> AsyncIterator[None]:
    try:
        yield
    finally:
        await embedder.close()
