"""A folder, a service that breaks on demand and a watcher between them."""

from pathlib import Path

from tests.fake_index_line import FakeIndexLine, hashes_of
from vmk_mcp.errors import StartError
from vmk_mcp.knowledge.watching.model import Memory, Scope, Standing
from vmk_mcp.knowledge.watching.scanning import FolderScanner
from vmk_mcp.knowledge.watching.watcher import Voice, Watcher


class Keeper:
    """Keeps the memory as a file would: what was saved last is there after a kill."""

    def __init__(self) -> None:
        self.saved: Memory | None = None
        self.fault: StartError | None = None

    def save(self, memory: Memory) -> None:
        if self.fault is not None:
            raise self.fault
        self.saved = memory


class Stage:
    """A folder, a service and a watcher between them."""

    def __init__(self, folder: Path) -> None:
        self.lets_empty = False
        self.folder = folder
        self.line = FakeIndexLine(folder)
        # Nothing in it would be taken for a volume that is not mounted.
        (folder / ".keep").touch()
        self.keeper = Keeper()
        self.said: list[str] = []
        self.shown: list[tuple[float, int]] = []
        self.start()

    def start(self) -> None:
        """Start a watcher as after a kill: with what was saved."""
        memory = self.keeper.saved or Memory(scope=Scope(str(self.folder), "url"))
        scanner = FolderScanner(self.folder, lambda: 10**20, is_shared=True, may_be_empty=self.lets_empty)
        voice = Voice(self.said.append, lambda done, total, words: self.shown.append((done, total)))
        self.watcher = Watcher(scanner, self.line, self.keeper, memory, voice)

    def write(self, **texts: str) -> None:
        for name, text in texts.items():
            (self.folder / f"{name}.md").write_text(text)

    async def settle(self, *, is_full: bool = False) -> None:
        await self.watcher.settle(is_full=is_full)

    def assert_true(self) -> None:
        """Check that index and memory are as the folder is."""
        true = hashes_of(self.folder)
        known = self.watcher.memory.files
        assert self.line.index == true
        assert {path: one.sha256 for path, one in known.items() if one.standing is Standing.INDEXED} == true
        assert self.keeper.saved == self.watcher.memory
