"""`vmk-mcp init-db`."""

import click

from vmk_mcp.bootstrap.preparing import prepare_servers
from vmk_mcp.cli.speech import ExampleCommand, Misuse, tell
from vmk_mcp.settings import read_settings


@click.command(name="init-db", cls=ExampleCommand, example="vmk-mcp init-db")
def init_db() -> None:
    """Make the embedded server and the PostGIS cluster ready, with schema, roles and samples, and leave."""
    settings = read_settings()
    if settings.database.listings is not None:
        raise Misuse(
            "DATABASE_URL names a database of your own, to which nothing is ever written.",
            "Unset it to prepare the embedded server; `vmk-mcp roles` prints what a DBA runs in yours.",
        )
    prepare_servers(settings, tell)
