"""`vmk-mcp serve`."""

import shlex
from pathlib import Path

import click

from vmk_mcp import bootstrap
from vmk_mcp.bootstrap.greeting import Greeting
from vmk_mcp.cli.speech import ExampleCommand, started_as, tell
from vmk_mcp.settings import read_settings

_SAMPLE_TOOL = "search_similar_listings"
_SAMPLE_QUERY = '{"query": "двокімнатна квартира біля метро", "filters": {"city": "Київ"}}'


@click.command(cls=ExampleCommand, example="MCP_PORT=8081 vmk-mcp serve")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="A config.yaml with a part vector_search; the environment and .env win over it.",
)
def serve(config: Path | None) -> None:
    """Serve over HTTP until Ctrl-C or SIGTERM; settings come from the environment and `.env`."""
    bootstrap.serve(read_settings(config=config), say=tell, greet=greet)


def greet(greeting: Greeting) -> None:
    """Say where the server is, and three lines to paste, with a call only of a tool that is there."""
    url, token, absent = greeting.url, greeting.token, greeting.absent_postgres
    shown = token or "YOUR_TOKEN"
    offers_sample = _SAMPLE_TOOL in greeting.tools
    call = f" {_SAMPLE_TOOL} {shlex.quote(_SAMPLE_QUERY)}" if offers_sample else ""
    listing = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    header = shlex.quote(f"Authorization: Bearer {shown}")
    json_type = "'Content-Type: application/json'"
    # A server that keeps no token for this machine has nothing that `call` could find by itself.
    options = "" if token or not greeting.asks_token else f" --token {shown}"
    lines = (
        "",
        f"Serving at {url}",
        *([f"Token for this machine: {token}"] if token else []),
        *([f"Calls fail until Postgres at {absent} answers."] if absent else []),
        "",
        "Paste one of these:",
        f"  {started_as()} call{options}{call}",
        f"  curl {url} -H {header} -H {json_type} -d {shlex.quote(listing)}",
        f"  claude mcp add --transport http vmk-mcp {url} --header {header}",
        "",
    )
    for line in lines:
        tell(line)
