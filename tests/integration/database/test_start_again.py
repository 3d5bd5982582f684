"""The embedded server, killed under those who use it: started again where it was, by one of them."""

import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import asyncpg
import psutil
import pytest

from tests.integration.servers import open_folder, started
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer, find_embedded
from vmk_mcp.errors import StartError


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with open_folder() as made:
        yield made


@pytest.fixture
def server(folder: Path) -> Iterator[EmbeddedServer]:
    with started(folder) as running:
        yield running


def postmaster(folder: Path) -> psutil.Process:
    return psutil.Process(int((folder / "postgres/server/cluster/postmaster.pid").read_text().split()[0]))


def kill(folder: Path) -> None:
    process = postmaster(folder)
    process.send_signal(signal.SIGKILL)
    psutil.wait_procs([process], timeout=20)


async def test_it_comes_back_on_the_same_port_with_all_that_was_in_it(
    folder: Path, server: EmbeddedServer
) -> None:
    dsn = server.dsn(Role.SUPERUSER, "postgres")
    assert server.is_running()
    kill(folder)
    assert not server.is_running()
    server.start_again()
    assert server.is_running()
    connection = await asyncpg.connect(dsn)
    assert await connection.fetchval("SELECT 1") == 1
    await connection.close()


def test_one_that_runs_is_left_as_it_is(folder: Path, server: EmbeddedServer) -> None:
    before = postmaster(folder).pid
    server.start_again()
    assert postmaster(folder).pid == before


def test_of_two_users_that_start_it_at_once_one_does_and_the_last_to_leave_stops_it(
    folder: Path, server: EmbeddedServer
) -> None:
    with started(folder) as other:
        kill(folder)
        with ThreadPoolExecutor() as threads:
            for start in [threads.submit(user.start_again) for user in (server, other)]:
                start.result()
        running = find_embedded(folder)
        assert running is not None
        assert running.port == server.address.port
    assert server.is_running()
    server.close()
    assert find_embedded(folder) is None


def test_who_has_let_go_of_it_starts_it_no_more(folder: Path, server: EmbeddedServer) -> None:
    server.close()
    server.start_again()
    assert find_embedded(folder) is None


def test_it_takes_no_other_port_than_its_users_know(folder: Path, server: EmbeddedServer) -> None:
    kill(folder)
    with socket.socket() as occupant:
        occupant.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        occupant.bind(("127.0.0.1", server.address.port))
        occupant.listen()
        with pytest.raises(StartError, match=f"Port {server.address.port}") as refused:
            server.start_again()
        assert "start vmk-mcp again" in refused.value.hint
        with started(folder), pytest.raises(StartError, match="on another port") as moved:
            server.start_again()
        assert "Start vmk-mcp again" in moved.value.hint
