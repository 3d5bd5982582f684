"""Looks at all that the service needs, one thing after another, and says what to do about each."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final, Literal

from msgspec import Struct

from vmk_mcp.bootstrap.databases import LazySources, ListingsSource, make_database
from vmk_mcp.bootstrap.door import refuse_broken_tokens
from vmk_mcp.bootstrap.embedders import compare_embedder, make_embedder
from vmk_mcp.client import ClientError, McpClient, ServerUnreachable
from vmk_mcp.configuration.dsn import name_place
from vmk_mcp.database.account import find_home
from vmk_mcp.database.cluster import CLUSTER_FOLDER
from vmk_mcp.database.embedded import DEFAULT_NAME
from vmk_mcp.database.failures import explain_connection
from vmk_mcp.database.pool import Database
from vmk_mcp.embedding.port import Embedder
from vmk_mcp.embedding.verify import check_dimensions, refuse_other_model
from vmk_mcp.errors import StoreUnavailable, TooSlow, VmkError
from vmk_mcp.listings.indexes import find_missing_indexes
from vmk_mcp.listings.live import LiveSchema
from vmk_mcp.listings.store import PostgresListingStore
from vmk_mcp.observe import Event, Warned
from vmk_mcp.settings import Settings
from vmk_mcp.web.local_access import AccessFolder
from vmk_mcp.web.token_edits import list_tokens

_ROLES_ADVICE: Final = "`vmk-mcp roles` prints the script that gives vmk_reader what it needs."


class Finding(Struct, frozen=True):
    """What was found of one thing.

    Attributes:
        subject: what was looked at.
        verdict: `warning`: it serves, but not fully; `failed`: it does not serve.
        message: what was found, one sentence.
        advice: what to do about it, or "".
    """

    subject: str
    verdict: Literal["ok", "warning", "failed"]
    message: str
    advice: str = ""


class _Warnings:
    """An observer that keeps what the parts warn of."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def observe(self, event: Event) -> None:
        if isinstance(event, Warned):
            self.messages.append(event.message)


def examine(settings: Settings, say: Callable[[str], None]) -> list[Finding]:
    """Look at settings, data folder, tokens, database, indexes and embedder.

    An embedded server that was made before is started for it; none is made.

    Args:
        settings: what is looked at.
        say: is told what is being done.
    """
    findings = [
        *_examine_settings(settings),
        _examine_folder(settings),
        _examine_tokens(settings),
        asyncio.run(_examine_server(settings)),
    ]
    if "listings" not in settings.families:
        return [*findings, Finding("database", "ok", "No family that is served needs one.")]
    if settings.database.listings is None and not _has_cluster(settings):
        made = Finding("database", "ok", "None has been made yet; the first start makes and fills it.")
        return [*findings, made, asyncio.run(_examine_embedder_alone(settings))]
    sources = LazySources(settings, say)
    try:
        return findings + asyncio.run(_examine_listings(settings, sources.listings()))
    except VmkError as error:
        return [*findings, _failed("database", error), asyncio.run(_examine_embedder_alone(settings))]
    finally:
        sources.close()


def _examine_settings(settings: Settings) -> list[Finding]:
    warned = [Finding("settings", "warning", f"{warning}.") for warning in settings.warnings]
    return warned or [Finding("settings", "ok", "All settings can be used.")]


def _examine_folder(settings: Settings) -> Finding:
    folder = settings.data_dir
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    if nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK):
        return Finding("data folder", "ok", f"{folder} can be written.")
    message, advice = f"{folder} cannot be written.", "Set DATA_DIR to a folder of yours."
    if _needs_folder(settings):
        return Finding("data folder", "failed", message, advice)
    return Finding(
        "data folder", "warning", message, f"{advice} Without it `vmk-mcp call` must be told --url."
    )


def _has_cluster(settings: Settings) -> bool:
    return (find_home(settings.data_dir.resolve(), DEFAULT_NAME) / CLUSTER_FOLDER).exists()


def _needs_folder(settings: Settings) -> bool:
    """Say whether something that is served lies there: the embedded server, or the token for this machine."""
    keeps_token = settings.server.auth and settings.server.tokens_file is None
    return keeps_token or ("listings" in settings.families and settings.database.listings is None)


def _examine_tokens(settings: Settings) -> Finding:
    if not settings.server.auth:
        return Finding("tokens", "warning", "MCP_AUTH is off: everybody on this machine may call.")
    path = settings.server.tokens_file
    file = path or AccessFolder(settings.data_dir).tokens_file
    if path is not None and not path.exists():
        return Finding(
            "tokens", "failed", f"{file} does not exist.", "`vmk-mcp token new NAME --tools ...` makes it."
        )
    try:
        refuse_broken_tokens(settings, _Warnings())
        count = len(list_tokens(file))
    except VmkError as error:
        return _failed("tokens", error)
    if count == 0 and path is not None:
        return Finding(
            "tokens", "warning", f"{file} lets nobody in.", "Make a token: `vmk-mcp token new NAME`."
        )
    return Finding("tokens", "ok", f"{file} names {count}." if count else "The first start makes one.")


async def _examine_server(settings: Settings) -> Finding:
    access = AccessFolder(settings.data_dir)
    for url in access.find_addresses(settings.server.host, settings.server.port):
        async with McpClient(url, access.read_token()) as client:
            try:
                await client.ping()
                tools = (await client.health()).tools
            except ServerUnreachable:
                continue
            except ClientError as error:
                return Finding("server", "warning", f"{_capitalise(error.message)}.", error.hint)
        opened = f"the token for this machine opens {len(tools)} tools"
        return Finding("server", "ok", f"One answers at {url}; {opened}.")
    return Finding("server", "ok", "None runs now.")


async def _examine_listings(settings: Settings, source: ListingsSource) -> list[Finding]:
    warnings = _Warnings()
    database = make_database(source, settings, warnings)
    store = PostgresListingStore(database)
    async with _opened(database):
        try:
            live = LiveSchema(await store.inspect_server(), await store.list_columns())
            missing = find_missing_indexes(await store.list_indexes())
        except VmkError as error:
            is_away = isinstance(error, StoreUnavailable | TooSlow)
            found = _explain(settings, error) if is_away else _failed("database", error)
            return [found, await _examine_embedder_alone(settings)]
        findings = [*_examine_tables(live), *_examine_indexes(missing)]
        findings += await _examine_embedder(settings, source, store)
    return findings + [Finding("database", "warning", message) for message in warnings.messages]


def _examine_tables(live: LiveSchema) -> list[Finding]:
    ready = live.readiness()
    if ready.status == "ok":
        return [Finding("database", "ok", "Tables, columns, extensions and role are as they should be.")]
    verdict: Literal["warning", "failed"] = "failed" if ready.status == "unavailable" else "warning"
    advice = _ROLES_ADVICE if verdict == "failed" else ""
    return [Finding("database", verdict, f"{_capitalise(reason)}.", advice) for reason in ready.reasons]


def _examine_indexes(missing: Sequence[str]) -> list[Finding]:
    if not missing:
        return [Finding("indexes", "ok", "Every index that the searches count on is there.")]
    return [
        Finding("indexes", "warning", f"{one}.", "Ask the owner of the table to make it.") for one in missing
    ]


async def _examine_embedder(
    settings: Settings, source: ListingsSource, store: PostgresListingStore
) -> list[Finding]:
    try:
        embedder = make_embedder(settings.embedding, _Warnings())
        refuse_other_model(embedder, source.data_model)
    except VmkError as error:
        return [_failed("embedder", error)]
    async with _closing(embedder):
        try:
            agreement = await compare_embedder(embedder, store, source.data_model)
        except VmkError as error:
            return [_failed("embedder", error)]
    if not agreement.matches:
        advice = "Check EMBEDDER, its address, and DATA_EMBED_MODEL."
        return [Finding("embedder", "failed", agreement.sentence, advice)]
    return [Finding("embedder", "ok", f"{embedder.model} works, and its vectors match the stored ones.")]


async def _examine_embedder_alone(settings: Settings) -> Finding:
    """Look at the embedder where there are no stored vectors to hold its own against."""
    try:
        embedder = make_embedder(settings.embedding, _Warnings())
        async with _closing(embedder):
            await check_dimensions(embedder, embedder.dimensions)
    except VmkError as error:
        return _failed("embedder", error)
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


def _failed(subject: str, error: VmkError) -> Finding:
    return Finding(subject, "failed", error.message, error.hint)


def _explain(settings: Settings, error: VmkError) -> Finding:
    sentence, advice = explain_connection(error.__cause__)
    foreign = settings.database.listings
    if foreign is None:
        return Finding("database", "failed", f"The embedded Postgres: {sentence}.", advice)
    return Finding(
        "database",
        "failed",
        f"Postgres at {name_place(foreign.parts)}: {sentence}.",
        f"{advice} DATABASE_URL says {foreign.shown}",
    )


def _capitalise(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
