"""The PostGIS cluster's life: opened, shared, killed and back, and where it cannot be, a reason."""

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import psutil
import pytest

from tests.integration.servers import Dsn, open_folder, quiet
from vmk_mcp.bootstrap.county import NoCounty, OpenCounty, open_county
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import POSTGIS_NAME, EmbeddedServer, find_embedded
from vmk_mcp.database.supervision import keep_running
from vmk_mcp.observe import Event, Warned


class BackObserver:
    """Waits to be told that a server runs again."""

    def __init__(self) -> None:
        self.is_back = asyncio.Event()

    def observe(self, event: Event) -> None:
        """See `Observer.observe`."""
        if isinstance(event, Warned) and event.message == "The PostGIS cluster runs again.":
            self.is_back.set()


@pytest.fixture(scope="module")
def folder(postgis: EmbeddedServer) -> Iterator[Path]:
    """A data folder with a cluster of its own, at rest."""
    assert postgis.is_running()
    with open_folder() as made:
        opened(made).server.close()
        yield made


def opened(folder: Path) -> OpenCounty:
    county = open_county(folder, quiet)
    assert isinstance(county, OpenCounty), county
    return county


async def ask(dsn: str, sql: str) -> object:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(sql)
    finally:
        await connection.close()


async def test_the_county_is_read_and_the_last_user_to_leave_stops_the_server(folder: Path) -> None:
    first, second = opened(folder), opened(folder)
    first.server.close()
    assert await ask(second.dsn, "SELECT count(*) > 1000 FROM st_2_fanghuowangge")
    second.server.close()
    assert find_embedded(folder, POSTGIS_NAME) is None


def test_a_second_start_has_nothing_to_tell(folder: Path) -> None:
    said: list[str] = []
    county = open_county(folder, said.append)
    assert isinstance(county, OpenCounty)
    county.server.close()
    assert said == []


async def test_a_killed_server_is_brought_back_to_those_who_read_it(folder: Path) -> None:
    county, observer = opened(folder), BackObserver()

    async def hurry(_: float) -> None:
        await asyncio.sleep(0.02)

    watch = asyncio.create_task(keep_running(county.server, observer, hurry))
    try:
        pid = (county.server.log.parent / "cluster/postmaster.pid").read_text().split()[0]
        killed = psutil.Process(int(pid))
        killed.send_signal(signal.SIGKILL)
        psutil.wait_procs([killed], timeout=20)
        await asyncio.wait_for(observer.is_back.wait(), 30)
        assert await ask(county.dsn, "SELECT count(*) > 1000 FROM st_2_fanghuowangge")
    finally:
        watch.cancel()
        await asyncio.wait([watch])
        county.server.close()


def test_a_cluster_of_another_version_is_a_reason_that_names_both(folder: Path) -> None:
    noted = folder / POSTGIS_NAME / "server/cluster/PG_VERSION"
    before = noted.read_text()
    noted.write_text("13\n")
    try:
        given = open_county(folder, quiet)
    finally:
        noted.write_text(before)
    assert isinstance(given, NoCounty)
    assert "PostgreSQL 13" in given.reason
    assert before.strip() in given.reason


def test_a_data_folder_that_is_none_is_a_reason(postgis: EmbeddedServer, tmp_path: Path) -> None:
    assert postgis.is_running()
    (tmp_path / "file").touch()
    given = open_county(tmp_path / "file", quiet)
    assert isinstance(given, NoCounty)
    assert str(tmp_path / "file") in given.reason


async def test_letters_of_all_scripts_are_letters_by_the_c_librarys_own_rules(county: Dsn) -> None:
    connection = await asyncpg.connect(county(Role.READER))
    try:
        row = await connection.fetchval(
            """
            SELECT ARRAY[d.datlocprovider::text, d.datctype, d.datcollate, ('大' ~ '\\w')::text, lower('Ї')]
            FROM pg_database AS d WHERE d.datname = current_database()
            """
        )
    finally:
        await connection.close()
    assert row == ["c", "C.UTF-8", "C", "true", "ї"]


async def test_it_listens_on_loopback_alone_and_asks_for_a_password(postgis: EmbeddedServer) -> None:
    dsn = postgis.dsn(Role.SUPERUSER, "postgres")
    assert await ask(dsn, "SHOW listen_addresses") == "127.0.0.1"
    assert await ask(dsn, "SHOW unix_socket_directories") == ""
    assert (
        await ask(dsn, "SELECT string_agg(DISTINCT auth_method, '') FROM pg_hba_file_rules")
        == "scram-sha-256"
    )
    with pytest.raises(asyncpg.InvalidPasswordError):
        await ask(dsn.replace(postgis.address.password(Role.SUPERUSER), "guessed"), "SELECT 1")
