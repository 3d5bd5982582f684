"""What `vmk-mcp doctor` says of sources that may be asked before any of their databases answers."""

from pathlib import Path
from typing import Final

import pytest

from vmk_mcp.bootstrap.county import NoCounty
from vmk_mcp.bootstrap.databases import LazySources
from vmk_mcp.bootstrap.examining_asked import examine_asked
from vmk_mcp.bootstrap.findings import Finding
from vmk_mcp.database.cluster import CLUSTER_FOLDER
from vmk_mcp.errors import StartError
from vmk_mcp.settings import read_settings

POSTGIS_MISSING: Final = "vmk_mcp.bootstrap.examining_beside.find_postgis_binaries"


def quiet(line: str) -> None:
    """Hear nothing."""


def look_at(folder: Path, source: str, **environ: str) -> Finding:
    settings = read_settings({"DATA_DIR": str(folder), "ASK_SOURCES": source, **environ})
    (finding,) = examine_asked(settings, LazySources(settings, quiet))
    return finding


@pytest.mark.parametrize("source", ["municipal", "listings"])
def test_what_the_first_start_will_make_is_foretold_and_not_made(tmp_path: Path, source: str) -> None:
    found = look_at(tmp_path, source)
    assert (found.subject, found.verdict) == (f"ask source {source} (default)", "ok")
    assert "the first start makes" in found.message
    assert list(tmp_path.iterdir()) == []


def test_the_county_without_postgis_is_warned_of_with_the_way_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def find_none(_: int | None) -> None:
        raise StartError("There is none.", hint="Run `make postgis`.")

    monkeypatch.setattr(POSTGIS_MISSING, find_none)
    found = look_at(tmp_path, "spatial")
    assert (found.verdict, found.message, found.advice) == (
        "warning",
        "There is none.",
        "Run `make postgis`.",
    )


def test_the_county_of_a_family_that_is_not_served_is_warned_of(tmp_path: Path) -> None:
    found = look_at(tmp_path, "spatial", VMK_FAMILIES="ask")
    assert (found.verdict, "VMK_FAMILIES" in found.advice) == ("warning", True)


def test_a_county_that_does_not_come_up_fails_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "postgis" / CLUSTER_FOLDER).mkdir(parents=True)
    monkeypatch.setattr(
        "vmk_mcp.bootstrap.examining_asked.open_county", lambda *_: NoCounty("It is broken.", "Mend it.")
    )
    found = look_at(tmp_path, "spatial")
    assert (found.verdict, found.message, found.advice) == ("failed", "It is broken.", "Mend it.")


@pytest.mark.parametrize(
    ("name", "lines", "words"),
    [
        ("shop.toml", 'dsn = "shop"\n', "The dsn in the source file shop.toml must begin with postgresql://"),
        ("shop.toml", "dsn = \n", "it is no TOML"),
        ("shop.toml", "", "names no database"),
        ("shop.sql", "", "is no source"),
    ],
)
def test_a_source_that_cannot_be_used_fails_and_says_why(
    tmp_path: Path, name: str, lines: str, words: str
) -> None:
    (tmp_path / name).write_text(lines, "utf-8")
    found = look_at(tmp_path, str(tmp_path / name))
    assert (found.verdict, words in found.message) == ("failed", True)
    assert found.advice
