"""What a caller gave goes before what was understood."""

import msgspec
import pytest

from tests.unit.listings.interpretation.known_values import VALUES
from vmk_mcp.listings.filters import Filters
from vmk_mcp.listings.interpretation.interpreter import interpret
from vmk_mcp.listings.interpretation.merging import merge_filters
from vmk_mcp.listings.interpretation.outcome import Ignored

WISH = "2к у Києві на Печерську до 15000 грн, не перший поверх, 65 м², світла"


def test_without_filters_given_all_that_was_understood_is_applied() -> None:
    read = interpret(WISH, VALUES)
    merged, account = merge_filters(Filters(), read)
    assert merged == read.filters
    assert account.search_text == "світла"
    assert account.ignored == ()
    assert set(account.applied) == set(account.words)


@pytest.mark.parametrize(
    ("given", "ruled_out"),
    [
        (Filters(min_rooms=3), {"rooms_count"}),
        (Filters(rooms_count=[1]), {"rooms_count"}),
        (Filters(currency="USD"), {"max_price", "currency"}),
        (Filters(min_price=1), {"max_price", "currency"}),
        (Filters(city=["Львів"]), {"city"}),
        (Filters(district=["Галицький"]), {"district"}),
        (Filters(max_total_area=50), {"min_total_area", "max_total_area"}),
        (Filters(floor=[1]), {"not_first_floor"}),
        (Filters(not_last_floor=True), {"not_first_floor"}),
    ],
)
def test_a_given_filter_rules_out_what_was_understood_of_its_subject(
    given: Filters, ruled_out: set[str]
) -> None:
    read = interpret(WISH, VALUES)
    merged, account = merge_filters(given, read)
    assert {entry.field for entry in read.understood} - set(account.applied) == ruled_out
    for name in given.__struct_fields__:
        if getattr(given, name) is not None:
            assert getattr(merged, name) == getattr(given, name)
    assert all(getattr(merged, name) == getattr(given, name) for name in ruled_out)


def test_a_filter_of_another_subject_rules_out_nothing() -> None:
    merged, account = merge_filters(Filters(has_balcony=True), interpret("2к", VALUES))
    assert merged == Filters(has_balcony=True, rooms_count=[2])
    assert account.applied == {"rooms_count": [2]}


def test_the_account_says_what_was_ruled_out_by_which_filter() -> None:
    _, account = merge_filters(Filters(min_rooms=3), interpret("2к", VALUES))
    assert account.ignored == (Ignored("2к", "filters.min_rooms is given"),)


def test_the_account_is_written_with_the_words_under_from() -> None:
    _, account = merge_filters(Filters(), interpret("2к з ремонтом", VALUES))
    assert msgspec.to_builtins(account) == {
        "applied": {"rooms_count": [2]},
        "from": {"rooms_count": "2к"},
        "search_text": "з ремонтом",
    }
