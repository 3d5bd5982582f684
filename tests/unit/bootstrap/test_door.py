"""Who is let in at either door."""

from io import BytesIO
from pathlib import Path

import pytest

from tests.fakes import RecordingObserver
from vmk_mcp.bootstrap.door import (
    find_owner,
    note_address,
    open_access,
    refuse_broken_tokens,
    start_watching,
)
from vmk_mcp.errors import SettingsError
from vmk_mcp.observe import Warned
from vmk_mcp.settings import read_settings
from vmk_mcp.web.local_access import AccessFolder
from vmk_mcp.web.token_edits import Grant


def test_a_token_of_an_unknown_profile_is_no_owner(tmp_path: Path) -> None:
    file = tmp_path / "tokens.toml"
    file.write_text(f'[[token]]\nname = "a"\nsha256 = "{"0" * 64}"\nprofile = "loose"\n', encoding="utf-8")
    settings = read_settings({"MCP_TOKENS_FILE": str(file), "DATA_DIR": str(tmp_path)})
    with pytest.raises(SettingsError, match="'loose'; there are fixed, standard"):
        find_owner(settings, "a")


def test_a_broken_tokens_file_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    file = tmp_path / "tokens.toml"
    file.write_text("[[token]\n", encoding="utf-8")
    for environ in (
        {"MCP_TOKENS_FILE": str(file), "DATA_DIR": str(tmp_path / "d")},
        {"DATA_DIR": str(tmp_path)},
    ):
        with pytest.raises(SettingsError, match="line 1"):
            refuse_broken_tokens(read_settings(environ), RecordingObserver())
    assert list(tmp_path.iterdir()) == [file]


def test_a_machine_without_tokens_yet_passes(tmp_path: Path) -> None:
    refuse_broken_tokens(read_settings({"DATA_DIR": str(tmp_path)}), RecordingObserver())
    assert list(tmp_path.iterdir()) == []


def test_a_data_folder_that_cannot_be_written_costs_the_address_note_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    observer = RecordingObserver()
    settings = read_settings({"DATA_DIR": str(tmp_path / "file")})
    note_address(settings, "http://127.0.0.1:8080/mcp", observer)
    (warned,) = observer.of(Warned)
    assert "--url" in warned.message


def test_what_the_settings_warn_of_is_logged_at_start(tmp_path: Path) -> None:
    stream = BytesIO()
    start_watching(read_settings({"DATA_DIR": str(tmp_path), "VMK_TOMORROW": "1"}), stream)
    assert b"VMK_TOMORROW is not a setting" in stream.getvalue()


def test_a_local_token_of_an_older_version_is_kept_and_what_it_lacks_is_said_at_start(tmp_path: Path) -> None:
    settings, observer = read_settings({"DATA_DIR": str(tmp_path)}), RecordingObserver()
    older = AccessFolder(tmp_path).ensure_token(Grant(name="local", tools=("listings", "ask")))
    assert open_access(settings, (), observer).local_token == older
    (warned,) = observer.of(Warned)
    assert "lacks spatial, knowledge, towns, contacts" in warned.message
    assert "vmk-mcp token revoke local" in warned.message


def test_a_local_token_of_this_version_lacks_nothing(tmp_path: Path) -> None:
    settings, observer = read_settings({"DATA_DIR": str(tmp_path)}), RecordingObserver()
    open_access(settings, (), observer)
    assert observer.of(Warned) == []
