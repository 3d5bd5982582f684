"""A folder of documents of which one changes all the time, and the claim that no search sees half of it."""

import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from tests.e2e.knowledge.watching import write_whole

CHANGING: Final = "heron.md"
SEARCH: Final[Mapping[str, Any]] = {"query": "topic-heron", "top_k": 12}
_STILL: Final = ("otter", "badger", "marten", "beaver")
_MARK: Final = re.compile(r"version (\d+), part (\d+) of (\d+)")


class Documents:
    """The folder, and what is known to be in the index.

    Attributes:
        count: how many documents there are.
        settings: those by which the service indexes the folder.
        written: version of the changing document that lies in the folder.
        confirmed: version that the service has said to have indexed.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self.count = len(_STILL) + 1
        self.settings = {"KB_PATH": str(root), "VECTOR_CHUNKING_STRATEGY": "semantic"}
        self.written = self.confirmed = 0
        for name in _STILL:
            parts = [f"## {name} {n}\n\nWhat is told of topic-{name}, part {n}.\n" for n in (1, 2, 3)]
            write_whole(root / f"{name}.md", "\n".join(parts).encode())
        self._write(1)

    def change(self, chance: random.Random) -> None:
        """Write the next version, which has more or fewer parts."""
        self._write(chance.randint(1, 5))

    def tears_in(self, answer: Mapping[str, Any], confirmed: int) -> list[str]:
        """Say in what an answer is not one whole version, at least the one `confirmed` before the search."""
        found: Sequence[Mapping[str, Any]] = answer["results"]
        marks = [
            tuple(map(int, mark))
            for one in found
            if one["file_path"] == CHANGING
            for mark in _MARK.findall(one["text"])
        ]
        versions = {version for version, _, _ in marks}
        if len(versions) != 1:
            return [f"the versions {sorted(versions)} are seen at once"]
        (version,) = versions
        whole = [(version, part, marks[0][2]) for part in range(1, marks[0][2] + 1)]
        tears = [] if sorted(marks) == whole else [f"of version {version} these parts are seen: {marks}"]
        if not confirmed <= version <= self.written:
            tears.append(f"version {version} is seen, but {confirmed} was indexed before")
        return tears

    def _write(self, parts: int) -> None:
        self.written += 1
        texts = [
            f"## Part {part}\n\nOf topic-heron: version {self.written}, part {part} of {parts}.\n"
            for part in range(1, parts + 1)
        ]
        write_whole(self._root / CHANGING, "\n".join(texts).encode())
