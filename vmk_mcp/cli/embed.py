"""`vmk-mcp embed`."""

import time

import click
import msgspec

from vmk_mcp.bootstrap.filling import FillOrder, FillOutcome, FillWatch, fill_vectors
from vmk_mcp.cli.progress import Bar, shown_bar
from vmk_mcp.cli.speech import ExampleCommand, tell
from vmk_mcp.listings.loading.filling import Filling
from vmk_mcp.settings import read_settings

_EXAMPLE = """\
vmk-mcp embed
EMBEDDER=ollama vmk-mcp embed --all --dsn postgresql://owner@db.example.com/vmk_data"""


@click.command(cls=ExampleCommand, example=_EXAMPLE)
@click.option("--dsn", help="Database to write to, by a login that may.  [default: the embedded server]")
@click.option("--all", "makes_anew", is_flag=True, help="Make all vectors anew, not only missing ones.")
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
def embed(dsn: str | None, *, makes_anew: bool, as_json: bool) -> None:
    """Fill the missing vectors of listings with the embedder of the settings (EMBEDDER).

    Each batch is committed, so a run that was broken off goes on where it ended. Vectors of two models are
    never mixed: with another model than that of the stored ones, only --all goes on. It takes the old ones
    away first, all at once, and until it is done searches by meaning find what has a new one.
    """
    outcome = fill_shown(FillOrder(dsn, makes_anew))
    if as_json:
        counts = {"filled": outcome.filling.filled, "skipped": outcome.filling.skipped}
        now = msgspec.to_builtins(outcome.now)
        click.echo(msgspec.json.encode({**counts, "model": outcome.model, "now": now}))


def fill_shown(order: FillOrder) -> FillOutcome:
    """Fill vectors with a bar, and say at the end what was done."""
    with shown_bar("Embedding") as bar:
        outcome = fill_vectors(read_settings(), order, tell, _watch(bar))
    tell(
        f"{outcome.filling.filled:,} vectors written by {outcome.model}; "
        f"{outcome.now.filled:,} of {outcome.now.listings:,} listings have one."
    )
    if outcome.filling.skipped:
        tell(f"{outcome.filling.skipped:,} listings have no text that could be embedded.")
    if outcome.is_served and outcome.filling.filled:
        again = "; it must be started again if the model is another one" if order.makes_anew else ""
        tell(f"The running server finds them at once{again}.")
    return outcome


def _watch(bar: Bar) -> FillWatch:
    started = time.monotonic()
    total = 0

    def begin(listings: int) -> None:
        nonlocal started, total
        started, total = time.monotonic(), listings

    def progress(filling: Filling) -> None:
        elapsed_s = max(time.monotonic() - started, 0.001)
        done = filling.filled + filling.skipped
        bar.show(done, total, f"{done:,} of {total:,}, {done / elapsed_s:.1f} rows/s")

    return FillWatch(begin, progress)
