"""A service that indexes in memory, and breaks when it is told to, for tests of the watcher."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from vmk_mcp.client import ClientError
from vmk_mcp.knowledge.watching.line import TellDone
from vmk_mcp.knowledge.watching.model import Batch, IndexStanding, Operation, Standing, Verdict

TEXT_ENDINGS = (".md", ".txt")


class FakeIndexLine:
    """See `IndexLine`; it reads the files itself, as the service does.

    Attributes:
        index: path -> SHA-256 of what is indexed.
        failing: path -> what is said of it instead of indexing it.
        sent: every batch that arrived.
        faults: raised by the next calls of `send`, one each; None lets a call pass.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.generation = "first"
        self.index: dict[str, str] = {}
        self.failing: dict[str, Verdict] = {}
        self.sent: list[Batch] = []
        self.faults: list[ClientError | None] = []
        self.closed_to: ClientError | None = None
        self.does_before_failing = False
        self.opened = self.reindexed = 0

    async def open(self) -> None:
        self.opened += 1
        if self.closed_to is not None:
            raise self.closed_to

    async def read_standing(self) -> IndexStanding:
        return IndexStanding(self.generation, len(self.index))

    async def send(self, batch: Batch, tell: TellDone) -> Sequence[Verdict]:
        self.sent.append(batch)
        fault = self.faults.pop(0) if self.faults else None
        if fault is not None and not self.does_before_failing:
            raise fault
        verdicts = [self._take(batch.operation, path) for path in batch.paths]
        if fault is not None:
            raise fault
        return verdicts

    async def reindex(self, tell: TellDone) -> None:
        self.reindexed += 1
        self.index = dict(hashes_of(self.folder))
        self.generation = f"{self.generation}+"

    async def close(self) -> None:
        pass

    def _take(self, operation: Operation, path: str) -> Verdict:
        if path in self.failing:
            return self.failing[path]
        if operation is Operation.DELETE:
            self.index.pop(path, None)
            return Verdict(path, Standing.INDEXED)
        if not path.endswith(TEXT_ENDINGS):
            return Verdict(path, Standing.SKIPPED, reason="It is no text.")
        sha256 = hashlib.sha256((self.folder / path).read_bytes()).hexdigest()
        self.index[path] = sha256
        return Verdict(path, Standing.INDEXED, sha256)


def hashes_of(folder: Path) -> Mapping[str, str]:
    """Give what a whole index of the folder holds."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name.endswith(TEXT_ENDINGS)
    }
