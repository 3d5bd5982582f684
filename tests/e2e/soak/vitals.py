"""What the service takes of its machine when nobody calls, and what may not grow under load and faults."""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Sequence
from typing import Final

import httpx
import psutil
from msgspec import Struct

from tests.e2e.soak.door import Door
from tests.e2e.soak.postgres import Postgres

_MORE_MEMORY_MB: Final = 24.0
"""Two families remember 2,000 vectors each of 768 numbers, 12 MiB; as much again for what malloc keeps."""

_MORE_FILES: Final = 6
"""Files that are not sessions: sockets of clients and of the embedder that are just being closed."""

_MORE_TASKS: Final = 3
_MORE_THREADS: Final = 2
_MOST_SESSIONS: Final = 7
"""DB_POOL_MAX_SIZE of one database and role, one held by the index and one while an index is made."""

_CALM_WITHIN_S: Final = 15.0


class Vitals(Struct, frozen=True):
    """One look at the service.

    Attributes:
        sessions: in Postgres, by database and role.
        busy: calls that are said to be at work or in line.
    """

    memory_mb: float
    files: int
    threads: int
    tasks: int
    sessions: Counter[str]
    busy: int

    def __str__(self) -> str:
        return (
            f"{self.memory_mb:.1f} MB, {self.files} files, {self.threads} threads, {self.tasks} tasks, "
            f"{self.sessions.total()} sessions"
        )

    def growth_since(self, before: "Vitals") -> list[str]:
        """Say what has grown beyond its bound."""
        more_sessions = max(0, self.sessions.total() - before.sessions.total())
        grown = {
            "memory": self.memory_mb > before.memory_mb + _MORE_MEMORY_MB,
            "open files": self.files > before.files + more_sessions + _MORE_FILES,
            "threads": self.threads > before.threads + _MORE_THREADS,
            "tasks": self.tasks > before.tasks + _MORE_TASKS,
            "sessions": any(number > _MOST_SESSIONS for number in self.sessions.values()),
            "calls at work though nobody calls": self.busy > 0,
        }
        return [f"{what}: from {before} to {self}" for what, is_so in grown.items() if is_so]


async def take_vitals(process: psutil.Process, door: Door, clusters: Sequence[Postgres]) -> Vitals:
    """Look at the service once no call is at work any more, or after the time for that is up."""
    sessions: Counter[str] = Counter()
    for cluster in clusters:
        sessions += await cluster.count_sessions()
    deadline = time.monotonic() + _CALM_WITHIN_S
    gauges = await _read_gauges(door)
    while gauges["running"] + gauges["waiting"] and time.monotonic() < deadline:
        await asyncio.sleep(0.1)
        gauges = await _read_gauges(door)
    return Vitals(
        memory_mb=process.memory_info().rss / 2**20,
        files=process.num_fds(),
        threads=process.num_threads(),
        tasks=gauges["tasks"],
        sessions=sessions,
        busy=gauges["running"] + gauges["waiting"],
    )


async def _read_gauges(door: Door) -> dict[str, int]:
    async with door.open() as client:
        address = door.url.removesuffix("/mcp") + "/metrics"
        page = await client.get(address, headers={"Authorization": f"Bearer {door.keyring.operator}"})
    assert page.status_code == httpx.codes.OK, page.text
    found = re.findall(r"^vmk_(?:calls_(running|waiting)|(tasks)) ([0-9.]+)$", page.text, re.MULTILINE)
    return {calls or tasks: int(float(value)) for calls, tasks, value in found}
