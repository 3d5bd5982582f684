"""Which families are served, and settings of families that a build lacks."""

import pytest

from tests.unit.settings.faults import fault_lines
from vmk_mcp.configuration.serving import BUILT_FAMILIES
from vmk_mcp.settings import read_settings

BUILT = ", ".join(BUILT_FAMILIES)


def test_a_list_of_families_that_names_none_is_refused() -> None:
    (line,) = fault_lines({"VMK_FAMILIES": ","})
    assert line.startswith(f"VMK_FAMILIES must name at least one of {BUILT}")


@pytest.mark.parametrize(
    ("name", "text", "family"),
    [
        ("KB_PATH", "documents", "knowledge"),
        ("VECTOR_CHUNK_SIZE", "256", "knowledge"),
        ("ASK_TIMEOUT", "5", "ask"),
        ("STATE_DATABASE_URL", "postgresql://h/state", "knowledge or ask"),
    ],
)
def test_a_setting_of_a_family_that_is_not_there_is_read_and_warned_of(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str, family: str
) -> None:
    monkeypatch.setattr("vmk_mcp.configuration.reading.BUILT_FAMILIES", ("listings",))
    assert read_settings({name: text}).warnings == (
        f"{name} has no effect: this build has no family {family}",
    )


def test_keys_that_other_programs_use_too_are_no_reason_to_warn() -> None:
    keys = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "https://h/v1", "ANTHROPIC_API_KEY": "k"}
    assert read_settings(keys).warnings == ()
