"""What a database that may be asked looks like: relations, columns, keys, known values, words for them."""

from collections.abc import Mapping
from datetime import date

from msgspec import Struct


class OpenColumn(Struct, frozen=True):
    """A column open to asking; `type` as `format_type` writes it, such as `numeric(12,2)` or `text[]`."""

    name: str
    type: str
    description: str = ""


class ForeignKey(Struct, frozen=True):
    """Columns of one table that name a row of another; both sides in the same order."""

    columns: tuple[str, ...]
    table: str
    references: tuple[str, ...]


class OpenTable(Struct, frozen=True):
    """A relation open to asking, with its open columns alone.

    Attributes:
        primary_key: its columns, or () where there is none or it is not open.
        row_estimate: rows as the planner's statistics have them, at least 0.
        description: the comment on it, or "".
    """

    name: str
    columns: tuple[OpenColumn, ...]
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    row_estimate: int = 0
    description: str = ""


class OpenSchema(Struct, frozen=True):
    """All that is open to asking in one database; `name` is the Postgres schema that the tables lie in."""

    name: str
    tables: tuple[OpenTable, ...]


class Glossary(Struct, frozen=True):
    """An operator's words for a source.

    Attributes:
        synonyms: a word or phrase in lower case -> `table`, `table.column` or `table.column=value`.
        notes: sentences for a drafter that reads prose.
    """

    synonyms: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()


class AskedSource(Struct, frozen=True):
    """What a drafter knows of the database that it drafts for.

    Attributes:
        values: `table.column` -> the distinct texts of that column, where they are few enough to be words of
            a question.
        today: the day that "this year" and "last month" are counted from.
    """

    name: str
    schema: OpenSchema
    values: Mapping[str, tuple[str, ...]]
    glossary: Glossary
    today: date


class Refusal(Struct, frozen=True):
    """Why a statement or question is not run.

    Attributes:
        code: one of the guard's or the drafters' stable reason codes.
        reason: a sentence for the person who asked: what is wrong, and what to do.
    """

    code: str
    reason: str


class Draft(Struct, frozen=True):
    """A drafter's proposal, which nobody trusts: one statement."""

    sql: str
