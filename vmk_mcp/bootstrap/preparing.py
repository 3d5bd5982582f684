"""Makes all servers of our own ready ahead of the first start."""

import asyncio
from collections.abc import Callable
from typing import Final

from vmk_mcp.bootstrap.asked_databases import fill_city
from vmk_mcp.bootstrap.county import OpenCounty, open_county
from vmk_mcp.bootstrap.databases import open_embedded
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
