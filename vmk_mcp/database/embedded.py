"""The embedded Postgres: started when first needed, shared by processes, stopped by the last one."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from vmk_mcp.database.account import choose_account, find_home, place_home
from vmk_mcp.database.binaries import Binaries, install_runtime
from vmk_mcp.database.cluster import CLUSTER_FOLDER, Cluster
from vmk_mcp.database.credentials import (
    LOGIN_FILE,
    Passwords,
    Role,
    has_passwords,
    make_passwords,
    read_passwords,
)
from vmk_mcp.database.dictionary import find_hunspell, install_dictionary
from vmk_mcp.database.postmaster import find_postmaster
from vmk_mcp.database.sharing import Sharing
from vmk_mcp.errors import StartError

DEFAULT_NAME: Final = "postgres"

POSTGIS_NAME: Final = "postgis"
"""Of the second cluster, which the system's own programs run because they have PostGIS."""

_TITLES: Final = {DEFAULT_NAME: "embedded Postgres", POSTGIS_NAME: "PostGIS cluster"}


class Address:
    """Where the embedded server listens, and the logins it knows; keeps passwords out of its `repr`."""

    def __init__(self, port: int, passwords: Passwords) -> None:
        self.port = port
        self._passwords = passwords

    def dsn(self, role: Role, database: str) -> str:
        """Give the DSN by which `role` connects to `database`; it holds the password."""
        return f"postgresql://{role}:{self._passwords[role]}@127.0.0.1:{self.port}/{database}"

    def password(self, role: Role) -> str:
        """Give the password of `role`."""
        return self._passwords[role]


class EmbeddedServer:
    """A running server that this process uses; `close` lets go of it.

    Attributes:
        address: where it listens.
        was_created: the cluster was made by this start.
        has_dictionary: the Ukrainian dictionary lies where the server finds it.
        log: the server's log.
    """

    def __init__(
        self, cluster: Cluster, sharing: Sharing, port: int, *, was_created: bool, has_dictionary: bool
    ) -> None:
        self._cluster = cluster
        self._sharing = sharing
        self.address = Address(port, read_passwords(cluster.home))
        self.was_created = was_created
        self.has_dictionary = has_dictionary
        self.log = cluster.log

    def dsn(self, role: Role, database: str) -> str:
        """See `Address.dsn`."""
        return self.address.dsn(role, database)

    @property
    def title(self) -> str:
        """What people call it, in the middle of a sentence."""
        return _TITLES.get(self._cluster.home.name, _TITLES[DEFAULT_NAME])

    def is_running(self) -> bool:
        """Say whether the server runs, by its files; asks it nothing and never waits."""
        return find_postmaster(self._cluster.folder) is not None

    def start_again(self) -> None:
        """Start a server that was killed, on the port that `address` says; blocks until it takes connections.

        Does nothing when it runs, another process being first, or after `close`.

        Raises:
            StartError: it does not start, or its port is taken, or it runs on another one.
            OSError: its files are gone or not to be used.
        """
        self._sharing.mend(self._start_where_it_was)

    def _start_where_it_was(self) -> None:
        port = self.address.port
        if (self._cluster.find_port() or self._cluster.start(port, may_move=False)) != port:
            raise StartError(
                "The embedded Postgres was started by another process, and on another port.",
                hint="Start vmk-mcp again, which finds it there.",
            )

    def close(self) -> None:
        """Let go of the server, and stop it when no other process uses it; a second call does nothing.

        Raises:
            StartError: the server does not stop.
        """
        self._sharing.leave(self._cluster.stop)


def start_embedded(
    data_dir: Path, binaries: Binaries, say: Callable[[str], None], *, name: str = DEFAULT_NAME
) -> EmbeddedServer:
    """Start the embedded server, or join the one that runs; blocks until it takes connections.

    Args:
        data_dir: folder of all that we keep; the cluster lies in it, or where a note in it says.
        binaries: the build to run.
        say: is told, line by line, what a person should know.
        name: of the cluster, where there are several.

    Raises:
        StartError: this machine, account or cluster does not allow it; the hint says what to do.
    """
    try:
        home = place_home(data_dir.resolve(), name, say)
        sharing = Sharing(home)
        with sharing.joining():
            return _start(home, binaries, sharing, say)
    except PermissionError as error:
        raise StartError(
            f"The embedded Postgres in {data_dir} is not this account's to read and write.",
            hint="Start vmk-mcp as the user who made it, or set DATA_DIR to a folder of your own.",
        ) from error


def find_embedded(data_dir: Path, name: str = DEFAULT_NAME) -> Address | None:
    """Give the address of the embedded server if it runs now; starts nothing and holds nothing."""
    home = find_home(data_dir.resolve(), name)
    running = find_postmaster(home / CLUSTER_FOLDER)
    return Address(running.port, read_passwords(home)) if running else None


def is_made(data_dir: Path, name: str = DEFAULT_NAME) -> bool:
    """Say whether the cluster `name` has been made here."""
    return (find_home(data_dir.resolve(), name) / CLUSTER_FOLDER).exists()


def find_maker(data_dir: Path, name: str = DEFAULT_NAME) -> int | None:
    """Give the major version of Postgres that made the cluster `name`; None where there is none yet."""
    try:
        return int((find_home(data_dir.resolve(), name) / CLUSTER_FOLDER / "PG_VERSION").read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _start(home: Path, binaries: Binaries, sharing: Sharing, say: Callable[[str], None]) -> EmbeddedServer:
    cluster = Cluster(home, install_runtime(binaries, home), choose_account(home / CLUSTER_FOLDER))
    if cluster.folder.exists() and not has_passwords(home):
        raise StartError(
            f"The cluster in {home} is there, but the file with its passwords is gone.",
            hint=f"Bring {home / LOGIN_FILE} back from a copy, or move {home} away to start afresh.",
        )
    passwords = make_passwords(home)
    tsearch_dir = cluster.binaries.tsearch_dir
    has_dictionary = tsearch_dir is not None and install_dictionary(home, tsearch_dir, find_hunspell, say)
    was_created = not cluster.folder.exists()
    if was_created:
        say(f"Making a PostgreSQL {binaries.version} cluster in {home}")
        cluster.initialise(passwords[Role.SUPERUSER])
    port = cluster.find_port() or cluster.start(_read_port(home))
    _write_port(home, port)
    return EmbeddedServer(cluster, sharing, port, was_created=was_created, has_dictionary=has_dictionary)


def _read_port(home: Path) -> int | None:
    try:
        return int((home / "port").read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def _write_port(home: Path, port: int) -> None:
    if _read_port(home) != port:
        (home / "port").write_text(str(port), "utf-8")
