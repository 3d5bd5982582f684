"""`vmk-mcp ask`."""

import asyncio
import json
from typing import Final

import click
import msgspec

from vmk_mcp.ask.results import AskAnswer
from vmk_mcp.bootstrap.ask import AskParts, opened
from vmk_mcp.bootstrap.asking import OWNER, Wish, open_asking
from vmk_mcp.cli.sources import source_options
from vmk_mcp.cli.speech import ExampleCommand, tell
from vmk_mcp.cli.tables import print_result
from vmk_mcp.settings import read_settings

_EXAMPLE: Final = """\
vmk-mcp ask "How many permits does each contractor hold?"
vmk-mcp ask --source listings "How many active listings are there in Київ?"
vmk-mcp ask --dsn postgresql://reader:password@db/shop "How many orders are there?" --json"""


@click.command(cls=ExampleCommand, example=_EXAMPLE)
@click.argument("question")
@source_options
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
def ask(question: str, wish: Wish, as_json: bool) -> None:
    """Turn QUESTION into one checked SELECT, run it and print its rows."""
    with open_asking(read_settings(), wish, tell) as parts:
        answer = msgspec.to_builtins(asyncio.run(_ask(parts, question)))
    if as_json:
        click.echo(json.dumps(answer, ensure_ascii=False, indent=2))
        return
    # What came of it stands beside the SQL; the columns' types are for programs.
    print_result({name: value for name, value in answer.items() if name != "columns"})


async def _ask(parts: AskParts, question: str) -> AskAnswer:
    async with opened(parts):
        return await parts.service.ask(question, None, OWNER)
