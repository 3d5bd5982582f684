"""Who is let in at either door."""

from pathlib import Path

import pytest

from vmk_mcp.bootstrap.door import find_owner
from vmk_mcp.errors import SettingsError
from vmk_mcp.settings import read_settings


def test_a_token_of_an_unknown_profile_is_no_owner(tmp_path: Path) -> None:
    file = tmp_path / "tokens.toml"
    file.write_text(f'[[token]]\nname = "a"\nsha256 = "{"0" * 64}"\nprofile = "loose"\n', encoding="utf-8")
    settings = read_settings({"MCP_TOKENS_FILE": str(file), "DATA_DIR": str(tmp_path)})
    with pytest.raises(SettingsError, match="'loose'; there are fixed, standard"):
        find_owner(settings, "a")
