"""Where listings are written: the embedded server, or a database that the operator names."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from msgspec import Struct

from vmk_mcp.client import ClientError, McpClient
from vmk_mcp.configuration.dsn import BadDsn, parse_dsn
from vmk_mcp.database.binaries import find_wheel_binaries
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer, start_embedded
from vmk_mcp.database.prepare import prepare_database, prepare_databases
from vmk_mcp.database.scripts import LISTINGS_AFTER_LOAD, blueprint_listings
from vmk_mcp.errors import SettingsError
from vmk_mcp.settings import Settings
from vmk_mcp.web.local_access import AccessFolder

Say = Callable[[str], None]
"""Told, line by line, what a person should know."""

_DATABASE: Final = "vmk_data"


class WriteTarget(Struct, frozen=True):
    """A database and the login that writes there.

    Attributes:
        dsn: holds the password.
        label: the same without it, and the same at every start.
        embedded: our own server, or None where the operator named a database.
    """

    dsn: str
    label: str
    embedded: EmbeddedServer | None = None


@contextmanager
def open_target(settings: Settings, dsn: str | None, say: Say) -> Iterator[WriteTarget]:
    """Find the database to write to; the embedded server is started and made ready, without its sample.

    Raises:
        SettingsError: the DSN cannot be read, or none is given though the service reads a foreign database.
        StartError: the embedded server cannot run here.
    """
    if dsn is not None:
        yield _read_target(dsn)
        return
    if settings.database.listings is not None:
        raise SettingsError(
            "DATABASE_URL names a database of your own, to which nothing is written unless you say so.",
            hint="Give the DSN of a login that may write there with --dsn, or unset DATABASE_URL.",
        )
    server = start_embedded(settings.data_dir, find_wheel_binaries(), say)
    try:
        listings = blueprint_listings(has_dictionary=server.has_dictionary)
        # Over an empty table the indexes are built after the load, in a third of the time.
        asyncio.run(prepare_database(server, listings.without(*LISTINGS_AFTER_LOAD), say))
        yield WriteTarget(server.dsn(Role.OWNER, _DATABASE), "embedded", server)
        asyncio.run(prepare_databases(server, say))
    finally:
        server.close()


def is_served(settings: Settings) -> bool:
    """Say whether the server that was last started here answers."""
    return asyncio.run(_is_served(AccessFolder(settings.data_dir)))


async def _is_served(access: AccessFolder) -> bool:
    url = access.read_address()
    if url is None:
        return False
    async with McpClient(url, access.read_token()) as client:
        try:
            await client.ping()
        except ClientError:
            return False
    return True


def _read_target(text: str) -> WriteTarget:
    try:
        dsn = parse_dsn(text)
    except BadDsn as error:
        raise SettingsError(
            f"The text of --dsn {error}.", hint="It looks like postgresql://user:password@host:5432/database."
        ) from None
    return WriteTarget(dsn.reveal(), dsn.shown)
