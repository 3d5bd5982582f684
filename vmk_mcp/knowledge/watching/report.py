"""What the watcher says of its work: counts and paths, never contents."""

import json
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from vmk_mcp.knowledge.watching.model import Batch, Plan, Scan, Standing, Verdict

_MOST_NAMED: Final = 10

_BARE: Final = (
    " The folder is empty; perhaps it is not mounted, so that nothing is taken out of the index. "
    "If it is to be empty, put a file of any name into it, or use --let-empty."
)

Say = Callable[[str], None]


class ShowProgress(Protocol):
    """Is shown how far the files of one round have come."""

    def __call__(self, done: int, total: int, words: str) -> None:
        """Show `done` of `total` files."""


def describe_plan(scan: Scan, plan: Plan) -> str:
    """Say what a look at the folder found."""
    differs = f"{len(plan.new):,} new, {len(plan.changed):,} changed, {len(plan.gone):,} gone"
    hidden = f"; {name_paths(sorted(scan.hidden))} cannot be read" if scan.hidden else ""
    nameless = f"; {scan.nameless:,} with a name that is not UTF-8 are left out" if scan.nameless else ""
    return f"{len(scan.files):,} files: {differs}{hidden}{nameless}.{_BARE if scan.is_bare else ''}"


def describe_batch(batch: Batch) -> str:
    """Say what is sent."""
    return f"{batch.operation}: {len(batch.paths):,} files: {name_paths(batch.paths)}."


def describe_verdicts(verdicts: Sequence[Verdict]) -> list[str]:
    """Say, a line for each file, what was not indexed and why."""
    return [
        f"{one.standing}: {name_paths([one.path])}: {_on_one_line(one.reason)}"
        for one in verdicts
        if one.standing in {Standing.SKIPPED, Standing.FAILED}
    ]


def name_paths(paths: Sequence[str]) -> str:
    """Name paths on one line, whatever letters they hold, and count those that are too many to name."""
    named = ", ".join(_quote(path) for path in paths[:_MOST_NAMED])
    rest = len(paths) - _MOST_NAMED
    return f"{named} and {rest:,} more" if rest > 0 else named


def _quote(path: str) -> str:
    if not path:
        return "the folder itself"
    # A name may hold a line break or a terminal's control sequence, which would forge a line of the log.
    return path if path.isprintable() and " " not in path else json.dumps(path)


def _on_one_line(text: str) -> str:
    return text if text.isprintable() else json.dumps(text)
