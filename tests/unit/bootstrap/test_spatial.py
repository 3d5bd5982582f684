"""The spatial family as it is made: over the operator's database, over a cluster of our own, or over none."""

from pathlib import Path
from typing import cast

import pytest

from tests.fakes import RecordingObserver
from vmk_mcp.bootstrap.auditing import audit_spatial
from vmk_mcp.bootstrap.county import NoCounty, OpenCounty
from vmk_mcp.bootstrap.databases import LazySources
from vmk_mcp.bootstrap.door import local_grant
from vmk_mcp.bootstrap.spatial import SPATIAL, make_spatial_database
from vmk_mcp.bootstrap.surroundings import Surroundings
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.errors import StartError, StoreUnavailable
from vmk_mcp.observe import Observers
from vmk_mcp.sample.county.making import CLOSED_TOWN, OPEN_TOWNS
from vmk_mcp.settings import read_settings
from vmk_mcp.spatial.arguments import GridQuestion
from vmk_mcp.tool import CallContext, Caller, Readiness
from vmk_mcp.web.metrics import MetricsObserver

NOWHERE = "postgresql://vmk_reader:secret@127.0.0.1:1/vmk_spatial"
ABSENT = NoCounty("No PostGIS is installed here.", "`make postgis` installs it.")


def quiet(line: str) -> None:
    """Take a line that nobody reads."""


def surroundings(folder: Path, **environ: str) -> Surroundings:
    settings = read_settings({"DATA_DIR": str(folder), **environ})
    observers = Observers(RecordingObserver())
    return Surroundings(settings, LazySources(settings, quiet), observers, MetricsObserver())


class FakeServer:
    """A cluster that starts nothing."""

    closed = 0

    def close(self) -> None:
        self.closed += 1


async def test_without_postgis_nothing_is_offered_and_readiness_says_what_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vmk_mcp.bootstrap.spatial.open_county", lambda data_dir, say: ABSENT)
    family = SPATIAL.make(surroundings(tmp_path))
    assert family.offer.family == "spatial"
    assert (list(family.offer.tools), list(family.offer.prompts), family.offer.instructions) == ([], [], "")
    assert family.lifespan is None
    assert family.check_readiness is not None
    assert await family.check_readiness() == Readiness("unavailable", (ABSENT.reason, ABSENT.hint))


def test_a_cluster_of_our_own_is_held_until_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = FakeServer()
    county = OpenCounty(NOWHERE, cast(EmbeddedServer, server))
    monkeypatch.setattr("vmk_mcp.bootstrap.spatial.open_county", lambda data_dir, say: county)
    around = surroundings(tmp_path)
    assert len(SPATIAL.make(around).offer.tools) == 7
    around.sources.close()
    assert server.closed == 1


async def test_a_database_that_is_down_at_start_keeps_no_service_from_starting(tmp_path: Path) -> None:
    family = SPATIAL.make(surroundings(tmp_path, SPATIAL_DATABASE_URL=NOWHERE))
    assert family.lifespan is not None
    assert family.check_readiness is not None
    tool = family.offer.tools[1]
    async with family.lifespan():
        assert (await family.check_readiness()).status == "unavailable"
        with pytest.raises(StoreUnavailable):
            await tool.call(GridQuestion(longitude=118.69, latitude=25.36), CallContext(Caller(name="a")))


def test_the_session_asks_for_no_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, str] = {}

    def remember(*_: object, session: dict[str, str], **__: object) -> None:
        asked.update(session)

    monkeypatch.setattr("vmk_mcp.bootstrap.spatial.Database", remember)
    around = surroundings(tmp_path)
    make_spatial_database(NOWHERE, around.settings, around.observers)
    assert asked["default_transaction_read_only"] == "on"
    assert asked["search_path"].startswith("public")
    assert not any(name.startswith("hnsw.") for name in asked)


def test_an_audit_without_postgis_says_what_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vmk_mcp.bootstrap.auditing.open_county", lambda data_dir, say: ABSENT)
    with pytest.raises(StartError, match="No PostGIS") as caught:
        audit_spatial(read_settings({"DATA_DIR": str(tmp_path)}), quiet)
    assert caught.value.hint == ABSENT.hint


def test_the_token_of_this_machine_may_see_every_town_but_one() -> None:
    grant = local_grant()
    assert grant.towns == OPEN_TOWNS
    assert CLOSED_TOWN not in grant.towns
    assert "spatial" in grant.tools
