"""`vmk-mcp schema`."""

import asyncio
import json
from typing import Final

import click
import msgspec

from vmk_mcp.ask.results import SchemaShown, ShownTable
from vmk_mcp.bootstrap.ask import AskParts, opened
from vmk_mcp.bootstrap.asking import OWNER, Wish, open_asking
from vmk_mcp.cli.sources import source_options
from vmk_mcp.cli.speech import ExampleCommand, tell
from vmk_mcp.settings import read_settings

_EXAMPLE: Final = """\
vmk-mcp schema
vmk-mcp schema --source listings --json"""


@click.command(cls=ExampleCommand, example=_EXAMPLE)
@source_options
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def schema(wish: Wish, as_json: bool) -> None:
    """Show the tables that questions may be asked about, with columns and keys."""
    with open_asking(read_settings(), wish, tell) as parts:
        shown = asyncio.run(_list(parts))
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(shown), ensure_ascii=False, indent=2))
        return
    for table in shown.tables:
        click.echo(_describe(table))


async def _list(parts: AskParts) -> SchemaShown:
    async with opened(parts):
        return await parts.service.list_schema(None, OWNER)


def _describe(table: ShownTable) -> str:
    width = max(len(column.name) for column in table.columns)
    lines = [f"{table.name} (about {table.row_estimate:,} rows)"]
    for column in table.columns:
        meaning = f"  {column.description}" if column.description else ""
        lines.append(f"  {column.name:<{width}}  {column.type}{meaning}")
    lines += [
        f"  {', '.join(key.columns)} -> {key.table} ({', '.join(key.references)})"
        for key in table.foreign_keys
    ]
    return "\n".join([*lines, ""])
