"""Settings out of a `.env` file beside those of the environment."""

from pathlib import Path

import pytest

from vmk_mcp.errors import SettingsError
from vmk_mcp.settings import read_settings


def write_dotenv(folder: Path, text: str) -> Path:
    path = folder / "env"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_environment_wins_over_the_file_under_any_of_a_settings_names(tmp_path: Path) -> None:
    dotenv = write_dotenv(tmp_path, "DB_POOL_MAX_SIZE=8\nMCP_PORT=81\nDATABASE_URL=postgresql://file/x\n")
    settings = read_settings({"DB_POOL_MAX": "7", "DB_HOST": "env"}, dotenv)
    assert (settings.database.pool_max_size, settings.server.port) == (7, 81)
    assert settings.database.listings is not None
    assert settings.database.listings.shown == "postgresql://postgres@env:5432/vmk_data"


def test_a_password_in_the_environment_completes_the_parts_in_the_file(tmp_path: Path) -> None:
    settings = read_settings({"DB_PASSWORD": "hush"}, write_dotenv(tmp_path, "DB_HOST=h\n"))
    assert settings.database.listings is not None
    assert settings.database.listings.reveal() == "postgresql://postgres:hush@h:5432/vmk_data"


def test_a_file_is_taken_as_it_stands(tmp_path: Path) -> None:
    dotenv = write_dotenv(
        tmp_path, "\ufeffDB_HOST=h\nDB_PASSWORD='a${HOME}#b'\nexport MCP_PORT=81 # comment\n"
    )
    settings = read_settings({"HOME": "x"}, dotenv)
    assert settings.database.listings is not None
    assert settings.database.listings.parts.password is not None
    assert settings.database.listings.parts.password.reveal() == "a${HOME}#b"
    assert settings.server.port == 81


def test_a_line_of_the_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="line 2 is not NAME=value"):
        read_settings({}, write_dotenv(tmp_path, "MCP_PORT=81\n=oops\n"))


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "env").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="is not UTF-8 text"):
        read_settings({}, tmp_path / "env")


def test_a_missing_file_is_no_fault(tmp_path: Path) -> None:
    assert read_settings({}, tmp_path / "none").server.port == 8080
