"""`vmk-mcp call`."""

import asyncio
import json
import sys
from collections.abc import Mapping
from typing import Any, Final

import click

from vmk_mcp.cli.speech import Complaint, ExampleCommand
from vmk_mcp.cli.tables import print_result
from vmk_mcp.client import ClientError, McpClient, ToolFailed
from vmk_mcp.settings import read_settings
from vmk_mcp.web.local_access import AccessFolder

_EXAMPLE: Final = """\
vmk-mcp call
vmk-mcp call search_similar_listings '{"query": "двокімнатна біля метро", "filters": {"city": "Київ"}}'
echo '{"listing_id": 7}' | vmk-mcp call get_listing_by_id - --json"""


@click.command(cls=ExampleCommand, example=_EXAMPLE)
@click.argument("tool", required=False)
@click.argument("arguments", default="{}")
@click.option("--url", help="Address of the server.  [default: VMK_URL, or the server last started here]")
@click.option("--token", help="Token to show.  [default: VMK_TOKEN, or the token that `make run` made]")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def call(tool: str | None, arguments: str, *, url: str | None, token: str | None, as_json: bool) -> None:
    """Call TOOL of a running server with ARGUMENTS, a JSON object; `-` reads them from stdin.

    Without TOOL, list the tools that the token may call.
    """
    parsed = _parse_arguments(sys.stdin.read() if arguments == "-" else arguments)
    server, shown_token = _find_server(url, token)
    try:
        result = asyncio.run(_ask(McpClient(server, shown_token), tool, parsed))
    except ToolFailed as failure:
        place = f", field {failure.field}" if failure.field else ""
        raise Complaint(f"{failure.message} ({failure.code}{place})", failure.hint) from None
    except ClientError as error:
        raise Complaint(error.message, error.hint) from None
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False, indent=2))
    else:
        print_result(result)


def _parse_arguments(text: str) -> Mapping[str, object]:
    try:
        parsed = json.loads(text)
    except ValueError as fault:
        raise click.BadParameter(f"no JSON: {fault}", param_hint="ARGUMENTS") from None
    if not isinstance(parsed, dict):
        raise click.BadParameter('must be a JSON object such as {"limit": 5}', param_hint="ARGUMENTS")
    return parsed


def _find_server(url: str | None, token: str | None) -> tuple[str, str | None]:
    """Give address and token: as told, else as set, else as the last server here left them."""
    settings = read_settings()
    access = AccessFolder(settings.data_dir)
    own = access.read_address() or f"http://127.0.0.1:{settings.server.port}/mcp"
    server = url or settings.client.url or own
    if token or settings.client.token is not None:
        return server, token or (settings.client.token.reveal() if settings.client.token else None)
    return server, access.read_token() if server == own else None


async def _ask(client: McpClient, tool: str | None, arguments: Mapping[str, object]) -> dict[str, Any]:
    async with client:
        if tool is not None:
            return await client.call_tool(tool, arguments)
        opened = await client.initialize()
        listed = [{"name": one.name, "title": one.title} for one in await client.list_tools()]
        return {"tools": listed, "server": f"{opened.server_info.name} {opened.server_info.version}"}
