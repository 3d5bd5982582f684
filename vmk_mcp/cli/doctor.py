"""`vmk-mcp doctor`."""

from collections.abc import Sequence
from typing import Final

import click
import msgspec
from rich.console import Console
from rich.text import Text

from vmk_mcp.bootstrap.examining import examine
from vmk_mcp.bootstrap.findings import Finding
from vmk_mcp.cli.speech import ExampleCommand, tell
from vmk_mcp.settings import read_settings

_STYLES: Final = {"ok": "green", "warning": "yellow", "failed": "bold red"}


@click.command(cls=ExampleCommand, example="vmk-mcp doctor\nvmk-mcp doctor --json")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@click.pass_context
def doctor(ctx: click.Context, *, as_json: bool) -> None:
    """Check settings, tokens, databases, indexes and models, and say what to do; status 1 if one fails."""
    findings = examine(read_settings(), tell)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(findings), indent=2).decode())
    else:
        _print(findings)
    if any(finding.verdict == "failed" for finding in findings):
        ctx.exit(1)


def _print(findings: Sequence[Finding]) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for finding in findings:
        verdict = Text(f"{finding.verdict:<8}", style=_STYLES[finding.verdict])
        console.print(verdict + Text(f"{finding.subject}: {finding.message}"))
        if finding.advice:
            console.print(Text(f"{'':<8}{finding.advice}", style="dim"))
