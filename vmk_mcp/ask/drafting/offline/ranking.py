"""Which column an adjective such as `oldest` or `cheapest` speaks of."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from vmk_mcp.ask.drafting.offline.columns import (
    find_default_dates,
    find_measures,
    is_moment,
    is_money,
    is_year,
    name_stems,
)
from vmk_mcp.ask.drafting.offline.lexicon import load_lexicon
from vmk_mcp.ask.drafting.offline.nouns import Noun
from vmk_mcp.ask.drafting.offline.query import Place, ambiguous
from vmk_mcp.ask.drafting.offline.reading import Reading
from vmk_mcp.ask.model import OpenColumn, OpenTable


def find_dimension(reading: Reading, noun: Noun, hint: str) -> Place:
    """Give the one column of the noun's table that a hint of the lexicon (`money`, `time`, ...) speaks of.

    Raises:
        Unclear: there is none, or there are several.
    """
    table = reading.vocabulary.tables[noun.table]
    columns = _DIMENSIONS[hint](table)
    if len(columns) == 1:
        return Place(noun.table, columns[0])
    if not columns:
        raise ambiguous(f"“{noun.table}” has no column that this order could go by. Name a column.")
    names = ", ".join(column.name for column in columns)
    raise ambiguous(f"“{noun.table}” can be ordered by several columns: {names}. Say which is meant.")


def _times(table: OpenTable) -> Sequence[OpenColumn]:
    births = _births(table)
    years = [column for column in table.columns if is_year(column)]
    return births or [*years, *find_default_dates(table)]


def _births(table: OpenTable) -> Sequence[OpenColumn]:
    listed = load_lexicon().names
    return [
        column
        for column in table.columns
        if (is_moment(column) or is_year(column)) and not listed.birth.isdisjoint(name_stems(column.name))
    ]


def _amounts(table: OpenTable) -> Sequence[OpenColumn]:
    return [column for column in find_measures(table) if is_money(column)]


def _lengths(table: OpenTable) -> Sequence[OpenColumn]:
    listed = load_lexicon().names
    return [
        column for column in find_measures(table) if not listed.length.isdisjoint(name_stems(column.name))
    ]


_DIMENSIONS: Final[Mapping[str, Callable[[OpenTable], Sequence[OpenColumn]]]] = {
    "time": _times,
    "event": find_default_dates,
    "birth": _births,
    "money": _amounts,
    "length": _lengths,
}
