"""Random edits of a folder of documents, the same for the same seed."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.e2e.knowledge.watching import write_whole

_WORDS: Final = (
    "квартира",
    "метро",
    "договір",
    "завдаток",
    "нотаріус",
    "район",
    "flat",
    "deed",
    "tram",
    "lease",
)
_ENCODINGS: Final = ("utf-8", "utf-8-sig", "utf-16", "cp1251")
_MOST_FILES: Final = 40


class Editor:
    """Edits documents below `root`; what is written holds no other encoding's letters."""

    def __init__(self, root: Path, chance: random.Random) -> None:
        self._root = root
        self._chance = chance
        self._made = 0
        self._edits: tuple[Callable[[], None], ...] = (
            self.create, self.create, self.change, self.change, self.rename, self.delete, self.shrink,
            self.change_encoding, self.copy, self.swap, self.put_link,
        )  # fmt: skip

    def edit(self) -> str:
        """Make one edit; gives its name."""
        edit = self._chance.choice(self._edits) if len(self._files()) < _MOST_FILES else self.delete
        edit()
        return edit.__name__

    def create(self) -> None:
        """Write a new file."""
        self._made += 1
        folder = self._chance.choice(("", "notes/", "notes/deep/", "архів/"))
        self._write(self._root / f"{folder}file {self._made}.md", self._document(self._chance.randint(1, 12)))

    def change(self) -> None:
        """Change one paragraph of a file."""
        for path in self._pick():
            parts = read_text(path).split("\n\n")
            parts[self._chance.randrange(len(parts))] = self._paragraph()
            self._write(path, "\n\n".join(parts))

    def rename(self) -> None:
        """Give a file another name, perhaps that of another one."""
        for path in self._pick():
            self._made += 1
            others = [self._root / f"notes/renamed {self._made}.md", *self._files()]
            target = self._chance.choice(others[:2])
            target.parent.mkdir(exist_ok=True)
            path.replace(target)

    def delete(self) -> None:
        """Remove a file."""
        for path in self._pick():
            path.unlink()

    def shrink(self) -> None:
        """Cut most of a file off."""
        for path in self._pick():
            self._write(path, read_text(path).split("\n\n")[0])

    def change_encoding(self) -> None:
        """Save a file in another encoding."""
        for path in self._pick():
            write_whole(path, read_text(path).encode(self._chance.choice(_ENCODINGS)))

    def copy(self) -> None:
        """Write a file a second time under another name."""
        for path in self._pick():
            self._made += 1
            write_whole(self._root / f"copy {self._made}.md", path.read_bytes())

    def swap(self) -> None:
        """Let two files change places."""
        files = self._files()
        if len(files) > 1:
            one, other = self._chance.sample(files, 2)
            contents = one.read_bytes(), other.read_bytes()
            write_whole(one, contents[1])
            write_whole(other, contents[0])

    def put_link(self) -> None:
        """Put a link to another file in a file's place, or to nowhere; it is no document then."""
        for path in self._pick():
            others = [one for one in self._files() if one != path]
            path.unlink()
            path.symlink_to(self._chance.choice([*others, self._root / "nowhere.md"]))

    def _pick(self) -> list[Path]:
        return self._chance.sample(files, 1) if (files := self._files()) else []

    def _files(self) -> list[Path]:
        return sorted(path for path in self._root.rglob("*.md") if not path.is_symlink())

    def _document(self, paragraphs: int) -> str:
        parts = [f"# {self._chance.choice(_WORDS)} {self._made}"]
        for number in range(paragraphs):
            parts.append(self._paragraph())
            if self._chance.random() < 0.3:
                parts.append(f"## {self._chance.choice(_WORDS)} {number}")
        return "\n\n".join(parts)

    def _paragraph(self) -> str:
        # Some paragraphs come in many files, as boilerplate does.
        if self._chance.random() < 0.2:
            return "Умови можуть змінитися. Terms may change."
        return " ".join(self._chance.choices(_WORDS, k=self._chance.randint(3, 120)))

    def _write(self, path: Path, text: str) -> None:
        write_whole(path, text.encode(self._chance.choice((*_ENCODINGS, "utf-8", "utf-8"))))


def read_text(path: Path) -> str:
    """Read a file in whichever encoding it was written."""
    content = path.read_bytes()
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1251")
