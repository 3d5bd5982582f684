"""Looks at all that the service needs, one thing after another, and says what to do about each."""

import asyncio
import os
from collections.abc import Callable
from typing import Final

from vmk_mcp.bootstrap.databases import LazySources
from vmk_mcp.bootstrap.door import refuse_broken_tokens
from vmk_mcp.bootstrap.examining_asked import examine_asked
from vmk_mcp.bootstrap.examining_beside import (
    examine_documents,
    examine_drafter,
    examine_spatial,
    examine_state,
)
from vmk_mcp.bootstrap.examining_listings import examine_listings
from vmk_mcp.bootstrap.findings import Finding, KeptWarnings, as_sentence, blame
from vmk_mcp.bootstrap.tracing import examine_tracing
from vmk_mcp.client import ClientError, McpClient, ServerUnreachable
from vmk_mcp.errors import VmkError
from vmk_mcp.settings import Settings
from vmk_mcp.web.local_access import AccessFolder
from vmk_mcp.web.token_edits import list_tokens

_KEEP_STATE: Final = ("knowledge", "ask")
"""The families that write to the state database."""


def examine(settings: Settings, say: Callable[[str], None]) -> list[Finding]:
    """Look at settings, data folder, tokens and server, and at what each served family needs.

    A server of ours that was made before is started for it; none is made.

    Args:
        settings: what is looked at.
        say: is told what is being done.
    """
    return [
        *_examine_settings(settings),
        *examine_tracing(settings),
        _examine_folder(settings),
        _examine_tokens(settings),
        asyncio.run(_examine_server(settings)),
        *_examine_families(settings, say),
    ]


def _examine_families(settings: Settings, say: Callable[[str], None]) -> list[Finding]:
    served, findings = settings.families, list[Finding]()
    sources = LazySources(settings, say)
    try:
        if "listings" in served:
            findings += examine_listings(settings, sources)
        if any(family in served for family in _KEEP_STATE):
            findings.append(examine_state(settings, sources))
        if "knowledge" in served:
            findings.append(asyncio.run(examine_documents(settings)))
        if "spatial" in served:
            findings += examine_spatial(settings, say)
        if "ask" in served:
            findings += [*examine_asked(settings, sources), examine_drafter(settings)]
    finally:
        sources.close()
    if not findings:
        findings.append(Finding("database", "ok", "No family that is served needs one."))
    return findings


def _examine_settings(settings: Settings) -> list[Finding]:
    warned = [Finding("settings", "warning", as_sentence(warning)) for warning in settings.warnings]
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


def _needs_folder(settings: Settings) -> bool:
    """Say whether something that is served lies there: a server of ours, or the token for this machine."""
    keeps_token = settings.server.auth and settings.server.tokens_file is None
    own = settings.database
    foreign = {"listings": own.listings, "spatial": own.spatial} | dict.fromkeys(_KEEP_STATE, own.state)
    return keeps_token or any(family in settings.families and dsn is None for family, dsn in foreign.items())


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
        refuse_broken_tokens(settings, KeptWarnings())
        count = len(list_tokens(file))
    except VmkError as error:
        return blame("tokens", error)
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
                said = error.message.removesuffix(".")
                return Finding("server", "warning", f"One is there, but {said}.", error.hint)
        opened = f"the token for this machine opens {len(tools)} tools"
        return Finding("server", "ok", f"One answers at {url}; {opened}.")
    return Finding("server", "ok", "None runs now.")
