"""What Postgres refused, by its SQLSTATE, in the words of a refusal."""

from typing import Final

from vmk_mcp.ask.model import Refusal

FAILED: Final = "statement_failed"

_REFUSALS: Final = {
    "57014": Refusal(
        "timeout",
        "The statement did not end within its time and was stopped: narrow it, or ask for less.",
    ),
    "55P03": Refusal(
        "timeout", "Another session holds a lock on a table that is asked for: try again later."
    ),
    "22012": Refusal(FAILED, "The statement divides by zero: guard the divisor with NULLIF(..., 0)."),
    "42703": Refusal("unknown_column", "Postgres finds no such column: see list_schema for what is open."),
    "42P01": Refusal("unknown_table", "Postgres finds no such table: see list_schema for what is open."),
    "42702": Refusal("unknown_column", "A column's name is in several tables: write the table before it."),
    "42883": Refusal(
        "function_not_allowed",
        "Postgres has no function or operator of that name for these types: cast the arguments.",
    ),
    "42501": Refusal("table_not_allowed", "A table or column is not open to the role that asks."),
    "42803": Refusal(FAILED, "A column stands beside an aggregate without being in GROUP BY: add it there."),
    "42804": Refusal(FAILED, "Values of two types meet where one is expected: cast one of them."),
    "0A000": Refusal(
        "type_not_allowed",
        "A column of the answer is of a type that cannot be written down: cast it to text.",
    ),
    "42P18": Refusal("type_not_allowed", "The type of a value cannot be told: cast it."),
    "53400": Refusal("too_expensive", "The statement needs more disk than it may take: narrow it."),
}
_REFUSED_CLASSES: Final = {
    "22": Refusal(
        FAILED, "A value does not fit what the statement does with it, such as a text cast to a number."
    ),
    "42": Refusal(FAILED, "Postgres does not accept the statement: its names or types do not fit together."),
    "53": Refusal("too_expensive", "The statement needs more than the server can give it: narrow it."),
    "54": Refusal("too_expensive", "The statement is larger than Postgres can work through: ask for less."),
}
_OTHER: Final = Refusal(FAILED, "Postgres could not run the statement: put it more simply.")


def refuse_state(sqlstate: str) -> Refusal:
    """Give the refusal for a statement that Postgres itself did not run through."""
    return _REFUSALS.get(sqlstate) or _REFUSED_CLASSES.get(sqlstate[:2], _OTHER)
