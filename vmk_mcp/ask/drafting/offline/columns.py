"""What a column is good for, told by its type and the words of its name."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from vmk_mcp.ask.drafting.offline.lexicon import load_lexicon
from vmk_mcp.ask.drafting.offline.stems import stem_word
from vmk_mcp.ask.drafting.offline.tokens import split_words
from vmk_mcp.ask.model import OpenColumn, OpenTable

_NUMBERS: Final = ("numeric", "int", "bigint", "smallint", "double", "real", "float", "money", "decimal")
_MOMENTS: Final = ("date", "timestamp")
_WHOLE: Final = ("int", "bigint", "smallint")
_TEXTS: Final = ("text", "char", "varchar", "citext", '"char"')


def is_number(column: OpenColumn) -> bool:
    """Say whether the column holds numbers."""
    return column.type.startswith(_NUMBERS) and not column.type.endswith("[]")


def is_whole(column: OpenColumn) -> bool:
    """Say whether the column holds whole numbers."""
    return column.type.startswith(_WHOLE) and not column.type.endswith("[]")


def is_moment(column: OpenColumn) -> bool:
    """Say whether the column holds days or moments."""
    return column.type.startswith(_MOMENTS) and not column.type.endswith("[]")


def is_text(column: OpenColumn) -> bool:
    """Say whether the column holds texts."""
    return column.type.startswith(_TEXTS) and not column.type.endswith("[]")


def is_flag(column: OpenColumn) -> bool:
    """Say whether the column holds yes or no."""
    return column.type == "boolean"


@lru_cache(maxsize=4_096)
def name_stems(name: str) -> tuple[str, ...]:
    """Give the stems of a name's words."""
    return tuple(stem_word(word) for word in split_words(name))


def is_year(column: OpenColumn) -> bool:
    """Say whether the column holds the number of a year."""
    return is_whole(column) and not load_lexicon().names.year.isdisjoint(name_stems(column.name))


def is_id(table: OpenTable, column: OpenColumn) -> bool:
    """Say whether the column only numbers rows, its own or another table's."""
    keys = {name for key in table.foreign_keys for name in key.columns} | set(table.primary_key)
    return column.name in keys and not is_text(column)


def is_money(column: OpenColumn) -> bool:
    """Say whether the column holds amounts of money, by its name."""
    listed, stems = load_lexicon().names, name_stems(column.name)
    return is_number(column) and not listed.money.isdisjoint(stems) and listed.size.isdisjoint(stems)


def is_generic_money(column: OpenColumn) -> bool:
    """Say whether the column holds the amount that its whole row is about."""
    return is_number(column) and column.name in load_lexicon().names.generic_money


def is_count(column: OpenColumn) -> bool:
    """Say whether the column holds how many there are of something, such as `rooms_count`."""
    return is_whole(column) and name_stems(column.name)[-1:] in {("count",), ("quantity",), ("number",)}


def find_measures(table: OpenTable) -> Sequence[OpenColumn]:
    """Give the columns whose values may be added up or averaged."""
    return [column for column in table.columns if is_number(column) and not is_id(table, column)]


def find_labels(table: OpenTable) -> tuple[str, ...]:
    """Give the columns that name a row to a reader; without any, the primary key; may be empty."""
    names = {column.name for column in table.columns}
    listed = load_lexicon().names
    pairs = [pair for pair in listed.label_pairs if names.issuperset(pair)]
    if pairs:
        return pairs[0]
    labels = [name for name in listed.labels if name in names]
    own = [f"{name_stems(table.name)[-1]}_{ending}" for ending in ("number", "name", "title", "code")]
    for label in [*labels[: labels.index("address") if "address" in labels else 2], *own, *labels]:
        if label in names:
            return (label,)
    return table.primary_key


def find_default_dates(table: OpenTable) -> Sequence[OpenColumn]:
    """Give the columns that may say when a row of the table happened; one where it is plain, else several."""
    listed = load_lexicon().names
    moments = [column for column in table.columns if is_moment(column)]
    known = [column for column in moments if column.name not in listed.technical] or moments
    starts = [column for column in known if listed.ends.isdisjoint(name_stems(column.name))] or known
    planned = [column for column in starts if not listed.plans.isdisjoint(name_stems(column.name))]
    done = [column for column in known if column not in starts and "complet" in name_stems(column.name)]
    return [*starts, *done] if planned and done else starts
