"""Makes servers of our own, and a state database of the operator's, ready ahead of the first start."""

import asyncio
from collections.abc import Callable
from typing import Final

from vmk_mcp.bootstrap.asked_databases import fill_city
from vmk_mcp.bootstrap.county import OpenCounty, open_county
from vmk_mcp.bootstrap.databases import open_embedded
from vmk_mcp.configuration.dsn import BadDsn, parse_dsn
from vmk_mcp.database.foreign_state import prepare_state
from vmk_mcp.errors import SettingsError
from vmk_mcp.settings import Settings

_SPATIAL: Final = "spatial"


def prepare_servers(settings: Settings, say: Callable[[str], None]) -> None:
    """Make the embedded server and, where PostGIS can be had, its cluster: schema, roles and samples.

    Where it cannot be had, `say` is told why. No database of the operator is touched.

    Raises:
        StartError: the embedded server cannot run here.
    """
    server = open_embedded(settings, say).server
    try:
        asyncio.run(fill_city(server, say))
    finally:
        server.close()
    say(f"The embedded server in {settings.data_dir} is ready.")
    if _SPATIAL not in settings.families or settings.database.spatial is not None:
        return
    county = open_county(settings.data_dir, say)
    if isinstance(county, OpenCounty):
        county.server.close()
        say(f"The PostGIS cluster in {settings.data_dir} is ready.")


def prepare_foreign_state(dsn: str, say: Callable[[str], None]) -> None:
    """Make or migrate our tables in the operator's state database; `say` is told what was done.

    Raises:
        SettingsError: the DSN cannot be read.
        StartError: see `prepare_state`.
    """
    try:
        parsed = parse_dsn(dsn)
    except BadDsn as error:
        raise SettingsError(
            f"The text of --state {error}.",
            hint="It looks like postgresql://vmk_owner:password@host:5432/database.",
        ) from None
    asyncio.run(prepare_state(parsed.reveal(), say))
