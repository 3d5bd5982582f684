"""How much a statement may ask for."""

from msgspec import Struct


class GuardLimits(Struct, frozen=True):
    """Bounds of one source.

    Attributes:
        statement_bytes: size of the statement in UTF-8.
        nesting: how deep parentheses and brackets may stand in one another.
        large_table_rows: a table of more rows is not read whole without a condition (`unbounded_scan`).
        series_rows: rows that one generated series, or one recursion, may have.
        text_length: characters that one call may stretch a text to.
        value_bytes: size that one value may be estimated to reach.
        exponent: the largest constant exponent of a power of exact numbers.
        cross_rows: rows of a join whose sides no condition connects.
        joined_rows: the same where a condition connects them that is no equality.
        plan_cost: the planner's estimate of a whole statement.
    """

    statement_bytes: int = 64 * 1024
    nesting: int = 100
    large_table_rows: int = 500
    series_rows: int = 10_000
    text_length: int = 1_000
    value_bytes: int = 32 * 1024 * 1024
    exponent: int = 1_000
    cross_rows: int = 1_000_000
    joined_rows: int = 50_000_000
    plan_cost: float = 1_000_000
