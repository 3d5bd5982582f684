"""Reads from a primary and its streaming replica: which of the two, and on at the other when one goes."""

import asyncio
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.fakes import RecordingObserver
from tests.integration.database.test_pool import ask, opened, query, wait_for
from tests.integration.pgbouncer import find_free_port
from tests.integration.servers import open_folder, quiet, started
from vmk_mcp.configuration.dsn import parse_dsn
from vmk_mcp.database.cluster import Cluster
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.pool import Database, PoolLimits
from vmk_mcp.database.prepare import prepare_databases
from vmk_mcp.errors import StoreUnavailable
from vmk_mcp.observe import QueryFailed

WHERE: Final = query("SELECT (CASE WHEN PG_IS_IN_RECOVERY() THEN 'standby' ELSE 'primary' END) AS value;")
USUAL: Final = PoolLimits(size=2)

# The embedded server writes no more log than it needs by itself, and lets nobody copy it.
_REPLICATES: Final = "wal_level = replica\nmax_wal_senders = 4\nshared_buffers = '32MB'\n"
_LET_IN: Final = "host replication all 127.0.0.1/32 scram-sha-256\n"


class Pair:
    """A primary and its replica, each of which can be stopped and started."""

    def __init__(self, primary: Cluster, standby: Cluster, ports: tuple[int, int], login: str) -> None:
        self.primary, self.standby = primary, standby
        self.ports = dict(zip((primary, standby), ports, strict=True))
        self.login = login

    def dsn(self, attributes: str, *, before: str = "") -> str:
        """Give the DSN of both, the primary first, after the host `before`."""
        hosts = before + ",".join(f"127.0.0.1:{self.ports[one]}" for one in (self.primary, self.standby))
        written = f"postgresql://{self.login}@{hosts}/vmk_data?target_session_attrs={attributes}"
        return parse_dsn(written).reveal()

    async def stop(self, one: Cluster) -> None:
        await asyncio.to_thread(one.stop)

    async def start(self, one: Cluster) -> None:
        await asyncio.to_thread(one.start, self.ports[one], may_move=False)


def add(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def copy_as_standby(primary: Cluster, home: Path, conninfo: str) -> Cluster:
    """Copy a stopped primary into `home`, as a replica that follows it."""
    (home / "server").mkdir(mode=0o700)
    standby = Cluster(home, primary.binaries, primary.account)
    shutil.copytree(primary.folder, standby.folder)
    add(standby.folder / "postgresql.conf", f"primary_conninfo = '{conninfo}'\n")
    add(standby.folder / "standby.signal", "")
    for path in (standby.folder.parent, standby.folder, *standby.folder.rglob("*")):
        primary.account.own(path)
    return standby


@pytest.fixture(scope="module")
def made() -> Iterator[Pair]:
    with open_folder() as folder, open_folder() as home, started(folder) as server:
        asyncio.run(prepare_databases(server, quiet))
        primary: Cluster = server._cluster
        port = server.address.port
        add(primary.folder / "postgresql.conf", _REPLICATES)
        add(primary.folder / "pg_hba.conf", _LET_IN)
        primary.stop()
        primary.start(port, may_move=False)
        primary.stop()
        superuser = server.address.password(Role.SUPERUSER)
        conninfo = f"host=127.0.0.1 port={port} user=postgres password={superuser}"
        standby = copy_as_standby(primary, home, conninfo)
        login = f"vmk_reader:{server.address.password(Role.READER)}"
        primary.start(port, may_move=False)
        try:
            yield Pair(primary, standby, (port, standby.start(find_free_port())), login)
        finally:
            standby.stop()


@pytest.fixture
async def pair(made: Pair) -> Pair:
    """Both of them running, whatever the test before has done."""
    for one in (made.primary, made.standby):
        if one.find_port() is None:
            await made.start(one)
    return made


async def read(database: Database) -> str | None:
    found = await database.fetch_one(WHERE)
    assert found is not None
    return found.value


@pytest.mark.parametrize(
    ("attributes", "first", "then"),
    [("any", "primary", "standby"), ("prefer-standby", "standby", "primary")],
)
async def test_reads_go_on_at_the_other_host_when_the_first_choice_stops(
    pair: Pair, attributes: str, first: str, then: str
) -> None:
    observer = RecordingObserver()
    async with opened(pair.dsn(attributes), observer, limits=USUAL) as database:
        await database.warm()
        assert await read(database) == first
        await pair.stop(getattr(pair, first))
        answers = await asyncio.gather(*(read(database) for _ in range(6)))
        assert answers == [then] * 6
    assert observer.of(QueryFailed) == []


@pytest.mark.parametrize(("attributes", "only"), [("primary", "primary"), ("standby", "standby")])
async def test_who_asks_for_one_kind_gets_no_other_and_is_back_with_it(
    pair: Pair, attributes: str, only: str
) -> None:
    async with opened(pair.dsn(attributes), limits=USUAL) as database:
        assert await read(database) == only
        await pair.stop(getattr(pair, only))
        with pytest.raises(StoreUnavailable):
            await read(database)
        await pair.start(getattr(pair, only))
        assert await read(database) == only


async def test_read_write_means_the_primary_though_our_sessions_only_read(pair: Pair) -> None:
    async with opened(pair.dsn("read-write"), limits=USUAL) as database:
        assert await read(database) == "primary"


async def test_a_host_that_takes_connections_and_never_answers_keeps_nobody_from_the_next(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vmk_mcp.database.hosts._CONNECT_TIMEOUT_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        before = f"127.0.0.1:{silent.getsockname()[1]},"
        async with opened(pair.dsn("any", before=before), limits=USUAL) as database:
            assert await read(database) == "primary"


async def test_what_is_written_at_the_primary_is_read_at_the_standby(pair: Pair) -> None:
    owner = pair.dsn("primary").replace(pair.login, f"postgres:{_password(pair)}")
    await ask(owner, "INSERT INTO property_types (id, slug, name) VALUES (77, 'seen', 'seen')")
    standby = pair.dsn("standby")
    await wait_for(standby, "SELECT slug FROM property_types WHERE id = 77", "seen")


def _password(pair: Pair) -> str:
    return (
        (pair.standby.folder / "postgresql.conf").read_text("utf-8").rpartition("password=")[2].strip("'\n")
    )
