"""What `postmaster.pid` says of a server, and whether to believe it."""

import os
from pathlib import Path
from typing import Final

from msgspec import Struct

_PROCESSES: Final = Path("/proc")
_SHARED_MEMORY: Final = _PROCESSES / "sysvipc" / "shm"

# Places of the lines in the file, from PostgreSQL's src/include/utils/pidfile.h.
_PID, _PORT, _SHARED_MEMORY_KEY, _STATUS = 0, 3, 6, 7


class Postmaster(Struct, frozen=True):
    """A server that runs on our cluster."""

    pid: int
    port: int
    is_ready: bool


def find_postmaster(cluster: Path) -> Postmaster | None:
    """Give the server that runs on `cluster`, or None; a file left by a dead one does not count."""
    lines = _read_lines(cluster)
    if len(lines) <= _PORT or not _serves(int(lines[_PID]), cluster):
        return None
    is_ready = len(lines) > _STATUS and lines[_STATUS].strip() == "ready"
    return Postmaster(int(lines[_PID]), int(lines[_PORT]), is_ready)


def drop_stale_file(cluster: Path) -> None:
    """Remove a `postmaster.pid` whose number meanwhile belongs to some other process, or to a zombie.

    Postgres would take that process for a server and refuse to start. Where the number is free, Postgres
    finds that out by itself. While backends of the dead server are attached to its memory, the file is what
    keeps a second server from the cluster, and stays.
    """
    lines = _read_lines(cluster)
    if not lines or not _alive(int(lines[_PID])) or _serves(int(lines[_PID]), cluster):
        return
    if len(lines) <= _SHARED_MEMORY_KEY or _attached(int(lines[_SHARED_MEMORY_KEY].split()[1])) == 0:
        (cluster / "postmaster.pid").unlink(missing_ok=True)


def _read_lines(cluster: Path) -> list[str]:
    try:
        return (cluster / "postmaster.pid").read_text("utf-8").splitlines()
    except FileNotFoundError:
        return []


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _serves(pid: int, cluster: Path) -> bool:
    """Say whether `pid` lives and was started for `cluster`; its command line names the folder."""
    if not _PROCESSES.joinpath("self").exists():
        return _alive(pid)
    try:
        command = _PROCESSES.joinpath(str(pid), "cmdline").read_bytes()
    except OSError:
        return False
    return str(cluster).encode() in command.split(b"\0")


def _attached(segment: int) -> int:
    """Count the processes attached to a System V memory segment; 0 where it is gone."""
    try:
        header, *rows = _SHARED_MEMORY.read_text("utf-8").splitlines()
    except OSError:
        return 1  # unknown: keep the file
    columns = header.split()
    for row in rows:
        values = dict(zip(columns, row.split(), strict=False))
        if int(values["shmid"]) == segment:
            return int(values["nattch"])
    return 0
