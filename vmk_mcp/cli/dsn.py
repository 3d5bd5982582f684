"""`vmk-mcp dsn`."""

from typing import Final

import click

from vmk_mcp.cli.speech import Complaint, ExampleCommand
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import find_embedded
from vmk_mcp.database.scripts import STATE, blueprint_listings
from vmk_mcp.settings import read_settings

_LISTINGS: Final = blueprint_listings(has_dictionary=False).database
_LOGINS: Final = {
    "owner": (Role.OWNER, _LISTINGS),
    "reader": (Role.READER, _LISTINGS),
    "writer": (Role.WRITER, STATE.database),
    "ask": (Role.ASK, _LISTINGS),
}


@click.command(cls=ExampleCommand, example='psql "$(vmk-mcp dsn --role reader)"')
@click.option(
    "--role", type=click.Choice(list(_LOGINS)), default="reader", show_default=True, help="Whose login."
)
def dsn(role: str) -> None:
    """Print the DSN of the embedded server while it runs; it holds the password."""
    login, database = _LOGINS[role]
    try:
        address = find_embedded(read_settings().data_dir)
    except OSError:
        raise Complaint(
            "The embedded server's passwords cannot be read.", "Ask as the user who started it."
        ) from None
    if address is None:
        raise Complaint("The embedded server does not run.", "Start it with `make run` or `vmk-mcp serve`.")
    click.echo(address.dsn(login, database))
