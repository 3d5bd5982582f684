"""What is wrong with settings, line by line."""

import pytest

from vmk_mcp.errors import SettingsError
from vmk_mcp.settings import read_settings


def fault_lines(environ: dict[str, str]) -> list[str]:
    """Give the faults that reading `environ` names."""
    with pytest.raises(SettingsError) as raised:
        read_settings(environ)
    return raised.value.message.splitlines()
