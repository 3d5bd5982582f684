"""What `vmk-mcp doctor` says of a real state database."""

from pathlib import Path

import pytest

from tests.integration.servers import Dsn, quiet
from vmk_mcp.bootstrap.databases import LazySources
from vmk_mcp.bootstrap.examining_beside import examine_state
from vmk_mcp.bootstrap.findings import Finding
from vmk_mcp.database.credentials import Role
from vmk_mcp.settings import read_settings


def look_at_state(dsn: str, folder: Path) -> Finding:
    settings = read_settings({"DATA_DIR": str(folder), "STATE_DATABASE_URL": dsn})
    return examine_state(settings, LazySources(settings, quiet))


def test_a_state_database_with_our_tables_is_fine(state_dsn: Dsn, tmp_path: Path) -> None:
    found = look_at_state(state_dsn(Role.WRITER), tmp_path)
    assert found == Finding("state database", "ok", "It can be read; no documents are indexed yet.")


@pytest.mark.parametrize(
    ("database", "message"),
    [
        ("postgres", "It lacks tables of ours, or the right to use them."),
        ("no_such_database", "Postgres at {place}: Postgres has no database of that name."),
    ],
)
def test_a_state_database_without_them_or_without_itself_is_a_failure(
    state_dsn: Dsn, tmp_path: Path, database: str, message: str
) -> None:
    address = state_dsn(Role.WRITER).rpartition("/")[0]
    found = look_at_state(f"{address}/{database}", tmp_path)
    place = address.rpartition("@")[2]
    assert (found.verdict, found.message) == ("failed", message.format(place=place))
    assert found.advice
