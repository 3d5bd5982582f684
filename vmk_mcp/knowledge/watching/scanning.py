"""One look at a folder: which files are there, and the SHA-256 of each."""

import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, Final

from msgspec import Struct

from vmk_mcp.knowledge.documents import MAX_BYTES, USERS_FOLDER, is_document
from vmk_mcp.knowledge.folders import is_bare
from vmk_mcp.knowledge.watching.model import Scan, SeenFile

_READ_BYTES: Final = 1 << 20

# A file that is changed twice within one tick of the clock looks the same after the second time.
_SETTLED_AFTER_NS: Final = 2_000_000_000


class _Kind(StrEnum):
    FILE = "file"
    FOLDER = "folder"
    OTHER = "other"
    HIDDEN = "hidden"


class _Mark(Struct, frozen=True):
    """What changes whenever a file's content does: nobody can set the time of the last status change."""

    device: int
    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


class FolderScanner:
    """Looks at the documents of one folder, as the service does; what has not changed is not read again.

    Symbolic links are not followed, hidden entries (`.git`, `.notes.md.swp`) and what is no text by its name
    are passed over, and of what is neither file nor folder nothing is read.
    """

    def __init__(
        self, folder: Path, clock_ns: Callable[[], int], *, is_shared: bool, may_be_empty: bool = False
    ) -> None:
        """Describe the folder; nothing is read yet.

        Args:
            folder: where the documents lie.
            clock_ns: wall clock, in nanoseconds.
            is_shared: it is the root, whose `users` folder belongs to others.
            may_be_empty: it is a folder like others where nothing lies in it.
        """
        self._folder = folder
        self._clock_ns = clock_ns
        self._may_be_empty = may_be_empty
        self._passed_over = {USERS_FOLDER} if is_shared else frozenset[str]()
        self._hashes: dict[str, tuple[_Mark, SeenFile]] = {}

    def scan(self) -> Scan:
        """Look at every file; blocks. What cannot be read is named as hidden, never as gone."""
        files: dict[str, SeenFile] = {}
        hidden: set[str] = set()
        nameless = 0
        for path in filter(is_document, self._walk(hidden)):
            if not _is_utf8(path):
                nameless += 1
                continue
            try:
                seen = self._look_at(path)
            except (FileNotFoundError, NotADirectoryError):
                continue  # it went away since its folder was listed
            except OSError:
                hidden.add(path)
                continue
            if seen is not None:
                files[path] = seen
        self._hashes = {path: self._hashes[path] for path in files if path in self._hashes}
        bare = not files and not hidden and not self._may_be_empty and is_bare(self._folder)
        return Scan(files, frozenset(hidden), nameless, is_bare=bare)

    def _walk(self, hidden: set[str]) -> Iterator[str]:
        """Give the paths of all files, folder by folder; what cannot be looked at is put into `hidden`."""
        folders = [""]
        while folders:
            for path, kind in self._list(folders.pop()):
                if kind is _Kind.FOLDER:
                    folders.append(path)
                elif kind is _Kind.FILE:
                    yield path
                elif kind is _Kind.HIDDEN:
                    hidden.add(path)

    def _list(self, folder: str) -> list[tuple[str, _Kind]]:
        """Give what lies in a folder, but for what is passed over, in the order of its names."""
        prefix = f"{folder}/" if folder else ""
        try:
            with os.scandir(self._folder / folder) as entries:
                return sorted(
                    (prefix + entry.name, _kind_of(entry))
                    for entry in entries
                    if not entry.name.startswith(".") and (folder or entry.name not in self._passed_over)
                )
        except (FileNotFoundError, NotADirectoryError):
            # A folder below went away since it was listed; of a root that is not there nothing is known.
            return [] if folder else [(folder, _Kind.HIDDEN)]
        except OSError:
            return [(folder, _Kind.HIDDEN)]

    def _look_at(self, path: str) -> SeenFile | None:
        """Give the file's hash, or None for what is no regular file any more."""
        known = self._hashes.get(path)
        if known is not None and known[0] == _mark_of((self._folder / path).lstat()):
            return known[1]
        # Between listing and opening, a file may have been replaced by a link or by a pipe without a writer.
        descriptor = os.open(self._folder / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                return None
            seen, mark = _hash(file, status), _mark_of(status)
        self._hashes.pop(path, None)
        if abs(self._clock_ns() - mark.ctime_ns) > _SETTLED_AFTER_NS:
            self._hashes[path] = (mark, seen)
        return seen


def _hash(file: BinaryIO, status: os.stat_result) -> SeenFile:
    if status.st_size > MAX_BYTES:
        mark = f"{status.st_size} bytes, changed at {status.st_mtime_ns}"
        return SeenFile(hashlib.sha256(mark.encode()).hexdigest(), status.st_size)
    digest, size = hashlib.sha256(), 0
    while part := file.read(_READ_BYTES):
        digest.update(part)
        size += len(part)
    return SeenFile(digest.hexdigest(), size)


def _kind_of(entry: "os.DirEntry[str]") -> _Kind:
    try:
        if entry.is_dir(follow_symlinks=False):
            return _Kind.FOLDER
        return _Kind.FILE if entry.is_file(follow_symlinks=False) else _Kind.OTHER
    except OSError:
        return _Kind.HIDDEN


def _mark_of(status: os.stat_result) -> _Mark:
    return _Mark(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
