"""What Postgres' own catalog says of an asked database, to the role that asks."""

from collections.abc import Sequence
from typing import Final, Protocol

from msgspec import Struct

from vmk_mcp.database.asking import AskedDatabase, StatementFailed
from vmk_mcp.database.query import Statement, load_query

_WITHIN_S: Final = 3.0
_VALUES_WITHIN_S: Final = 1.0
_MOST_VALUES: Final = 500
_MOST_LETTERS: Final = 80
_MOST_ROWS: Final = 100_000


class RelationRow(Struct, frozen=True):
    """An open relation; see `list_tables.sql`."""

    name: str
    description: str | None
    row_estimate: int


class ColumnRow(Struct, frozen=True):
    """A column that may be read; see `list_columns.sql`."""

    relation: str
    name: str
    type: str
    description: str | None
    holds_words: bool


class KeyRow(Struct, frozen=True):
    """A primary or foreign key; see `list_keys.sql`."""

    relation: str
    is_primary: bool
    columns: Sequence[str]
    referred: str | None
    referred_columns: Sequence[str] | None


class CatalogRows(Struct, frozen=True):
    """All of them, for one schema."""

    relations: Sequence[RelationRow]
    columns: Sequence[ColumnRow]
    keys: Sequence[KeyRow]


class Catalog(Protocol):
    """Reads the catalog; every method raises `StoreUnavailable` or `NotOffered`."""

    async def read(self, schema: str) -> CatalogRows:
        """Give relations, columns and keys of a schema, of what may be read."""

    async def list_behind(self, schema: str, relations: Sequence[str]) -> Sequence[str]:
        """Name partitions of relations and what views among them read, themselves included."""

    async def list_values(self, schema: str, relation: str, column: str) -> Sequence[str]:
        """Give the distinct texts of a column; none where they are many or long, or take long to find."""


class _SchemaQuery(Struct, frozen=True):
    schema_name: str


class _RelationsQuery(Struct, frozen=True):
    schema_name: str
    relations: Sequence[str]


class _ValuesQuery(Struct, frozen=True):
    schema_name: str
    relation: str
    name: str
    most_values: int = _MOST_VALUES
    most_letters: int = _MOST_LETTERS
    most_rows: int = _MOST_ROWS


class _Name(Struct, frozen=True):
    name: str


class _Texts(Struct, frozen=True):
    texts: Sequence[str] | None


_LIST_TABLES: Final = load_query("ask/list_tables", row=RelationRow)
_LIST_COLUMNS: Final = load_query("ask/list_columns", row=ColumnRow)
_LIST_KEYS: Final = load_query("ask/list_keys", row=KeyRow)
_LIST_BEHIND: Final = load_query("ask/list_behind", row=_Name)
_FORMAT_LIST_VALUES: Final = load_query("ask/format_list_values", row=Statement)


class PostgresCatalog:
    """See `Catalog`."""

    def __init__(self, database: AskedDatabase) -> None:
        self._database = database

    async def read(self, schema: str) -> CatalogRows:
        """See `Catalog.read`."""
        query, within_s = _SchemaQuery(schema), _WITHIN_S
        return CatalogRows(
            await self._database.fetch_all(_LIST_TABLES, query, within_s=within_s),
            await self._database.fetch_all(_LIST_COLUMNS, query, within_s=within_s),
            await self._database.fetch_all(_LIST_KEYS, query, within_s=within_s),
        )

    async def list_behind(self, schema: str, relations: Sequence[str]) -> Sequence[str]:
        """See `Catalog.list_behind`."""
        query = _RelationsQuery(schema, list(relations))
        return [row.name for row in await self._database.fetch_all(_LIST_BEHIND, query, within_s=_WITHIN_S)]

    async def list_values(self, schema: str, relation: str, column: str) -> Sequence[str]:
        """See `Catalog.list_values`."""
        query = _ValuesQuery(schema, relation, column)
        try:
            (found,) = await self._database.fetch_assembled(
                _FORMAT_LIST_VALUES, query, _Texts, within_s=_VALUES_WITHIN_S
            )
        except StatementFailed:
            return ()
        return found.texts or ()
