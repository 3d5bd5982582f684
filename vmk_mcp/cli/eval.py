"""`vmk-mcp eval`."""

from collections.abc import Sequence
from typing import Final

import click
import msgspec
from rich.console import Console
from rich.table import Table

from vmk_mcp.ask.evaluation.model import Evaluation, Judged, Tally
from vmk_mcp.bootstrap.evaluating import BACKENDS, WantedEvaluation, run_evaluations
from vmk_mcp.cli.speech import ExampleCommand, tell
from vmk_mcp.settings import read_settings

_EXAMPLE: Final = """\
vmk-mcp eval
vmk-mcp eval --set municipal --backend offline --json
vmk-mcp eval --set questions.jsonl --source municipal"""

_HEADINGS: Final = ("", "total", "correct", "wrong", "refused", "accuracy", "precision", "coverage")


@click.command(cls=ExampleCommand, example=_EXAMPLE)
@click.option(
    "--set", "sets", multiple=True, metavar="FILE", help="municipal, listings, or a file of JSON lines."
)
@click.option("--source", help="Whom to ask.  [default: the source of the set's name, else the first]")
@click.option(
    "--backend", type=click.Choice(BACKENDS), help="Which drafter.  [default: as the settings choose]"
)
@click.option("--json", "as_json", is_flag=True, help="Print all figures and questions as JSON.")
def eval(sets: Sequence[str], *, source: str | None, backend: str | None, as_json: bool) -> None:  # noqa: A001 - a command's function is named like it
    """Ask labelled questions, and compare their rows with those of a gold query on the same database.

    A question that has no answer counts as correct only where it is refused. Told apart are answers that are
    correct by a leniency: no_rows (nor has the gold any), further_columns, column_order, tolerance.
    """
    wanted = WantedEvaluation(sets, source, backend)
    evaluations = run_evaluations(read_settings(), wanted, tell, _tell_of)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(evaluations), indent=2).decode())
        return
    console = Console(highlight=False)
    for evaluation in evaluations:
        console.print(_tabulate(evaluation))
        console.print(f"Correct only by a leniency: {_tell_leniencies(evaluation)}.")


def _tell_of(judged: Judged) -> None:
    """Say of each question that is not correct why."""
    if judged.verdict != "correct":
        tell(f"{judged.verdict}: {judged.id} {judged.question} {judged.explanation}")


def _tabulate(evaluation: Evaluation) -> Table:
    table = Table(*_HEADINGS, title=f"{evaluation.set}, drafted by {evaluation.backend}")
    table.add_row("all", *_cells(evaluation.overall))
    for name, tally in evaluation.by_difficulty.items():
        table.add_row(name, *_cells(tally))
    for name, tally in evaluation.by_joins.items():
        table.add_row(name if name == "joins" else f"{name} joins", *_cells(tally))
    return table


def _tell_leniencies(evaluation: Evaluation) -> str:
    told = (f"{name} {count}" for name, count in evaluation.by_leniency.items())
    return ", ".join(told) or "none"


def _cells(tally: Tally) -> Sequence[str]:
    counts = (tally.total, tally.correct, tally.wrong, tally.refused)
    ratios = (tally.accuracy, tally.precision, tally.coverage)
    return [*map(str, counts), *("" if ratio is None else f"{ratio:.1%}" for ratio in ratios)]
