"""`vmk-mcp init-db`."""

import asyncio

import click

from vmk_mcp.bootstrap.asked_databases import fill_city
from vmk_mcp.bootstrap.databases import open_embedded
from vmk_mcp.cli.speech import ExampleCommand, Misuse, tell
from vmk_mcp.settings import read_settings


@click.command(name="init-db", cls=ExampleCommand, example="vmk-mcp init-db")
def init_db() -> None:
    """Make the embedded server ready, with schema, roles and samples, and leave."""
    settings = read_settings()
    if settings.database.listings is not None:
        raise Misuse(
            "DATABASE_URL names a database of your own, to which nothing is ever written.",
            "Unset it to prepare the embedded server; `vmk-mcp roles` prints what a DBA runs in yours.",
        )
    server = open_embedded(settings, tell).server
    try:
        asyncio.run(fill_city(server, tell))
    finally:
        server.close()
    tell(f"The embedded server in {settings.data_dir} is ready.")
