"""Files of one account that several processes use: written whole for their owner only, and locks (leaf)."""

import fcntl
import os
import secrets
import time
from pathlib import Path
from typing import Final

_OWNER_ONLY: Final = 0o600
_POLL_S: Final = 0.05


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all; an existing file keeps its owner.

    Raises:
        OSError: the folder or the disk does not allow it; the file is as it was.
    """
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY), "wb") as file:
            file.write(content)
            file.flush()
            # Without this, a power cut may leave the new name with nothing behind it.
            os.fsync(file.fileno())
        if path.exists() and os.geteuid() == 0:
            os.chown(partial, path.stat().st_uid, path.stat().st_gid)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


class FileLock:
    """A lock on one file or folder that the kernel frees when its process ends, however it ends.

    A file is made where there is none. Every method may raise `OSError`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def take_exclusive(self, timeout_s: float) -> None:
        """Wait until nobody else holds the lock; raises `TimeoutError` after `timeout_s`."""
        deadline = time.monotonic() + timeout_s
        while not self.try_exclusive():
            if time.monotonic() > deadline:
                self.release()
                raise TimeoutError(f"{self._path} is held by another process")
            time.sleep(_POLL_S)

    def try_exclusive(self) -> bool:
        """Take the lock, or turn a shared one into it, if nobody else holds it; never waits."""
        try:
            fcntl.flock(self._open(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def take_shared(self) -> None:
        """Hold the lock together with others; waits while someone holds it alone."""
        fcntl.flock(self._open(), fcntl.LOCK_SH)

    def release(self) -> None:
        """Let go; does nothing when not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int:
        if self._descriptor is None:
            flags = os.O_RDONLY if self._path.is_dir() else os.O_RDWR | os.O_CREAT
            # Python opens files closed to children, so a server that we start never holds a lock.
            self._descriptor = os.open(self._path, flags, _OWNER_ONLY)
        return self._descriptor
