"""`vmk-mcp load`."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from vmk_mcp.bootstrap.filling import FillOrder
from vmk_mcp.bootstrap.loading import LoadOrder, LoadOutcome, LoadWatch, load_file
from vmk_mcp.cli.embed import fill_shown
from vmk_mcp.cli.progress import Bar, shown_bar
from vmk_mcp.cli.speech import ExampleCommand, started_as, tell
from vmk_mcp.listings.loading.load import describe_fault
from vmk_mcp.listings.loading.refusals import RefusedRow
from vmk_mcp.listings.loading.tally import Tally
from vmk_mcp.settings import read_settings

_EXAMPLE: Final = """\
vmk-mcp load listings.csv --dry-run
vmk-mcp load listings.csv --map price=cena --map title=name --errors refused.jsonl --replace-sample
vmk-mcp load listings.parquet --dsn postgresql://owner@db.example.com/vmk_data --embed"""

_SHOWN_REFUSALS: Final = 20


class _Mapping(click.ParamType[tuple[str, str]]):
    name = "FIELD=COLUMN"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """See `click.ParamType`."""
        field, mark, column = str(value).partition("=")
        if not (mark and field.strip() and column.strip()):
            self.fail(f"{value!r} is not FIELD=COLUMN, such as price=cena", param, ctx)
        return field.strip(), column.strip()


_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(cls=ExampleCommand, example=_EXAMPLE)
@click.argument("file", type=_FILE)
@click.option(
    "--map", "pairs", type=_Mapping(), multiple=True, help="Fill FIELD from COLUMN; may be repeated."
)
@click.option("--mapping", type=_FILE, help='TOML file of lines such as: price = "cena".')
@click.option(
    "--id-from", default="", metavar="COLUMN", help="Make ids of this column's text, such as a URL."
)
@click.option("--encoding", default="", help="Of the text, such as cp1251.  [default: told by its bytes]")
@click.option("--delimiter", default="", help="Of CSV, one character.  [default: told by the header]")
@click.option(
    "--decimal",
    type=click.Choice(["auto", "comma", "point"]),
    default="auto",
    show_default=True,
    help="Mark before the fraction of a number.",
)
@click.option("--create-types", is_flag=True, help="Make kinds of property that are not known yet.")
@click.option("--strict", is_flag=True, help="Stop at the first row that is refused.")
@click.option(
    "--errors", type=click.Path(dir_okay=False, path_type=Path), help="Write refused rows here (JSONL)."
)
@click.option("--dry-run", is_flag=True, help="Read all, write nothing, say what would happen.")
@click.option("--replace-sample", is_flag=True, help="Remove the made-up listings of the embedded server.")
@click.option("--embed", is_flag=True, help="Fill the vectors afterwards, as `vmk-mcp embed` does.")
@click.option("--dsn", help="Database to write to, by a login that may.  [default: the embedded server]")
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
@click.pass_context
def load(
    ctx: click.Context, /, file: Path, pairs: Sequence[tuple[str, str]], mapping: Path | None, **options: Any
) -> None:
    """Load listings of your own from FILE: .csv, .tsv, .jsonl, .ndjson or .parquet.

    Columns are found by their names, in English, Ukrainian and Russian. A row is known by its id: a known one
    is updated in the columns that the file has (an empty cell empties it), and a second run changes nothing.
    Rows that cannot be loaded are named by line and field, and the others go in; status 1 says that there
    were some. A run that was broken off goes on where it ended.
    """
    order = _make_order(file, {**_read_mapping(mapping), **dict(pairs)}, options)
    shown = _ShownRefusals()
    with shown_bar("Reading" if order.is_trial else "Loading") as bar:
        outcome = load_file(read_settings(), order, LoadWatch(tell, shown.add, _watch(bar)))
    shown.close(order.errors)
    _tell_outcome(outcome, order, fills=options["embed"])
    if options["as_json"]:
        click.echo(msgspec.json.encode(outcome.tally))
    if options["embed"] and not order.is_trial:
        fill_shown(FillOrder(order.dsn))
    if outcome.tally.refused:
        ctx.exit(1)


def _make_order(file: Path, fields: Mapping[str, str], options: Mapping[str, Any]) -> LoadOrder:
    if len(options["delimiter"]) > 1:
        raise click.BadParameter("must be one character", param_hint="--delimiter")
    return LoadOrder(
        path=file,
        fields=fields,
        is_trial=options["dry_run"],
        is_strict=options["strict"],
        replaces_sample=options["replace_sample"],
        creates_types=options["create_types"],
        **{name: options[name] for name in ("dsn", "id_from", "encoding", "delimiter", "decimal", "errors")},
    )


def _read_mapping(path: Path | None) -> Mapping[str, str]:
    if path is None:
        return {}
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), dict[str, str])
    except (ValueError, msgspec.ValidationError):
        raise click.BadParameter(
            'must be a TOML file of lines such as: price = "cena"', param_hint="--mapping"
        ) from None


class _ShownRefusals:
    """Says what is wrong with the first refused rows."""

    def __init__(self) -> None:
        self._rows = 0

    def add(self, refused: RefusedRow, unit: str) -> None:
        """Show a row's faults, as long as there are few."""
        self._rows += 1
        if self._rows <= _SHOWN_REFUSALS:
            for fault in refused.faults:
                tell(describe_fault(fault, unit))

    def close(self, errors: Path | None) -> None:
        """Say how many were not shown, and where all are."""
        if self._rows > _SHOWN_REFUSALS:
            tell(f"... and {self._rows - _SHOWN_REFUSALS:,} more rows")
        if self._rows and errors is None:
            tell("--errors FILE.jsonl writes all refused rows with their reasons.")


def _watch(bar: Bar) -> Any:
    def progress(done: int, total: int, tally: Tally) -> None:
        bar.show(done, total, f"{tally.read:,} rows, {tally.refused:,} refused")

    return progress


def _tell_outcome(outcome: LoadOutcome, order: LoadOrder, *, fills: bool) -> None:
    tally = outcome.tally
    for noticed in tally.noticed:
        examples = ", ".join(repr(example) for example in noticed.examples)
        tell(f"Warning: {noticed.field}: {noticed.what} in {noticed.count:,} rows, such as {examples}")
    replaced = f", {tally.repeated:,} replaced by a later row of the same id" if tally.repeated else ""
    if order.is_trial:
        tell(
            f"Of {tally.read:,} rows {tally.inserted:,} would be new, {tally.unchanged:,} have a known id "
            f"and would be compared, {tally.refused:,} would be refused{replaced}. Nothing was written."
        )
        return
    tell(
        f"{tally.read:,} rows: {tally.inserted:,} inserted, {tally.updated:,} updated, "
        f"{tally.unchanged:,} unchanged, {tally.refused:,} refused{replaced}."
    )
    if outcome.without_vector and (tally.inserted or tally.updated):
        what = "they are filled now" if fills else f"`{started_as()} embed` fills them"
        tell(f"{outcome.without_vector:,} listings have no vector yet: {what}.")
    if outcome.is_served and (tally.inserted or tally.updated):
        tell("The running server finds them at once; hints and names know new values within five minutes.")
