"""The folders of documents on the disk: which paths may be read, and reading them without being tricked."""

import errno
import hashlib
import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct

from vmk_mcp.knowledge.documents import MAX_BYTES, USERS_FOLDER, is_document
from vmk_mcp.knowledge.model import INT8_MAX, INT8_MIN

_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC

_MOST_PATH_BYTES: Final = 2_000
"""Postgres takes no more than 2,704 bytes into an entry of an index."""
_USER: Final = re.compile(r"0|-?[1-9][0-9]{0,18}")
_GONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR})
_MOVED: Final = frozenset({errno.ELOOP, errno.EMLINK})


class Refused(ValueError):
    """A file cannot be indexed as it is; says why, in a sentence.

    Attributes:
        is_retryable: another try may succeed without a change of the file.
    """

    def __init__(self, reason: str, *, is_retryable: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_retryable = is_retryable


class ReadFile(Struct, frozen=True):
    """The bytes of a file, and their SHA-256, hexadecimal."""

    content: bytes
    content_hash: str


class Listing(Struct, frozen=True):
    """The documents of a folder, by path.

    Attributes:
        paths: in order of folders and names.
        closed: folders that could not be looked into, whose files are not known.
    """

    paths: tuple[str, ...]
    closed: tuple[str, ...]

    def may_hold(self, path: str) -> bool:
        """Say whether `path`, which is not among the paths, may be there all the same."""
        return any(folder == "." or PurePosixPath(path).is_relative_to(folder) for folder in self.closed)


class DocumentFolder:
    """One owner's folder of documents; blocks, so that it is used from a thread.

    A path is followed step by step from the open folder, and none of its steps may be a link: links that stay
    inside are resolved before, those that lead out are refused, and one that is put there in between is not
    followed.
    """

    def __init__(self, root: Path, owner: int | None) -> None:
        """Take the folder of `owner` below `root`; None: all of `root` but the users' folders."""
        self.owner: Final = owner
        self._root = root
        self._folder = root if owner is None else root / USERS_FOLDER / str(owner)

    def of(self, owner: int | None) -> "DocumentFolder":
        """Give the folder of another owner below the same root."""
        return DocumentFolder(self._root, owner)

    def locate(self, path: str) -> str:
        """Give the one path, relative to the folder, that stands for the file that `path` leads to.

        Raises:
            Refused: it leads out of the folder, or cannot be a path.
        """
        pure = _check_form(path)
        base = self._resolve()
        try:
            inside = _follow(base / pure).relative_to(base)
        except ValueError:
            raise Refused("The path leads out of the folder of documents.") from None
        except OSError:
            raise Refused("The path cannot be followed: it is too long, or its links go round.") from None
        if not inside.parts:
            raise Refused("The path is the folder itself; name a file in it.")
        if self.owner is None and inside.parts[0] == USERS_FOLDER:
            raise Refused("The path is in a user's folder; give the user_id whose it is.")
        return inside.as_posix()

    def read(self, path: str) -> ReadFile:
        """Read the file of a path that `locate` gave.

        Raises:
            Refused: it is not there, no regular file, too large, or cannot be read.
        """
        try:
            content = self._read(PurePosixPath(path))
        except OSError as fault:
            raise _explain(fault) from None
        return ReadFile(content, hashlib.sha256(content).hexdigest())

    def has_file(self, path: str) -> bool:
        """Say whether anything is at a path that `locate` gave, and no step to it has become a link."""
        try:
            return self.locate(path) == path and os.path.lexists(self._folder / path)
        except Refused:
            return False

    def list_documents(self) -> Listing:
        """Give all documents there are; links are not followed.

        Raises:
            Refused: the folder is not there.
        """
        base = os.fspath(self._resolve())
        paths: list[str] = []
        closed: list[str] = []

        def note_closed(fault: OSError) -> None:
            if fault.errno not in _GONE:
                closed.append(os.path.relpath(fault.filename, base))

        for folder, folders, names in os.walk(base, onerror=note_closed):
            inside = PurePosixPath(os.path.relpath(folder, base))
            folders[:] = sorted(name for name in folders if not self._is_passed_over(inside, name))
            for name in sorted(names):
                path = (inside / name).as_posix()
                if _is_utf8(path) and is_document(path) and not (self._folder / path).is_symlink():
                    paths.append(path)
        return Listing(tuple(paths), tuple(closed))

    def _is_passed_over(self, inside: PurePosixPath, name: str) -> bool:
        is_users = self.owner is None and not inside.parts and name == USERS_FOLDER
        return is_users or name.startswith(".")

    def _resolve(self) -> Path:
        """Give the folder without links; a user's folder that is one may lead into another user's."""
        try:
            base = self._folder.resolve(strict=True)
            own = base if self.owner is None else self._root.resolve() / USERS_FOLDER / str(self.owner)
        except (OSError, RuntimeError):
            raise Refused("The folder of documents is not there.", is_retryable=True) from None
        if base != own or not base.is_dir():
            raise Refused("The folder of documents is a link or no folder; it must be a folder itself.")
        return base

    def _read(self, path: PurePosixPath) -> bytes:
        folder = os.open(self._resolve(), _FOLDER_FLAGS)
        try:
            for step in path.parts[:-1]:
                inner = os.open(step, _FOLDER_FLAGS, dir_fd=folder)
                os.close(folder)
                folder = inner
            # Without O_NONBLOCK a pipe that nobody writes to would never open.
            file = os.open(path.name, _FLAGS, dir_fd=folder)
        finally:
            os.close(folder)
        with os.fdopen(file, "rb", buffering=0) as opened:
            _check_kind(os.fstat(file))
            return _read_all(opened.read)


def spell_path(path: str) -> str:
    """Give the one spelling of a path, wherever it may lead; raises `Refused` where it cannot be a path."""
    return _check_form(path).as_posix()


def is_bare(root: Path) -> bool:
    """Say whether nothing at all lies in `root`, as where a volume is not mounted; blocks."""
    try:
        with os.scandir(root) as entries:
            return next(entries, None) is None
    except OSError:
        return False


def list_users(root: Path) -> list[int]:
    """Give the users who have a folder below `root`, in ascending order."""
    try:
        names = [entry.name for entry in (root / USERS_FOLDER).iterdir() if entry.is_dir()]
    except OSError:
        return []
    numbers = [int(name) for name in names if _USER.fullmatch(name)]
    return sorted(number for number in numbers if INT8_MIN <= number <= INT8_MAX)


def _follow(path: Path) -> Path:
    """Resolve all links of `path`, at whose end there need be nothing.

    Raises:
        OSError: its links go round, or it is too long. Of links that go round `Path.resolve` tells by
            `RuntimeError` up to Python 3.12 and not at all from 3.13 on.
    """
    followed = Path(os.path.realpath(path))
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError):
        followed.stat()
    return followed


def _check_form(path: str) -> PurePosixPath:
    if not path or "\0" in path or not _is_utf8(path):
        raise Refused("The path is empty or holds what no path can.")
    if len(path.encode()) > _MOST_PATH_BYTES:
        raise Refused(f"The path is longer than {_MOST_PATH_BYTES:,} bytes; shorten its names.")
    pure = PurePosixPath(path)
    if pure.is_absolute():
        raise Refused("The path is absolute; give it relative to the folder of documents.")
    if ".." in pure.parts:
        raise Refused("The path holds `..`; give it as it is inside the folder of documents.")
    return pure


def _check_kind(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise Refused("The path is a pipe, a socket or a device and no file.")
    if status.st_size > MAX_BYTES:
        raise _too_large()


def _read_all(read: Callable[[int], bytes | None]) -> bytes:
    """Read to the end, and no further than the cap where the file grows meanwhile."""
    parts: list[bytes] = []
    size = 0
    while part := read(MAX_BYTES + 1 - size):
        parts.append(part)
        size += len(part)
        if size > MAX_BYTES:
            raise _too_large()
    return b"".join(parts)


def _too_large() -> Refused:
    return Refused(f"The file is larger than {MAX_BYTES // 1024**2} MiB; divide it.")


def _explain(fault: OSError) -> Refused:
    if fault.errno in _GONE:
        return Refused("There is no such file.")
    if fault.errno == errno.EISDIR:
        return Refused("The path is a folder; name a file in it.")
    if fault.errno in _MOVED:
        return Refused("The path was replaced by a link while it was read.", is_retryable=True)
    if fault.errno == errno.ENXIO:
        return Refused("The path is a pipe, a socket or a device and no file.")
    if fault.errno in {errno.EACCES, errno.EPERM}:
        return Refused("The service has no right to read the file.", is_retryable=True)
    return Refused("The file cannot be read just now.", is_retryable=True)


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
