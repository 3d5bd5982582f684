"""`vmk-mcp fixtures`."""

from typing import Final

import click

from vmk_mcp.bootstrap.fixtures import serve_fixtures
from vmk_mcp.cli.speech import ExampleCommand, tell

_EXAMPLE: Final = """\
vmk-mcp fixtures --port 8081
curl http://127.0.0.1:8081/mcp -H 'Authorization: Bearer agent-token' -H 'Content-Type: application/json' \\
  -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'"""


@click.command(cls=ExampleCommand, example=_EXAMPLE)
@click.option("--port", type=click.IntRange(0, 65535), required=True, help="Port; 0 takes any free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
def fixtures(port: int, host: str) -> None:
    """Serve the recorded exchanges, byte for byte, with no database: for contract tests of clients.

    The made-up tokens of the records are the ones to send: agent-token, platform-token, probe-token. A
    request that differs from a recorded one in its id alone gets the recorded answer with that id. What is
    not on record is answered by an error that names the nearest exchange and what is otherwise there.
    """
    serve_fixtures(host, port, say=tell)
