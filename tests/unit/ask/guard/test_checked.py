"""Nothing but the guard's check makes a statement that may run."""

import copy
import pickle

import pytest

from tests.unit.ask.guard.open_city import ask_guard
from vmk_mcp.ask.guard import CheckedSelect


@pytest.fixture
def checked() -> CheckedSelect:
    verdict = ask_guard("SELECT 1 AS one")
    assert isinstance(verdict, CheckedSelect)
    return verdict


def test_it_cannot_be_made_by_hand() -> None:
    with pytest.raises(TypeError, match="Only the guard"):
        CheckedSelect()


def test_it_has_no_subclass_that_could_be_made_by_hand() -> None:
    with pytest.raises(TypeError, match="no subclasses"):
        type("Forged", (CheckedSelect,), {})


@pytest.mark.parametrize("copy_it", [copy.copy, copy.deepcopy, pickle.dumps])
def test_it_is_neither_copied_nor_pickled(checked: CheckedSelect, copy_it: object) -> None:
    assert callable(copy_it)
    with pytest.raises(TypeError, match="neither copied"):
        copy_it(checked)


def test_what_was_checked_stays_as_it_is(checked: CheckedSelect) -> None:
    with pytest.raises(AttributeError, match="cannot be changed"):
        checked.sql = "DROP TABLE permits"
    with pytest.raises(AttributeError, match="cannot be changed"):
        del checked.sql
    with pytest.raises(AttributeError):
        checked.other = 1
    assert checked.sql == "SELECT 1 AS one"
