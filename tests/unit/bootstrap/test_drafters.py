"""Which drafter is taken, by what the operator has set."""

import pytest

from vmk_mcp.bootstrap.drafters import choose_drafter
from vmk_mcp.errors import SettingsError
from vmk_mcp.settings import read_settings


@pytest.mark.parametrize(
    ("environ", "backend"),
    [
        ({}, "offline"),
        ({"ANTHROPIC_API_KEY": "k"}, "anthropic"),
        ({"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}, "anthropic"),
        ({"OPENAI_API_KEY": "k"}, "openai"),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:11434/v1", "OPENAI_MODEL": "qwen3"}, "openai"),
    ],
)
async def test_anthropic_comes_before_a_compatible_server_and_that_before_the_offline_drafter(
    environ: dict[str, str], backend: str
) -> None:
    chosen = choose_drafter(read_settings(environ).ask)
    assert chosen.drafter.backend == backend
    await chosen.close()


def test_a_server_of_ones_own_needs_the_name_of_a_model() -> None:
    with pytest.raises(SettingsError, match="OPENAI_MODEL"):
        choose_drafter(read_settings({"OPENAI_BASE_URL": "http://127.0.0.1:11434/v1"}).ask)
