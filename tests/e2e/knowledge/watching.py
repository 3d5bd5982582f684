"""The real watcher as a process of its own, beside a real service, and what it confirmed."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Final

from tests.e2e.service import VMK_MCP, Service, environment

_SETTLED_WITHIN_S: Final = 60
_GONE_WITHIN_S: Final = 20


class Watcher:
    """A running `vmk-mcp watch`; it can be killed and started again with the same memory."""

    def __init__(self, root: Path, data_dir: Path, *options: str) -> None:
        self._root = root
        self._data_dir = data_dir
        self._options = options
        self._log = data_dir.with_name("watcher.log")
        self.state = data_dir / "vector_search_hashes.json"
        self.token_file = data_dir.with_name("watcher.token")
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> str:
        """All that it has said."""
        return self._log.read_text("utf-8", "replace")

    def forget_log(self) -> None:
        """Begin a log of its own."""
        self._log.write_bytes(b"")

    def grant(self, service: Service) -> None:
        """Have a token made for it."""
        made = service.run(
            "token", "new", "watcher", "--tools", "knowledge,knowledge.index", "--user-ids", "all"
        )
        assert made.returncode == 0, made.stderr
        self.token_file.touch(0o600)
        self.token_file.write_text(made.stdout.split()[-1] + "\n", encoding="ascii")

    def start(self, url: str) -> None:
        """Start it."""
        with self._log.open("ab") as stderr:
            self.process = subprocess.Popen(
                [
                    VMK_MCP, "watch", "--root", str(self._root), "--url", url,
                    "--token-file", str(self.token_file), *self._options,
                ],
                env=environment(self._data_dir),
                stdin=subprocess.DEVNULL,
                stderr=stderr,
                cwd=self._data_dir,
            )  # fmt: skip

    def ask(self) -> None:
        """Have it look at all at once, as soon as it runs."""
        if self.process is not None and f"[{self.process.pid}]" in self.log:
            self.signal(signal.SIGUSR1)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal, if it runs."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def kill(self) -> None:
        """Kill it as nothing can be helped."""
        self.signal(signal.SIGKILL)
        if self.process is not None:
            self.process.wait(_GONE_WITHIN_S)

    def stop(self) -> int:
        """End it, and give its exit status."""
        self.signal(signal.SIGTERM)
        assert self.process is not None
        return self.process.wait(_GONE_WITHIN_S)

    def confirmed(self) -> dict[str, str]:
        """Give what it remembers as indexed: path -> SHA-256."""
        try:
            memory = json.loads(self.state.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        return {
            path: one["sha256"] for path, one in memory["files"].items() if one.get("standing") == "indexed"
        }


@contextmanager
def watching(root: Path, service: Service, *options: str) -> Iterator[Watcher]:
    """Run a watcher of `root` for the service until the end of the block."""
    watcher = Watcher(root, service.data_dir, *options)
    watcher.forget_log()
    watcher.grant(service)
    watcher.start(service.url)
    try:
        yield watcher
    finally:
        watcher.kill()


def hashes_of(root: Path) -> dict[str, str]:
    """Give the SHA-256 of every shared document of a folder, by path."""
    return {
        path.relative_to(root).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*.md")
        if path.is_file() and not path.is_symlink() and path.relative_to(root).parts[0] != "users"
    }


def await_true(
    claim: Callable[[], object], told: Callable[[], str], within_s: float = _SETTLED_WITHIN_S
) -> None:
    """Wait until `claim` holds; after the time is up, fail with what is `told`."""
    deadline = time.monotonic() + within_s
    while not claim():
        assert time.monotonic() < deadline, told()
        time.sleep(0.05)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file as editors do, by rename, so that nobody reads half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.part")
    partial.write_bytes(content)
    partial.replace(path)
