"""Which PostgreSQL of the system is taken for the PostGIS cluster."""

from pathlib import Path

import pytest

from vmk_mcp.database.binaries import Binaries, find_postgis_binaries
from vmk_mcp.errors import StartError

DEBIAN = ("usr/lib/postgresql/{major}/bin", "usr/share/postgresql/{major}/extension")
RPM = ("usr/pgsql-{major}/bin", "usr/pgsql-{major}/share/extension")


def install(
    root: Path,
    major: int,
    layout: tuple[str, str] = DEBIAN,
    extensions: tuple[str, ...] = ("postgis",),
) -> Path:
    """Make the files of a PostgreSQL below `root`, and give the folder of its programs."""
    bin_dir, extension_dir = (root / part.format(major=major) for part in layout)
    bin_dir.mkdir(parents=True)
    extension_dir.mkdir(parents=True)
    (bin_dir / "initdb").touch()
    for name in extensions:
        (extension_dir / f"{name}.control").touch()
    return bin_dir


@pytest.mark.parametrize("layout", [DEBIAN, RPM])
def test_one_with_postgis_is_found_and_run_in_its_place(tmp_path: Path, layout: tuple[str, str]) -> None:
    bin_dir = install(tmp_path, 15, layout)
    assert find_postgis_binaries(root=tmp_path) == Binaries("15", bin_dir)


def test_the_newest_is_taken_for_a_new_cluster_and_its_own_for_one_that_is_there(tmp_path: Path) -> None:
    for major in (15, 17, 16):
        install(tmp_path, major)
    assert find_postgis_binaries(root=tmp_path).major == 17
    assert find_postgis_binaries(16, root=tmp_path).major == 16


def test_a_cluster_whose_version_is_gone_gets_the_newest_which_then_says_what_is_wrong(
    tmp_path: Path,
) -> None:
    install(tmp_path, 17)
    assert find_postgis_binaries(15, root=tmp_path).major == 17


def test_one_without_postgis_is_passed_over(tmp_path: Path) -> None:
    install(tmp_path, 17, extensions=("pg_trgm",))
    install(tmp_path, 15)
    assert find_postgis_binaries(root=tmp_path).major == 15


@pytest.mark.parametrize("major", [9, 14])
def test_one_that_is_too_old_is_as_good_as_none(tmp_path: Path, major: int) -> None:
    install(tmp_path, major)
    with pytest.raises(StartError, match="no PostgreSQL 15 or newer with PostGIS") as refused:
        find_postgis_binaries(root=tmp_path)
    assert "make postgis" in refused.value.hint
    assert "SPATIAL_DATABASE_URL" in refused.value.hint
