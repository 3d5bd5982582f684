"""The watcher's memory as a private file, replaced as a whole."""

from pathlib import Path
from typing import Final

import msgspec

from vmk_mcp.errors import StartError
from vmk_mcp.knowledge.watching.model import Memory, Scope
from vmk_mcp.private_files import FileLock, write_private

_LOCK_SUFFIX: Final = ".lock"


class MemoryFile:
    """Keeps a `Memory` from start to start, for one watcher at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = FileLock(path.with_name(path.name + _LOCK_SUFFIX))

    def take(self) -> None:
        """Make sure that no other watcher writes this file; raises `StartError` if one does."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            is_ours = self._lock.try_exclusive()
        except OSError:
            raise self._not_writable() from None
        if not is_ours:
            raise StartError(
                f"Another watcher keeps its memory in {self._path.name}.",
                hint="Stop it, or give this one a file of its own with --state.",
            )

    def release(self) -> None:
        """Let another watcher have the file."""
        self._lock.release()

    def load(self, scope: Scope) -> tuple[Memory, str]:
        """Give what is remembered of `scope`, and in words why that is nothing, or "".

        A file that is damaged or speaks of another folder or service is as good as none.
        """
        nothing = Memory(scope=scope)
        try:
            memory = msgspec.json.decode(self._path.read_bytes(), type=Memory)
        except FileNotFoundError:
            return nothing, ""
        except OSError:
            return nothing, f"The memory {self._path.name} cannot be read, so all files are looked at anew."
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return nothing, f"The memory {self._path.name} is damaged, so all files are looked at anew."
        if memory.scope != scope:
            return nothing, f"The memory {self._path.name} is of another folder or service and is replaced."
        return memory, ""

    def save(self, memory: Memory) -> None:
        """Write `memory` whole or not at all, readable by its owner only.

        Raises:
            StartError: the folder or the disk does not allow it.
        """
        try:
            write_private(self._path, msgspec.json.encode(memory))
        except OSError:
            raise self._not_writable() from None

    def _not_writable(self) -> StartError:
        return StartError(
            f"The watcher's memory {self._path.name} cannot be written.",
            hint="Check the rights and the free space of its folder, or name another file with --state.",
        )
