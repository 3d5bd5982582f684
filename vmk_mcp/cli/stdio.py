"""`vmk-mcp stdio`."""

import click

from vmk_mcp import bootstrap
from vmk_mcp.cli.speech import ExampleCommand, tell
from vmk_mcp.settings import read_settings


@click.command(cls=ExampleCommand, example="claude mcp add vmk-mcp -- vmk-mcp stdio")
@click.option("--token", help="Name of the token whose rights the client has.  [default: the local one]")
def stdio(token: str | None) -> None:
    """Serve one client on stdin and stdout, one message a line; logs go to stderr."""
    bootstrap.serve_stdio(read_settings(), token, say=tell)
