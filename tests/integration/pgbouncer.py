"""pgbouncer in transaction mode before the embedded server: the system's own program, for one test run."""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Final, Self
from urllib.parse import urlsplit

import pytest

from vmk_mcp.database.account import choose_account
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import Address

_LISTENS_WITHIN_S: Final = 10

# What pgbouncer does not know is refused by default, which is what we want to see nothing of.
_SETTINGS: Final = """\
[databases]
* = host=127.0.0.1 port={server_port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {folder}/users.txt
pool_mode = transaction
default_pool_size = {size}
max_client_conn = 200
server_login_retry = 1
{more}
"""


def find_program(name: str) -> str:
    """Give where a program of the system lies; where it is missing, the test is skipped."""
    found = shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/bin")))
    if found is None:
        pytest.skip(f"{name} is not installed; on Debian: apt install {name}")
    return found


def find_free_port() -> int:
    """Give a port of the loopback address that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def wait_until_it_listens(port: int, process: "subprocess.Popen[bytes]") -> None:
    """Wait until `process` takes connections at `port`."""
    deadline = time.monotonic() + _LISTENS_WITHIN_S
    while True:
        assert process.poll() is None, "it has ended"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except ConnectionRefusedError:
            assert time.monotonic() < deadline, "it does not listen"
            time.sleep(0.02)
        else:
            return


class PgBouncer:
    """A running pgbouncer, with few server connections; a context manager."""

    def __init__(self, folder: Path, server: Address, *, size: int, more: str = "") -> None:
        """Write its configuration, with `more` lines, into `folder`, which its account can enter."""
        self._program = find_program("pgbouncer")
        self._folder = folder
        self._server = server
        self.account = choose_account(folder / "none")
        self.port = find_free_port()
        settings = _SETTINGS.format(
            server_port=server.port, port=self.port, folder=folder, size=size, more=more
        )
        (folder / "pgbouncer.ini").write_text(settings, "utf-8")
        users = "".join(f'"{role}" "{server.password(role)}"\n' for role in Role)
        (folder / "users.txt").write_text(users, "utf-8")

    def dsn(self, dsn: str) -> str:
        """Give the same DSN by way of the pooler."""
        return urlsplit(dsn).geturl().replace(f":{self._server.port}/", f":{self.port}/")

    def __enter__(self) -> Self:
        """Start it and wait until it listens."""
        dropped = ["-u", self.account.name] if self.account.dropped else []
        with (self._folder / "pgbouncer.log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._program, *dropped, str(self._folder / "pgbouncer.ini")],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        wait_until_it_listens(self.port, self._process)
        return self

    def __exit__(self, *_: object) -> None:
        """Kill it, as a crash would."""
        self._process.kill()
        self._process.wait()

    def log(self) -> str:
        """Give all that it has said."""
        return (self._folder / "pgbouncer.log").read_text("utf-8")
