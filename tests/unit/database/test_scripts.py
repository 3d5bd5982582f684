"""Which schema scripts are still to be applied."""

import pytest

from vmk_mcp.database.scripts import STATE, Blueprint, Script, blueprint_listings, find_pending
from vmk_mcp.errors import StartError

_MIGRATION = Script("listings_001_tables")
_LATER = Script("listings_002_indexes")
_ROLES = Script("roles_listings", repeatable=True)
_SCRIPTS = (_MIGRATION, _LATER, _ROLES)


def applied(*scripts: Script) -> dict[str, str]:
    return {script.name: script.checksum for script in scripts}


def test_an_untouched_database_gets_all_scripts_in_order() -> None:
    assert find_pending(_SCRIPTS, {}) == list(_SCRIPTS)


def test_a_current_database_gets_none() -> None:
    assert find_pending(_SCRIPTS, applied(*_SCRIPTS)) == []


def test_after_a_new_migration_the_repeatable_scripts_run_again() -> None:
    assert find_pending(_SCRIPTS, applied(_MIGRATION, _ROLES)) == [_LATER, _ROLES]


def test_a_repeatable_script_in_another_wording_runs_again_alone() -> None:
    assert find_pending(_SCRIPTS, applied(_MIGRATION, _LATER) | {_ROLES.name: "older"}) == [_ROLES]


def test_a_migration_in_another_wording_is_refused() -> None:
    with pytest.raises(StartError, match="listings_001_tables"):
        find_pending(_SCRIPTS, applied(*_SCRIPTS) | {_MIGRATION.name: "other"})


def test_what_a_newer_version_applied_is_no_obstacle() -> None:
    assert find_pending(_SCRIPTS, applied(*_SCRIPTS) | {"listings_999_future": "x"}) == []


def test_without_a_dictionary_there_is_no_ukrainian_configuration() -> None:
    with_it, without_it = (
        {script.name for script in blueprint_listings(has_dictionary=there).scripts}
        for there in (True, False)
    )
    assert with_it - without_it == {"listings_text_search"}


@pytest.mark.parametrize("blueprint", [STATE, blueprint_listings(has_dictionary=True)])
def test_every_script_that_is_named_exists(blueprint: Blueprint) -> None:
    assert all(script.text for script in blueprint.scripts)
