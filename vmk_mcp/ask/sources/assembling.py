"""From the catalog's rows and a source's file to what is open to asking; pure."""

from collections.abc import Mapping, Sequence

from vmk_mcp.ask.model import ForeignKey, OpenColumn, OpenSchema, OpenTable
from vmk_mcp.ask.sources.catalog import CatalogRows, ColumnRow, KeyRow
from vmk_mcp.ask.sources.files import SourceFile


def open_columns(rows: CatalogRows, file: SourceFile) -> Sequence[ColumnRow]:
    """Give the columns that both the database and the file open."""
    return [column for column in rows.columns if file.opens(column.relation, column.name)]


def assemble_schema(rows: CatalogRows, file: SourceFile) -> OpenSchema:
    """Give what is open; a key is there where all of its columns are, on both sides."""
    columns: dict[str, list[OpenColumn]] = {}
    for column in open_columns(rows, file):
        described = OpenColumn(column.name, column.type, column.description or "")
        columns.setdefault(column.relation, []).append(described)
    names = {relation: {column.name for column in found} for relation, found in columns.items()}
    return OpenSchema(
        file.schema,
        tuple(
            OpenTable(
                name=relation.name,
                columns=tuple(columns[relation.name]),
                primary_key=_primary_key(relation.name, rows.keys, names),
                foreign_keys=_foreign_keys(relation.name, rows.keys, names),
                row_estimate=relation.row_estimate,
                description=relation.description or "",
            )
            for relation in rows.relations
            if relation.name in columns
        ),
    )


def _primary_key(relation: str, keys: Sequence[KeyRow], names: Mapping[str, set[str]]) -> tuple[str, ...]:
    for key in keys:
        if key.is_primary and key.relation == relation and names[relation].issuperset(key.columns):
            return tuple(key.columns)
    return ()


def _foreign_keys(
    relation: str, keys: Sequence[KeyRow], names: Mapping[str, set[str]]
) -> tuple[ForeignKey, ...]:
    return tuple(
        ForeignKey(tuple(key.columns), key.referred, tuple(key.referred_columns))
        for key in keys
        if key.relation == relation and key.referred is not None and key.referred_columns is not None
        if names[relation].issuperset(key.columns)
        if names.get(key.referred, set()).issuperset(key.referred_columns)
    )
