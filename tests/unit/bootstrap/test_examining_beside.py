"""What `vmk-mcp doctor` finds of the county's tables, the state database and the drafter."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from vmk_mcp.bootstrap.auditing import AuditedTable, SpatialReport
from vmk_mcp.bootstrap.databases import LazySources
from vmk_mcp.bootstrap.examining_beside import (
    examine_documents,
    examine_drafter,
    examine_spatial,
    examine_state,
)
from vmk_mcp.bootstrap.examining_listings import examine_listings
from vmk_mcp.bootstrap.findings import Finding
from vmk_mcp.database.cluster import CLUSTER_FOLDER
from vmk_mcp.database.failures import translate
from vmk_mcp.errors import StartError
from vmk_mcp.settings import Settings, read_settings
from vmk_mcp.spatial.queries import TableAudit, Unusable

HERE: Final = "vmk_mcp.bootstrap.examining_beside"
GRIDS: Final = TableAudit("fire_grid", 1152, [4326], ["MULTIPOLYGON"], 0, 0, 4, 0)


def settings_of(folder: Path, **environ: str) -> Settings:
    return read_settings({"DATA_DIR": str(folder), **environ})


def quiet(line: str) -> None:
    """Hear nothing."""


def examine_listings_alone(settings: Settings) -> Finding:
    return examine_listings(settings, LazySources(settings, quiet))[0]


def examine_state_alone(settings: Settings) -> Finding:
    return examine_state(settings, LazySources(settings, quiet))


class AbsentDatabase:
    """Stands for a `Database` at whose place nothing listens."""

    async def open(self) -> None:
        """See `Database.open`."""

    async def close(self) -> None:
        """See `Database.close`."""

    async def fetch_all(self, *_: object) -> None:
        """See `Database.fetch_all`."""
        cause = ConnectionRefusedError()
        raise translate(cause) from cause


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A data folder in which both clusters were made."""
    for name in ("postgres", "postgis"):
        (tmp_path / name / CLUSTER_FOLDER).mkdir(parents=True)
    return tmp_path


def test_without_postgis_the_way_to_it_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def find_none(_: int | None) -> None:
        raise StartError("There is none.", hint="Run `make postgis`.")

    monkeypatch.setattr(f"{HERE}.find_postgis_binaries", find_none)
    found = examine_spatial(settings_of(tmp_path), quiet)
    assert found == [Finding("spatial database", "warning", "There is none.", "Run `make postgis`.")]


@pytest.mark.parametrize(
    ("report", "verdict", "words"),
    [
        (SpatialReport("ok", (), [AuditedTable("st_2_x", GRIDS)], ()), "ok", "1,152 records"),
        (
            SpatialReport(
                "degraded",
                (),
                [AuditedTable("st_2_x", GRIDS)],
                [Unusable("fire_grid", "x", "empty", 4, [1, 2, 3, 4])],
            ),
            "warning",
            "Of 1,152 records 4 are left out",
        ),
        (SpatialReport("unavailable", ("st_2_x (fire_grid): SRID 0.",), (), ()), "failed", "SRID 0"),
    ],
)
def test_what_an_audit_finds_is_summed_up(
    monkeypatch: pytest.MonkeyPatch, made: Path, report: SpatialReport, verdict: str, words: str
) -> None:
    monkeypatch.setattr(f"{HERE}.audit_spatial", lambda *_: report)
    (found,) = examine_spatial(settings_of(made), quiet)
    assert (found.verdict, words in found.message) == (verdict, True)


def test_a_spatial_database_of_the_operator_that_is_away_is_told_with_its_place(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("vmk_mcp.bootstrap.auditing.make_spatial_database", lambda *_: AbsentDatabase())
    dsn = "postgresql://u:hunter2@h:5999/x"
    (found,) = examine_spatial(settings_of(tmp_path, SPATIAL_DATABASE_URL=dsn), quiet)
    assert found.verdict == "failed"
    assert "Postgres at h:5999: nothing listens" in found.message
    assert "SPATIAL_DATABASE_URL" in found.advice
    assert "hunter2" not in str(found)


def test_a_state_database_that_cannot_be_had_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, made: Path
) -> None:
    def open_nothing(*_: object) -> None:
        raise StartError("No server here.", hint="Start one.")

    monkeypatch.setattr("vmk_mcp.bootstrap.databases.open_embedded", open_nothing)
    settings = settings_of(made)
    found = examine_state(settings, LazySources(settings, quiet))
    assert found == Finding("state database", "failed", "No server here.", "Start one.")


@pytest.mark.parametrize("look", [examine_listings_alone, examine_state_alone])
def test_without_the_embedded_server_the_extra_that_holds_it_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, look: Callable[[Settings], Finding]
) -> None:
    monkeypatch.setattr("vmk_mcp.database.binaries._PACKAGE", "not_there")
    found = look(settings_of(tmp_path))
    assert (found.verdict, "extra `local`" in found.advice) == ("failed", True)


@pytest.mark.parametrize(
    ("package", "extra", "environ"),
    [
        ("faiss", "faiss", {"VECTOR_STORE_PROVIDER": "faiss"}),
        ("qdrant_client", "qdrant", {"VECTOR_STORE_PROVIDER": "qdrant"}),
        (
            "sentence_transformers",
            "sentence-transformers",
            {"VECTOR_EMBEDDING_PROVIDER": "sentence_transformers"},
        ),
    ],
)
def test_what_documents_need_and_is_not_installed_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, package: str, extra: str, environ: dict[str, str]
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    found = asyncio.run(examine_documents(settings_of(tmp_path, **environ)))
    assert (found.verdict, f"vmk-mcp[{extra}]" in found.advice) == ("failed", True)
    assert not list(tmp_path.iterdir())


def test_what_embeds_documents_is_tried_and_what_keeps_their_vectors_makes_nothing(tmp_path: Path) -> None:
    found = asyncio.run(examine_documents(settings_of(tmp_path, VECTOR_STORE_PROVIDER="faiss")))
    assert found.verdict == "ok"
    assert "multilingual-e5-small embeds" in found.message
    assert not list(tmp_path.iterdir())


def test_a_drafter_that_cannot_be_set_up_fails_and_a_fit_one_is_named(tmp_path: Path) -> None:
    address = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    assert examine_drafter(settings_of(tmp_path, **address)).verdict == "failed"
    assert "offline" in examine_drafter(settings_of(tmp_path)).message
