"""By which login each source is asked, and why one is not there."""

from pathlib import Path

import pytest

from vmk_mcp.bootstrap.asked_databases import FoundSources, find_sources
from vmk_mcp.bootstrap.databases import FilledServer, LazySources
from vmk_mcp.errors import SettingsError, StartError
from vmk_mcp.settings import read_settings

FOREIGN = {"DATABASE_URL": "postgresql://reading:secret@h:5432/data"}


def quiet(line: str) -> None:
    """Take a line that nobody reads."""


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the embedded server be one that cannot run here."""

    def open_nothing(*_: object) -> FilledServer:
        raise StartError("No server can run here.")

    monkeypatch.setattr("vmk_mcp.bootstrap.databases.open_embedded", open_nothing)


def find(folder: Path, **environ: str) -> FoundSources:
    settings = read_settings({"DATA_DIR": str(folder), **environ})
    return find_sources(settings, LazySources(settings, quiet))


def test_a_reading_login_of_the_operators_takes_on_the_role_that_asks(tmp_path: Path) -> None:
    (source,) = find(tmp_path, **FOREIGN, ASK_SOURCES="listings").sources
    assert (source.login.dsn, source.login.role) == (FOREIGN["DATABASE_URL"], "vmk_ask")


def test_a_login_made_for_asking_is_taken_as_it_is(tmp_path: Path) -> None:
    own = "postgresql://vmk_ask:secret@h:5432/data"
    (source,) = find(tmp_path, **FOREIGN, ASK_SOURCES="listings", ASK_DATABASE_URL=own).sources
    assert (source.login.dsn, source.login.role) == (own, "")


def test_sources_that_cannot_be_had_are_named_with_the_reason_and_the_others_stay(tmp_path: Path) -> None:
    found = find(tmp_path, **FOREIGN)
    assert [source.name for source in found.sources] == ["listings"]
    assert found.troubles == {
        "municipal": "No server can run here.",
        "spatial": "The PostGIS cluster of the spatial family does not run here.",
    }


def test_a_file_of_ones_own_is_asked_by_its_own_login(tmp_path: Path) -> None:
    file = tmp_path / "shop.toml"
    file.write_text('dsn = "postgresql://a:secret@h/shop"\nrole = "asker"\n', "utf-8")
    (source,) = find(tmp_path, ASK_SOURCES=str(file)).sources
    assert (source.name, source.login.dsn, source.login.role) == (
        "shop",
        "postgresql://a:secret@h:5432/shop",
        "asker",
    )


def test_a_file_whose_dsn_cannot_be_read_is_refused_without_showing_it(tmp_path: Path) -> None:
    file = tmp_path / "shop.toml"
    file.write_text('dsn = "mysql://a:secret@h/shop"\n', "utf-8")
    with pytest.raises(SettingsError, match=r"source file shop\.toml must begin") as refused:
        find(tmp_path, ASK_SOURCES=str(file))
    assert "secret" not in refused.value.message + refused.value.hint
