"""One embedded cluster of the service under test, as an operator, an accident or a busy machine treats it."""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import psutil

from vmk_mcp.database.account import find_home
from vmk_mcp.database.cluster import CLUSTER_FOLDER
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import find_embedded
from vmk_mcp.database.postmaster import find_postmaster

_COUNT: Final = """\
SELECT datname || '/' || usename, count(*) FROM pg_stat_activity
WHERE backend_type = 'client backend' AND usename LIKE 'vmk%' GROUP BY 1
"""
_TERMINATE: Final = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'vmk%'"
_RUNS_WITHIN_S: Final = 60


class Postgres:
    """The cluster `name` of the service whose folder is `data_dir`."""

    def __init__(self, data_dir: Path, name: str) -> None:
        self._data_dir = data_dir
        self._name = name
        self._folder = find_home(data_dir, name) / CLUSTER_FOLDER
        # Where it is read once, it can be asked for while the server is away.
        self._bin_dir = Path(self.find().exe()).parent

    def find(self) -> psutil.Process:
        """Give the postmaster."""
        running = find_postmaster(self._folder)
        assert running is not None, f"the cluster {self._name} does not run"
        return psutil.Process(running.pid)

    def is_running(self) -> bool:
        """Say whether the postmaster runs."""
        return find_postmaster(self._folder) is not None

    async def restart(self) -> None:
        """Restart it as `pg_ctl restart -m immediate` does; the service may start it before that does."""
        uid, gid = self.find().uids().real, self.find().gids().real
        log = str(self._folder.with_name("postgres.log"))
        options = ["-m", "immediate", "-w", "-t", str(_RUNS_WITHIN_S), "-D", str(self._folder), "-l", log]
        restarting = await asyncio.create_subprocess_exec(
            str(self._bin_dir / "pg_ctl"),
            "restart",
            *options,
            cwd=self._folder.parent,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
            user=uid if os.geteuid() == 0 else None,
            group=gid if os.geteuid() == 0 else None,
        )
        await restarting.wait()

    async def kill(self) -> None:
        """Kill the postmaster alone; its backends find out by themselves."""
        self.find().kill()

    async def terminate(self) -> None:
        """End every session of the service."""
        await self._ask(_TERMINATE)

    async def freeze(self, seconds: float) -> None:
        """Stop it and all its sessions for a while, as a machine does that swaps."""
        postmaster = self.find()
        frozen = [postmaster, *postmaster.children()]
        _signal(frozen, signal.SIGSTOP)
        try:
            await asyncio.sleep(seconds)
        finally:
            _signal(frozen, signal.SIGCONT)

    async def count_sessions(self) -> Counter[str]:
        """Give how many sessions the service has, by database and role."""
        rows = [line.split("|") for line in (await self._ask(_COUNT)).splitlines()]
        return Counter({place: int(number) for place, number in rows})

    async def _ask(self, statement: str) -> str:
        address = find_embedded(self._data_dir, self._name)
        assert address is not None, f"the cluster {self._name} does not run"
        psql = await asyncio.create_subprocess_exec(
            str(self._bin_dir / "psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", statement,
            address.dsn(Role.SUPERUSER, "postgres"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        said, _ = await psql.communicate()
        assert psql.returncode == 0
        return said.decode()


def _signal(processes: Sequence[psutil.Process], number: signal.Signals) -> None:
    for process in processes:
        if process.is_running():
            process.send_signal(number)
