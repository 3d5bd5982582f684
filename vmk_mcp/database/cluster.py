"""One cluster of the embedded Postgres: made, started and stopped by Postgres' own programs."""

import re
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Final, NoReturn

from msgspec import Struct

from vmk_mcp.database.account import Account
from vmk_mcp.database.binaries import Binaries
from vmk_mcp.database.postmaster import drop_stale_file, find_postmaster
from vmk_mcp.errors import StartError
from vmk_mcp.private_files import write_private

_START_LIMIT_S: Final = 60.0
_RETRY_S: Final = 0.25
# An orphaned backend notices within this time that its server is gone.
_RETRY_LIMIT_S: Final = 15.0
# The first major version that has the locale PG_UNICODE_FAST built in.
_BUILTIN_FULL_CASE: Final = 18
_LOG_LIMIT: Final = 8 * 1024 * 1024
# What Postgres logs, in the C locale, while a killed predecessor is not quite gone.
_PREDECESSOR: Final = re.compile(rb"pre-existing shared memory block|lock file .* already exists")

_SETTINGS: Final = """\
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = ''
max_connections = 100
password_encryption = 'scram-sha-256'
# Rows with vectors take 4 KiB each, their index as much: in 128 MB an exact scan drove the index out, and the
# next search by it took 35 ms instead of 13. What is not used takes no memory.
shared_buffers = '512MB'
effective_cache_size = '1GB'
work_mem = '16MB'
maintenance_work_mem = '256MB'
# Calls run side by side: one must not take all cores, nor the small /dev/shm of a container.
max_parallel_workers_per_gather = 0
max_parallel_maintenance_workers = 0
random_page_cost = 1.1
jit = off
fsync = on
# Who was told that a file is indexed does not ask again: the server's end may not take that back.
synchronous_commit = on
wal_level = minimal
max_wal_senders = 0
min_wal_size = '80MB'
max_wal_size = '512MB'
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
log_min_messages = 'warning'
log_checkpoints = off
log_line_prefix = '%m [%p] '
"""

CLUSTER_FOLDER: Final = Path("server/cluster")
"""Where the data directory lies below a cluster's home."""

_ACCESS: Final = "host all all 127.0.0.1/32 scram-sha-256\n"


class Cluster(Struct, frozen=True):
    """Where one cluster lies and who runs it with which programs."""

    home: Path
    binaries: Binaries
    account: Account

    @property
    def folder(self) -> Path:
        """The data directory; it exists only once it is complete."""
        return self.home / CLUSTER_FOLDER

    @property
    def log(self) -> Path:
        """The server's log."""
        return self.folder.with_name("postgres.log")

    def initialise(self, password: str) -> None:
        """Make the data directory with `password` for the superuser; what a killed try left is redone."""
        server_dir = self.folder.parent
        server_dir.mkdir(exist_ok=True)
        server_dir.chmod(0o700)
        self.account.own(server_dir)
        fresh = server_dir / "cluster.new"
        shutil.rmtree(fresh, ignore_errors=True)
        password_file = server_dir / "password"
        self._write(password_file, password)
        try:
            self._run(
                "initdb", *self._initdb_options(fresh, password_file), failure="Postgres' initdb failed."
            )
        finally:
            password_file.unlink()
        self._write(fresh / "pg_hba.conf", _ACCESS)
        self._write(fresh / "postgresql.conf", "include 'vmk-mcp.conf'\n")
        # From here on there is a cluster; a kill at any moment before costs nothing but time.
        fresh.rename(self.folder)

    def start(self, port: int | None, *, may_move: bool = True) -> int:
        """Start the server and wait until it takes connections.

        Args:
            port: the port to try first.
            may_move: another port is taken when that one is not free.

        Returns:
            The port that the server listens on.

        Raises:
            StartError: the server does not start, it may not move and its port is not free, or the cluster is
                of another major version.
        """
        self._check_version()
        self._shorten_log()
        deadline = time.monotonic() + _RETRY_LIMIT_S
        while True:
            drop_stale_file(self.folder)
            if port is None or not _is_free(port):
                port = _find_free_port() if may_move else _refuse_taken(port)
            self._write(self.folder / "vmk-mcp.conf", _SETTINGS.format(port=port))
            logged = self.log.stat().st_size if self.log.exists() else 0
            try:
                self._pg_ctl("start", "-l", str(self.log), failure="The embedded Postgres does not start.")
            except StartError:
                if time.monotonic() > deadline or not (self._was_early(logged) or not _is_free(port)):
                    raise
                time.sleep(_RETRY_S)
            else:
                return port

    def find_port(self) -> int | None:
        """Give the port of the running server, waiting while it starts up; None when none runs."""
        deadline = time.monotonic() + _START_LIMIT_S
        while (running := find_postmaster(self.folder)) is not None:
            if running.is_ready or time.monotonic() > deadline:
                return running.port
            time.sleep(_RETRY_S)
        return None

    def stop(self) -> None:
        """Stop the server, ending the sessions that are left; raises `StartError` when it does not stop."""
        if find_postmaster(self.folder) is not None:
            self._pg_ctl("stop", "-m", "fast", failure="The embedded Postgres does not stop.")

    def _pg_ctl(self, *arguments: str, failure: str) -> None:
        wait = ("-w", "-t", str(int(_START_LIMIT_S)), "-D", str(self.folder))
        self._run("pg_ctl", *arguments, *wait, failure=failure)

    def _run(self, program: str, *arguments: str, failure: str) -> None:
        done = subprocess.run(  # noqa: S603 - our own programs, no shell, no text of a caller
            [self.binaries.bin_dir / program, *arguments],
            cwd=self.folder.parent,
            # Nothing of our own environment: LANG, PGDATA and the like would change what is made.
            env={"LC_ALL": "C", "PATH": f"{self.binaries.bin_dir}:/usr/bin:/bin"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            # Ctrl-C in the terminal is for us; the server is stopped in order.
            start_new_session=True,
            check=False,
            user=self.account.uid if self.account.dropped else None,
            group=self.account.gid if self.account.dropped else None,
            extra_groups=[] if self.account.dropped else None,
        )
        if done.returncode != 0:
            self.log.with_name("failure.log").write_bytes(done.stdout)
            raise StartError(failure, hint=f"Look into {self.log} and {self.log.with_name('failure.log')}.")

    def _initdb_options(self, folder: Path, password_file: Path) -> list[str]:
        options = [
            f"--pgdata={folder}",
            "--username=postgres",
            f"--pwfile={password_file}",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--lc-ctype=C.UTF-8",
            "--lc-collate=C",
            "--data-checksums",
            "--no-sync",
            "--no-instructions",
        ]
        if self.binaries.major >= _BUILTIN_FULL_CASE:
            # lc_ctype still rules pg_trgm and the full-text parser: without it they see no Cyrillic letter.
            return [*options, "--locale-provider=builtin", "--builtin-locale=PG_UNICODE_FAST"]
        return [*options, "--locale-provider=libc"]

    def _check_version(self) -> None:
        made_by = (self.folder / "PG_VERSION").read_text("utf-8").strip()
        if made_by != str(self.binaries.major):
            raise StartError(
                f"The cluster in {self.folder} was made by PostgreSQL {made_by}; "
                f"this is {self.binaries.version}.",
                hint=f"Install PostgreSQL {made_by}, or move {self.home} away to start afresh.",
            )

    def _was_early(self, logged: int) -> bool:
        """Say whether the last start failed only because backends of a killed server have not left yet."""
        if not self.log.exists():
            return False
        with self.log.open("rb") as log:
            log.seek(logged)
            return _PREDECESSOR.search(log.read()) is not None

    def _shorten_log(self) -> None:
        if self.log.exists() and self.log.stat().st_size > _LOG_LIMIT:
            self.log.replace(self.log.with_name("postgres.log.1"))

    def _write(self, path: Path, text: str) -> None:
        write_private(path, text.encode())
        self.account.own(path)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As Postgres does: a connection that still lingers is no obstacle.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _refuse_taken(port: int | None) -> NoReturn:
    raise StartError(
        f"Port {port}, where the embedded Postgres is looked for, is taken by another program.",
        hint="Stop what listens there, or start vmk-mcp again, which then takes another port.",
    )


def _find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
