"""Spans of time in words, read on one day."""

from datetime import date

import pytest

from vmk_mcp.ask.drafting.offline.periods import add_months, find_period
from vmk_mcp.ask.drafting.offline.tokens import tokenize

TODAY = date(2026, 3, 10)


@pytest.mark.parametrize(
    ("text", "first", "end"),
    [
        ("in 2023", date(2023, 1, 1), date(2024, 1, 1)),
        ("before 2015", None, date(2015, 1, 1)),
        ("after 2000", date(2001, 1, 1), None),
        ("since March 2024", date(2024, 3, 1), None),
        ("until the year 2020", None, date(2021, 1, 1)),
        ("between March 2023 and June 2023", date(2023, 3, 1), date(2023, 7, 1)),
        ("from 2020 to 2022", date(2020, 1, 1), date(2023, 1, 1)),
        ("between 2024-01-01 and 2024-03-31", date(2024, 1, 1), date(2024, 4, 1)),
        ("on May 5, 2024", date(2024, 5, 5), date(2024, 5, 6)),
        ("this year", date(2026, 1, 1), date(2027, 1, 1)),
        ("last month", date(2026, 2, 1), date(2026, 3, 1)),
        ("last week", date(2026, 3, 2), date(2026, 3, 9)),
        ("this quarter", date(2026, 1, 1), date(2026, 4, 1)),
        ("in the first quarter of 2025", date(2025, 1, 1), date(2025, 4, 1)),
        ("Q4 2025", date(2025, 10, 1), date(2026, 1, 1)),
        ("in the last 90 days", date(2025, 12, 10), date(2026, 3, 11)),
        ("for the past year", date(2025, 3, 10), date(2026, 3, 11)),
        ("last six months", date(2025, 9, 10), date(2026, 3, 11)),
        ("in the next 30 days", date(2026, 3, 10), date(2026, 4, 10)),
        ("yesterday", date(2026, 3, 9), date(2026, 3, 10)),
        ("у 2023 році", date(2023, 1, 1), date(2024, 1, 1)),
        ("після 2010 року", date(2011, 1, 1), None),
        ("минулого місяця", date(2026, 2, 1), date(2026, 3, 1)),
        ("у березні 2024", date(2024, 3, 1), date(2024, 4, 1)),
        ("за останні 30 днів", date(2026, 2, 8), date(2026, 3, 11)),
    ],
)
def test_a_span_of_time_is_read_whole(text: str, first: date | None, end: date | None) -> None:
    tokens = tokenize(text)
    found = find_period(tokens, 0, TODAY)
    assert found is not None
    assert (found.period.first, found.period.end, found.length) == (first, end, len(tokens))


@pytest.mark.parametrize(
    "text", ["2023 trees", "in total", "may be", "last", "February 30, 2024", "between 3 and 5"]
)
def test_what_is_no_span_of_time_is_left_alone(text: str) -> None:
    found = find_period(tokenize(text), 0, TODAY)
    assert found is None or found.length < len(tokenize(text))


def test_months_are_added_to_the_last_day_that_there_is() -> None:
    assert add_months(date(2024, 1, 31), 1) == date(2024, 2, 29)
    assert add_months(date(2024, 3, 31), -13) == date(2023, 2, 28)
    assert add_months(date(2023, 11, 15), 2) == date(2024, 1, 15)
