"""Which servers are made ready ahead of the first start, and that all are let go of."""

from pathlib import Path

import pytest

from vmk_mcp.bootstrap import preparing
from vmk_mcp.bootstrap.county import NoCounty, OpenCounty
from vmk_mcp.bootstrap.databases import FilledServer
from vmk_mcp.bootstrap.preparing import prepare_servers
from vmk_mcp.settings import read_settings


class Server:
    """Stands for an `EmbeddedServer`; says in which order things happen to it."""

    def __init__(self, name: str, happened: list[str]) -> None:
        self._name = name
        self._happened = happened
        happened.append(f"{name} opened")

    def close(self) -> None:
        """See `EmbeddedServer.close`."""
        self._happened.append(f"{self._name} closed")


@pytest.fixture
def happened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was done to both servers, in order."""
    events: list[str] = []

    async def fill(*_: object) -> None:
        events.append("city filled")

    def open_listings(*_: object) -> FilledServer:
        return FilledServer(Server("postgres", events), "model")  # type: ignore[arg-type]  # stands for one

    def open_postgis(*_: object) -> OpenCounty:
        return OpenCounty("dsn", Server("postgis", events))  # type: ignore[arg-type]  # stands for one

    monkeypatch.setattr(preparing, "fill_city", fill)
    monkeypatch.setattr(preparing, "open_embedded", open_listings)
    monkeypatch.setattr(preparing, "open_county", open_postgis)
    return events


def prepare(folder: Path, **environ: str) -> list[str]:
    said: list[str] = []
    prepare_servers(read_settings({"DATA_DIR": str(folder), **environ}), said.append)
    return said


EMBEDDED = ["postgres opened", "city filled", "postgres closed"]


def test_both_servers_are_made_and_let_go_of(happened: list[str], tmp_path: Path) -> None:
    said = prepare(tmp_path)
    assert happened == [*EMBEDDED, "postgis opened", "postgis closed"]
    assert [line.split(" in ")[0] for line in said] == ["The embedded server", "The PostGIS cluster"]


@pytest.mark.parametrize(
    "environ", [{"VMK_FAMILIES": "listings"}, {"SPATIAL_DATABASE_URL": "postgresql://h/x"}]
)
def test_a_cluster_that_no_family_reads_is_not_made(
    happened: list[str], tmp_path: Path, environ: dict[str, str]
) -> None:
    prepare(tmp_path, **environ)
    assert happened == EMBEDDED


def test_without_postgis_the_embedded_server_is_ready_all_the_same(
    monkeypatch: pytest.MonkeyPatch, happened: list[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(preparing, "open_county", lambda *_: NoCounty("There is none.", "Get one."))
    assert len(prepare(tmp_path)) == 1
    assert happened == EMBEDDED
