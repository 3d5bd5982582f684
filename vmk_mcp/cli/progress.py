"""A progress bar on a terminal, and nothing at all elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn


class Bar:
    """One bar; `words` stand behind it."""

    def __init__(self, progress: Progress, title: str) -> None:
        self._progress = progress
        self._task = progress.add_task(title, total=None, words="")

    def show(self, done: int, total: int, words: str) -> None:
        """Move the bar."""
        self._progress.update(self._task, completed=done, total=total, words=words)


@contextmanager
def shown_bar(title: str) -> Iterator[Bar]:
    """Show a bar on stderr while the block runs, if stderr is a terminal."""
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[words]}"),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
        transient=True,
    )
    with progress:
        yield Bar(progress, title)
