"""`vmk-mcp init-db`."""

import click

from vmk_mcp.bootstrap.databases import open_embedded
from vmk_mcp.cli.speech import ExampleCommand, Misuse, tell
from vmk_mcp.settings import read_settings


@click.command(name="init-db", cls=ExampleCommand, example="vmk-mcp init-db")
def init_db() -> None:
    """Make the embedded server ready, with schema, roles and sample listings, and leave."""
    settings = read_settings()
    if settings.database.listings is not None:
        raise Misuse(
            "DATABASE_URL names a database of your own, to which nothing is ever written.",
            "Unset it to prepare the embedded server; `vmk-mcp roles` prints what a DBA runs in yours.",
        )
    open_embedded(settings, tell).server.close()
    tell(f"The embedded server in {settings.data_dir} is ready.")
