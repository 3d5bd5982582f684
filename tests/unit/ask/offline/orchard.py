"""A made-up source that unit tests of the offline drafter ask: an orchard's trees, harvests and sales."""

from datetime import date
from typing import Final

from vmk_mcp.ask.model import AskedSource, ForeignKey, Glossary, OpenColumn, OpenSchema, OpenTable


def _table(name: str, columns: str, key: str, *foreign: tuple[str, str]) -> OpenTable:
    """Make a table of `name type` pairs; `foreign` pairs a column with the table whose key it holds."""
    return OpenTable(
        name,
        tuple(OpenColumn(*column.split(maxsplit=1)) for column in columns.split(", ")),
        (key,),
        tuple(ForeignKey((column,), table, (column,)) for column, table in foreign),
        1_000,
    )


SCHEMA: Final = OpenSchema(
    "public",
    (
        _table(
            "growers",
            "grower_id integer, name text, village text, joined_on date, is_certified boolean",
            "grower_id",
        ),
        _table(
            "trees",
            "tree_id integer, grower_id integer, variety text, status text, planted_year integer, "
            "height_cm numeric",
            "tree_id",
            ("grower_id", "growers"),
        ),
        _table(
            "harvests",
            "harvest_id integer, tree_id integer, picked_on date, weighed_on date, weight_kg numeric, "
            "status text",
            "harvest_id",
            ("tree_id", "trees"),
        ),
        _table(
            "sales",
            "sale_id integer, harvest_id integer, sold_at timestamp with time zone, amount numeric, "
            "currency text",
            "sale_id",
            ("harvest_id", "harvests"),
        ),
    ),
)
SOURCE: Final = AskedSource(
    name="orchard",
    schema=SCHEMA,
    values={
        "growers.name": ("Ada", "Bo Holm"),
        "growers.village": ("Eastby", "Westby"),
        "trees.variety": ("russet", "golden"),
        "trees.status": ("healthy", "sick"),
        "harvests.status": ("open", "sorted"),
        "sales.currency": ("EUR", "USD"),
    },
    glossary=Glossary({"farmer": "growers", "frail": "trees.status=sick", "worth": "sales.amount"}),
    today=date(2026, 3, 10),
)
