"""`vmk-mcp rejection-report`."""

import asyncio
import json
from datetime import UTC, datetime
from typing import Final

import click
import msgspec

from vmk_mcp.bootstrap.asking import open_records, report_rejections
from vmk_mcp.cli.speech import ExampleCommand, tell
from vmk_mcp.settings import read_settings

_EXAMPLE: Final = """\
vmk-mcp rejection-report
vmk-mcp rejection-report --since 2026-11-01"""


@click.command(name="rejection-report", cls=ExampleCommand, example=_EXAMPLE)
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]),
    help="Count from this day or moment on, UTC.  [default: from the first call on]",
)
def rejection_report(since: datetime | None) -> None:
    """Count what was asked and what of it was refused, by reason; prints JSON."""
    moment = since.replace(tzinfo=UTC) if since is not None else None
    with open_records(read_settings(), tell) as state:
        report = asyncio.run(report_rejections(state, moment))
    click.echo(json.dumps(msgspec.to_builtins(report), indent=2))
