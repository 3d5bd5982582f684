"""`vmk-mcp roles`."""

import click

from vmk_mcp.cli.speech import ExampleCommand
from vmk_mcp.database.scripts import print_roles


@click.command(cls=ExampleCommand, example="vmk-mcp roles | psql -U postgres vmk_data")
@click.option(
    "--database",
    type=click.Choice(["listings", "spatial", "state"]),
    default="listings",
    show_default=True,
    help="Which of the databases the script is for.",
)
def roles(database: str) -> None:
    """Print the script by which a DBA makes our roles in a foreign database, each with least rights."""
    click.echo(print_roles(database), nl=False)
