"""Random edits with kills in between: once all has settled, the index is as if made from scratch.

`SOAK_ROUNDS` says how many rounds; `make soak` runs two hundred. `SOAK_SEED` repeats a run.
"""

import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.knowledge.contents import Contents, IndexReader, make_from_scratch
from tests.e2e.knowledge.edits import Editor
from tests.e2e.knowledge.embedding_server import EmbeddingServer, embedding_server
from tests.e2e.knowledge.watching import Watcher, await_true, hashes_of
from tests.e2e.service import Service, serving
from tests.integration.servers import open_folder

ROUNDS: Final = int(os.environ.get("SOAK_ROUNDS", "20"))
SEED: Final = int(os.environ.get("SOAK_SEED", "1"))


class Soak:
    """A folder, a service and a watcher, of which the latter two are killed and started again."""

    def __init__(self, folder: Path, embedder: EmbeddingServer) -> None:
        self.root = folder / "documents"
        self._data_dir = folder / "data"
        for path in (self.root, self._data_dir):
            path.mkdir()
        # A folder in which nothing lies is taken for one that is not mounted.
        (self.root / ".keep").touch()
        self.done: Counter[str] = Counter()
        self._settings = {"VMK_FAMILIES": "knowledge", "KB_PATH": str(self.root), **embedder.settings()}
        self._chance = random.Random(SEED)  # noqa: S311 - a run that can be repeated
        self._editor = Editor(self.root, self._chance)
        self._embedder = embedder
        self._serving = ExitStack()
        self._service = self._start_service()
        self.watcher = Watcher(self.root, self._data_dir)
        self.watcher.grant(self._service)
        self.watcher.start(self._service.url)
        self._reader = IndexReader(self._data_dir)

    def run_round(self) -> None:
        """Edit at random, kill at random, and see that all comes out right."""
        self._embedder.delay_s = self._chance.choice((0.0, 0.005, 0.03))
        is_victim_service = self._chance.random() < 0.35
        is_victim_watcher = self._chance.random() < 0.35
        for _ in range(self._chance.randint(1, 8)):
            self.done[self._editor.edit()] += 1
            if self._chance.random() < 0.2:
                self.watcher.ask()
            time.sleep(self._chance.random() * 0.05)
        self.watcher.ask()
        time.sleep(self._chance.random() * 0.4)
        if is_victim_service:
            self.kill_service()
        if is_victim_watcher:
            self.kill_watcher()
        for _ in range(self._chance.randint(0, 2)):
            self.done[self._editor.edit()] += 1
        self._embedder.delay_s = 0.0
        self.await_true()

    def kill_service(self) -> None:
        """Kill the service; another takes its place at the same port."""
        self.done["service killed"] += 1
        self._service.process.kill()
        self._service.process.wait()
        self._serving.close()
        self._settings["MCP_PORT"] = self._service.url.rpartition(":")[2].removesuffix("/mcp")
        self._service = self._start_service()

    def kill_watcher(self) -> None:
        """Kill the watcher; another goes on with its memory."""
        self.done["watcher killed"] += 1
        self.watcher.kill()
        self.watcher.start(self._service.url)

    def await_true(self) -> None:
        """Wait until index and memory are as the folder is, and see that they stay so."""
        expected = make_from_scratch(self.root)
        asked_at = 0.0

        def is_true() -> bool:
            nonlocal asked_at
            if time.monotonic() - asked_at > 1:
                asked_at = time.monotonic()
                self.watcher.ask()
            return self.watcher.confirmed() == hashes_of(self.root) and self._reader.read() == expected

        await_true(is_true, lambda: self._explain(expected))

    def reindex(self) -> Contents:
        """Have the service make the index anew, and give what it holds then."""
        self._service.call("vector_search", {"query": "x"})
        message = {"name": "reindex_vector", "arguments": {"force": True}}
        token = self.watcher.token_file.read_text("ascii").strip()
        answer = self._service.post(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": message},
            Authorization=f"Bearer {token}",
        ).json()
        assert not answer["result"].get("isError"), answer
        return self._reader.read()

    def read(self) -> Contents:
        """Give what the index holds."""
        return self._reader.read()

    def close(self) -> None:
        """End both."""
        self.watcher.kill()
        self._serving.close()

    def _start_service(self) -> Service:
        return self._serving.enter_context(serving(self._data_dir, **self._settings))

    def _explain(self, expected: Contents) -> str:
        held, confirmed, true = self._reader.read(), self.watcher.confirmed(), hashes_of(self.root)
        wrong = sorted(path for path in held | expected if held.get(path) != expected.get(path))
        untrue = sorted(path for path in confirmed | true if confirmed.get(path) != true.get(path))
        tail = "\n".join(self.watcher.log.splitlines()[-40:])
        return f"seed {SEED}: in the index {wrong}, in the memory {untrue}\n{tail}"


@pytest.fixture
def soak() -> Iterator[Soak]:
    with open_folder() as folder, embedding_server() as embedder:
        running = Soak(folder, embedder)
        try:
            yield running
        finally:
            running.close()


def test_after_random_edits_and_kills_the_index_is_as_one_made_from_scratch(soak: Soak) -> None:
    for _ in range(ROUNDS):
        soak.run_round()
    assert soak.done["service killed"] >= ROUNDS // 10
    assert soak.done["watcher killed"] >= ROUNDS // 10
    kept = soak.read()
    assert soak.reindex() == kept
    soak.await_true()
    assert soak.watcher.stop() == 0
    print(f"{ROUNDS} rounds with seed {SEED}: {dict(soak.done)}")  # noqa: T201 - the soak's own summary
