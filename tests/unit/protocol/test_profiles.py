"""Profiles are data: two are shipped, a file more is one more, and a wrong one is named at start."""

from pathlib import Path

import pytest

from tests.unit.protocol.conversation import PROFILES
from vmk_mcp.errors import SettingsError
from vmk_mcp.protocol import Profile, load_profiles


def test_the_shipped_profiles_are_fixed_and_standard() -> None:
    assert {
        "fixed": Profile(
            name="fixed",
            protocol_version="2025-06-18",
            version_header="ignored",
            unknown_arguments="dropped",
            text_content="json",
        ),
        "standard": Profile(
            name="standard",
            protocol_version="2025-06-18",
            version_header="checked",
            unknown_arguments="refused",
            text_content="json",
        ),
    } == PROFILES


def test_a_folder_without_profiles_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="No profile"):
        load_profiles(tmp_path)


def test_every_ill_formed_profile_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"protocol_version": 5}')
    (tmp_path / "b.json").write_text("{")
    with pytest.raises(
        SettingsError, match=r"Profile a\.json: .*protocol_version.*; Profile b\.json: .*\.$"
    ) as caught:
        load_profiles(tmp_path)
    assert str(tmp_path) not in caught.value.message
