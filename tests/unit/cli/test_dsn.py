"""`vmk-mcp dsn` and `vmk-mcp roles` where there is no server to ask."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from vmk_mcp.cli.app import main


@pytest.fixture(autouse=True)
def _empty_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "data"))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def test_a_server_that_does_not_run_is_a_failure_that_says_how_to_start_it() -> None:
    done = run("dsn")
    assert done.exit_code == 1
    assert "The embedded server does not run." in done.output
    assert "vmk-mcp serve" in done.output


def test_a_postgis_cluster_that_does_not_run_may_lack_postgis() -> None:
    done = run("dsn", "--spatial")
    assert done.exit_code == 1
    assert "The PostGIS cluster does not run." in done.output
    assert "make postgis" in done.output


def test_the_writer_has_nothing_in_the_spatial_database() -> None:
    done = run("dsn", "--spatial", "--role", "writer")
    assert done.exit_code == 2
    assert "owner, reader, ask" in done.output


def test_the_roles_of_the_spatial_database_leave_out_the_columns_of_people() -> None:
    script = run("roles", "--database", "spatial").output
    assert "st_2_fanghuowangge" in script
    assert "wanggeyuan" not in script
