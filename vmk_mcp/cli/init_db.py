"""`vmk-mcp init-db`."""

import click

from vmk_mcp.bootstrap.preparing import prepare_foreign_state, prepare_servers
from vmk_mcp.cli.speech import ExampleCommand, Misuse, tell
from vmk_mcp.settings import read_settings


@click.command(
    name="init-db",
    cls=ExampleCommand,
    example="vmk-mcp init-db --state postgresql://vmk_owner:password@db:5432/vmk_state",
)
@click.option(
    "--state",
    metavar="DSN",
    help="Owner's login of your own database for our tables; without it, that of STATE_DATABASE_URL.",
)
def init_db(state: str | None) -> None:
    """Make ready, with schema, roles and samples, what of the databases is ours, and leave.

    That is the embedded server and the PostGIS cluster, unless DATABASE_URL is set, and our own tables in the
    database of --state or STATE_DATABASE_URL. May be run again at any time.
    """
    settings = read_settings()
    named = settings.database.state
    state = state or (named.reveal() if named is not None else None)
    if state is not None:
        prepare_foreign_state(state, tell)
    elif settings.database.listings is not None:
        raise Misuse(
            "DATABASE_URL names a database of your own, to which nothing is ever written.",
            "Unset it to prepare the embedded server; `vmk-mcp roles` prints what a DBA runs in yours.",
        )
    if settings.database.listings is None:
        prepare_servers(settings, tell)
