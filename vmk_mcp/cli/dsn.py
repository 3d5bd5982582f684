"""`vmk-mcp dsn`."""

from typing import Final

import click

from vmk_mcp.cli.speech import Complaint, ExampleCommand, Misuse
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import DEFAULT_NAME, POSTGIS_NAME, find_embedded
from vmk_mcp.database.scripts import SPATIAL, STATE, blueprint_listings
from vmk_mcp.settings import read_settings

_LISTINGS: Final = blueprint_listings(has_dictionary=False).database
_LOGINS: Final = {
    "owner": (Role.OWNER, _LISTINGS),
    "reader": (Role.READER, _LISTINGS),
    "writer": (Role.WRITER, STATE.database),
    "ask": (Role.ASK, _LISTINGS),
}
_SPATIAL_LOGINS: Final = {"owner": Role.OWNER, "reader": Role.READER, "ask": Role.ASK}


@click.command(cls=ExampleCommand, example='psql "$(vmk-mcp dsn --role reader)"')
@click.option(
    "--role", type=click.Choice(list(_LOGINS)), default="reader", show_default=True, help="Whose login."
)
@click.option("--spatial", is_flag=True, help="Of the PostGIS cluster with the county's places.")
def dsn(role: str, spatial: bool) -> None:
    """Print the DSN of the embedded server while it runs; it holds the password."""
    login, database = _find_login(role) if spatial else _LOGINS[role]
    try:
        address = find_embedded(read_settings().data_dir, POSTGIS_NAME if spatial else DEFAULT_NAME)
    except OSError:
        raise Complaint(
            "The embedded server's passwords cannot be read.", "Ask as the user who started it."
        ) from None
    if address is None:
        raise _complain_of_silence(spatial)
    click.echo(address.dsn(login, database))


def _find_login(role: str) -> tuple[Role, str]:
    if role not in _SPATIAL_LOGINS:
        raise Misuse(
            f"The role {role} has nothing in the spatial database.",
            f"It is read as {', '.join(_SPATIAL_LOGINS)}.",
        )
    return _SPATIAL_LOGINS[role], SPATIAL.database


def _complain_of_silence(spatial: bool) -> Complaint:
    start = "Start it with `make run` or `vmk-mcp serve`."
    if not spatial:
        return Complaint("The embedded server does not run.", start)
    return Complaint(
        "The PostGIS cluster does not run.",
        f"{start} It needs PostGIS, which `make postgis` installs on Debian and Ubuntu.",
    )
