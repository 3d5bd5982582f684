"""Arguments and results of the family's tools, as clients see them."""

from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from vmk_mcp.ask.model import ForeignKey

QUESTION_LENGTH: Final = 4_000
STATEMENT_LENGTH: Final = 256 * 1024
"""Above the guard's own limit, so that it is the guard that refuses, with its reason code."""

SourceName = Annotated[
    str,
    Meta(description="Which database to ask; the default one where it is left out.", examples=["municipal"]),
]


class SchemaQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `list_schema`."""

    source: SourceName | None = None


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `ask`."""

    question: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=QUESTION_LENGTH,
            description="One question about the data in plain words; say which records and which period.",
            examples=["How many permits does each contractor hold?"],
        ),
    ]
    source: SourceName | None = None


class Statement(Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `run_sql` and `explain_sql`."""

    sql: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=STATEMENT_LENGTH,
            description="One SELECT in PostgreSQL's dialect, over the tables that list_schema shows.",
        ),
    ]
    source: SourceName | None = None


class ShownColumn(Struct, frozen=True, omit_defaults=True):
    """A column of `list_schema`."""

    name: str
    type: str
    description: str = ""


class ShownTable(Struct, frozen=True):
    """A table of `list_schema`."""

    name: str
    columns: list[ShownColumn]
    foreign_keys: list[ForeignKey]
    row_estimate: int


class SchemaShown(Struct, frozen=True):
    """Result of `list_schema`."""

    tables: list[ShownTable]


class AnswerColumn(Struct, frozen=True):
    """A column of an answer; `type` as Postgres writes it."""

    name: str
    type: str


class AskAnswer(Struct, frozen=True, kw_only=True):
    """Result of `ask` and `run_sql`; a rejected one is a normal answer.

    Attributes:
        sql: what was run, as the guard wrote it down; where it was not run, what was proposed.
        backend: what drafted it, or "none".
        elapsed_ms: of the whole call, the drafter's time included.
    """

    sql: str | None
    rows: list[dict[str, Any]] = []
    columns: list[AnswerColumn] = []
    rejected: bool = False
    rejection_reason: str | None = None
    reason_code: str | None = None
    backend: str
    row_count: int = 0
    truncated: bool = False
    elapsed_ms: float


class Explained(Struct, frozen=True, kw_only=True):
    """Result of `explain_sql`; nothing is run."""

    sql: str | None
    rejected: bool = False
    rejection_reason: str | None = None
    reason_code: str | None = None
    plan: list[Any] = []
    estimated_cost: float | None = None
    estimated_rows: int | None = None
    elapsed_ms: float
