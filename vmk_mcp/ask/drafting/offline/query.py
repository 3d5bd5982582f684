"""What a question asks for, between its words and any statement: measures, groups, conditions, order."""

from datetime import date
from decimal import Decimal

from msgspec import Struct

from vmk_mcp.ask.model import OpenColumn


class Place(Struct, frozen=True):
    """A column of a table."""

    table: str
    column: OpenColumn


class Condition(Struct, frozen=True):
    """What a row must be.

    Attributes:
        operator: `=`, `<>`, `>`, `>=`, `<`, `<=`, `missing`, `present`, `is_true`, `is_false`, or a
            comparison with the column's own average: `> average`, `< average` and so on.
        value: what is compared with; None where the operator says all.
        position: of the word that said it.
        others: equalities of the same column, any of which will do.
    """

    place: Place
    operator: str
    value: str | Decimal | date | None = None
    position: int = 0
    others: tuple["Condition", ...] = ()


class Measure(Struct, frozen=True):
    """What is computed over rows.

    Attributes:
        function: `count`, `count_distinct`, `sum`, `avg`, `median`, `min`, `max`, `share` or `ratio`.
        place: the column; None for a count of rows.
        until: where the measure is of a span of time, the column that it ends by.
        per: a column that the value is divided by.
    """

    function: str
    place: Place | None = None
    until: Place | None = None
    per: Place | None = None


class Scope(Struct, frozen=True):
    """Rows of another table that must (or, negated, must not) go with each row.

    Attributes:
        parent: the scope of this table that it narrows, or empty: the rows asked for.
        operator: with `number`, how many there must be, or what `measure` over them must be.
    """

    table: str
    position: int
    is_negated: bool = False
    operator: str = ""
    number: Decimal | None = None
    measure: Measure | None = None
    parent: str = ""


class Group(Struct, frozen=True):
    """What there is one row of the answer for: values of a column, parts of its dates, or rows of a table."""

    place: Place | None = None
    table: str = ""
    part: str = ""


class Order(Struct, frozen=True):
    """What the rows are sorted by: a column, else the first measure."""

    is_descending: bool
    place: Place | None = None


class Query(Struct, frozen=True):
    """All that a question asks for.

    Attributes:
        root: the table whose rows are counted, measured or listed.
        columns: of a list; none where the rows themselves are asked for.
        numerator: the conditions of a share's counted part.
        is_distinct: whether a list holds each row once.
        ratio: what a whole share is written as, 100 or 1.
    """

    root: str
    measures: tuple[Measure, ...] = ()
    groups: tuple[Group, ...] = ()
    columns: tuple[Place, ...] = ()
    conditions: tuple[Condition, ...] = ()
    numerator: tuple[Condition, ...] = ()
    scopes: tuple[Scope, ...] = ()
    having: tuple[tuple[str, Decimal], ...] = ()
    order: Order | None = None
    limit: int | None = None
    is_distinct: bool = False
    ratio: int = 100


class Unclear(Exception):
    """A question that is not turned into a statement; `code` is `ambiguous_question` or `unanswerable`."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def ambiguous(reason: str) -> Unclear:
    """Make the failure of a question that several things could be meant by."""
    return Unclear("ambiguous_question", reason)


def unanswerable(reason: str) -> Unclear:
    """Make the failure of a question that the source has no answer to."""
    return Unclear("unanswerable", reason)
