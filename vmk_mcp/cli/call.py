"""`vmk-mcp call`."""

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import click

from vmk_mcp.cli.speech import Complaint, ExampleCommand, tell
from vmk_mcp.cli.tables import print_result
from vmk_mcp.client import (
    ClientError,
    McpClient,
    NotLetIn,
    ServerUnreachable,
    ToolFailed,
    is_loopback,
)
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
    servers, shown_token = _find_servers(url, token)
    try:
        result = asyncio.run(_ask_first(servers, shown_token, tool, parsed))
    except NotLetIn as error:
        hint = "No token was sent; give one with --token or VMK_TOKEN." if shown_token is None else error.hint
        raise Complaint(error.message, hint) from None
    except ToolFailed as failure:
        place = f", field {failure.field}" if failure.field else ""
        raise Complaint(f"{failure.message.rstrip('.')} ({failure.code}{place}).", failure.hint) from None
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


def complete_url(text: str) -> str:
    """Give the address of an endpoint; a scheme or a path that was left out is added."""
    parts = urlsplit(text if "://" in text else f"http://{text}")
    return urlunsplit(parts._replace(path="/mcp" if parts.path in {"", "/"} else parts.path))


def _find_servers(url: str | None, token: str | None) -> tuple[Sequence[str], str | None]:
    """Give the addresses to try and the token: as told, else as set, else those of a server started here.

    The token for this machine is shown to this machine alone.
    """
    settings = read_settings()
    access = AccessFolder(settings.data_dir)
    told = url or settings.client.url
    own = access.find_addresses(settings.server.host, settings.server.port)
    servers = [complete_url(told)] if told else own
    if token is None and settings.client.token is not None:
        token = settings.client.token.reveal()
    if token is None and all(is_loopback(server) or server in own for server in servers):
        token = access.read_token()
    return servers, token


async def _ask_first(
    servers: Sequence[str], token: str | None, tool: str | None, arguments: Mapping[str, object]
) -> dict[str, Any]:
    """Ask the first server that is there; a complaint names the first that was to be asked."""
    absent: list[ServerUnreachable] = []
    for server in servers:
        try:
            return await _ask(McpClient(server, token), tool, arguments)
        except ServerUnreachable as error:
            absent.append(error)
    raise absent[0]


async def _ask(client: McpClient, tool: str | None, arguments: Mapping[str, object]) -> dict[str, Any]:
    async with client:
        if tool is not None:
            result = await client.call_tool(tool, arguments)
            for name in client.ignored_arguments:
                tell(f"ignored: {name}: no argument of this tool")
            return result
        opened = await client.initialize()
        listed = [{"name": one.name, "title": one.title} for one in await client.list_tools()]
        return {"tools": listed, "server": f"{opened.server_info.name} {opened.server_info.version}"}
