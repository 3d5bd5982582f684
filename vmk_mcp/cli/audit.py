"""`vmk-mcp audit`."""

from typing import Final

import click
import msgspec
from rich.console import Console

from vmk_mcp.bootstrap.auditing import AuditedTable, SpatialReport, audit_spatial
from vmk_mcp.cli.speech import ExampleCommand, tell
from vmk_mcp.settings import read_settings

_HEADINGS: Final = ("table", "records", "SRID", "types", "with Z", "empty", "invalid", "out of range")


@click.command(cls=ExampleCommand, example="vmk-mcp audit spatial\nvmk-mcp audit spatial --json")
@click.argument("family", type=click.Choice(["spatial"]))
@click.option("--json", "as_json", is_flag=True, help="Print what is found as JSON.")
@click.pass_context
def audit(ctx: click.Context, *, family: str, as_json: bool) -> None:
    """Look into a family's tables: what keeps it from serving (status 1), what answers leave out."""
    del family  # the only one that has an audit
    report = audit_spatial(read_settings(), tell)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(report), indent=2).decode())
    else:
        _print(report)
    if report.faults:
        ctx.exit(1)


def _print(report: SpatialReport) -> None:
    console = Console(highlight=False, soft_wrap=True)
    for line in _tabulate(report):
        console.print(line, markup=False)
    for one in report.unusable:
        ids = ", ".join(map(str, one.some_ids)) + (" ..." if one.records > len(one.some_ids) else "")
        town = one.town or "no town"
        console.print(f"left out  {one.kind}, {town}: {one.records} {one.reason} (id {ids})", markup=False)
    for fault in report.faults:
        console.print(f"fault     {fault}", style="bold red", markup=False)
    console.print(f"The spatial family is {report.status}.")


def _tabulate(report: SpatialReport) -> list[str]:
    """Give lines of equal columns, as wide as they need be: a table that is cut to fit shows nothing."""
    rows = [_cells(one) for one in report.tables]
    if not rows:
        return []
    widths = [max(map(len, column)) for column in zip(_HEADINGS, *rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (_HEADINGS, *rows)
    ]


def _cells(table: AuditedTable) -> tuple[str, ...]:
    found = table.found
    counts = (found.with_z, found.empty, found.invalid, found.out_of_range)
    srids = " ".join(map(str, found.srids))
    return (table.name, str(found.records), srids, " ".join(found.types), *map(str, counts))
