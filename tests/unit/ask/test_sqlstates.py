"""What Postgres refused, in words: every SQLSTATE has a reason code and a sentence."""

import pytest

from vmk_mcp.ask.sqlstates import FAILED, refuse_state


@pytest.mark.parametrize(
    ("sqlstate", "code"),
    [
        ("57014", "timeout"),
        ("22012", FAILED),
        ("22P02", FAILED),
        ("42703", "unknown_column"),
        ("42P01", "unknown_table"),
        ("42883", "function_not_allowed"),
        ("42501", "table_not_allowed"),
        ("42601", FAILED),
        ("53400", "too_expensive"),
        ("53200", "too_expensive"),
        ("54001", "too_expensive"),
        ("0A000", "type_not_allowed"),
        ("XX000", FAILED),
        ("", FAILED),
    ],
)
def test_a_state_becomes_a_refusal_with_a_sentence(sqlstate: str, code: str) -> None:
    refusal = refuse_state(sqlstate)
    assert refusal.code == code
    assert refusal.reason.endswith(".")
