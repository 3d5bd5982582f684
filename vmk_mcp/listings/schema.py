"""What `describe_schema` says: the live tables, put into words for an agent."""

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from vmk_mcp.listings.filters import Filters
from vmk_mcp.listings.live import FILTER_COLUMNS, TABLES, LiveSchema
from vmk_mcp.listings.model import ENUMERATIONS
from vmk_mcp.listings.queries import LiveIndex, RowCounts
from vmk_mcp.listings.values import ValueIndex

HIDDEN: Final = frozenset({"raw_data_id", "embedding", "search_vector"})
"""Columns that no answer holds."""

_TABLE_DESCRIPTIONS: Final = {
    "property_listings": "Real-estate listings (оголошення про нерухомість)",
    "property_types": "Kinds of property; property_listings.property_type_id names one",
}

_SAMPLE_QUERIES: Final = [
    "2-кімнатна квартира в центрі з ремонтом",
    "новобудова з балконом біля метро",
    "будинок з ділянкою в передмісті",
]


class SchemaColumn(Struct, frozen=True, omit_defaults=True):
    """One column of the live table."""

    name: str
    type: str
    description: str | UnsetType = UNSET


class SchemaTable(Struct, frozen=True):
    """One live table; `missing` names declared columns that it lacks."""

    name: str
    description: str
    row_count: int
    columns: list[SchemaColumn]
    indexes: list[str]
    missing: list[str]


class AvailableFilter(Struct, frozen=True):
    """One filter: its name, the operator it means, and whether the live table can serve it."""

    name: str
    operator: str
    offered: bool


class SchemaDescription(Struct, frozen=True):
    """What is searched, as the live server has it."""

    tables: list[SchemaTable]
    enums: dict[str, list[str]]
    property_types: list[str]
    available_filters: list[AvailableFilter]
    embedding_model: str
    language: str
    sample_queries: list[str]


def describe(
    live: LiveSchema,
    indexes: Sequence[LiveIndex],
    counts: RowCounts,
    values: ValueIndex,
    *,
    model: str,
) -> SchemaDescription:
    """Describe what is searched; `model` is the name of the model that made the vectors."""
    row_counts = {
        "property_listings": counts.property_listings,
        "property_types": counts.property_types,
    }
    return SchemaDescription(
        tables=[_table(name, live, indexes, row_counts) for name in TABLES],
        enums={name: values.known(name) for name in ENUMERATIONS},
        property_types=[f"{kind.slug} ({kind.id}): {kind.name}" for kind in values.property_types],
        available_filters=[
            AvailableFilter(name, _operator(name), all(live.has(column) for column in FILTER_COLUMNS[name]))
            for name in Filters.__struct_fields__
        ],
        embedding_model=f"{model} (768d)",
        language="ukrainian",
        sample_queries=_SAMPLE_QUERIES,
    )


def _table(
    name: str, live: LiveSchema, indexes: Sequence[LiveIndex], row_counts: Mapping[str, int]
) -> SchemaTable:
    return SchemaTable(
        name=name,
        description=_TABLE_DESCRIPTIONS[name],
        row_count=row_counts[name],
        columns=[
            SchemaColumn(column.name, column.type, column.description or UNSET)
            for column in live.columns
            if column.table_name == name and column.name not in HIDDEN
        ],
        indexes=[index.definition for index in indexes if index.table_name == name and index.is_valid],
        missing=live.missing(name),
    )


def _operator(filter_name: str) -> str:
    if filter_name == "near":
        return "within radius"
    if filter_name.startswith("min_") or filter_name == "published_since":
        return ">="
    if filter_name.startswith("max_"):
        return "<="
    if filter_name in {"not_first_floor", "not_last_floor", "has_balcony"}:
        return "is"
    return "=" if filter_name == "currency" else "in"
