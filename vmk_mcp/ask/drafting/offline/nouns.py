"""What a question is about: the noun after `which`, `how many`, `average`, past the words that narrow it."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from vmk_mcp.ask.drafting.offline.columns import find_labels, is_id, is_money, is_number, name_stems
from vmk_mcp.ask.drafting.offline.lexicon import load_lexicon
from vmk_mcp.ask.drafting.offline.query import Place
from vmk_mcp.ask.drafting.offline.reading import Reading, place_of
from vmk_mcp.ask.drafting.offline.stems import is_participle
from vmk_mcp.ask.drafting.offline.vocabulary import Sense

_BEFORE_NOUN: Final = {"filler", "link", "ask", "unit"}


class Noun(Struct, frozen=True):
    """A table or a column that is asked about.

    Attributes:
        position: of its word.
        table: of the noun, or of the column.
        place: None for a table.
        number: how many of them are asked for.
        is_distinct: whether only different ones count.
    """

    position: int
    table: str
    place: Place | None = None
    number: Decimal | None = None
    is_distinct: bool = False


def find_noun(reading: Reading, start: int, *, narrowing: bool = True, measured: bool = False) -> Noun | None:
    """Find the noun that is asked about from `start` on; marks numbers and `different`, not the noun.

    Args:
        reading: the question.
        start: the first position to look at.
        narrowing: whether words that narrow it may stand before it.
        measured: whether a column of numbers is preferred to a value of the same name.
    """
    marked: list[int] = []
    for position in range(start, len(reading.items)):
        kind = reading.kind(position)
        if position in reading.used and not reading.table_at(position):
            continue
        if kind in {"number", "distinct"}:
            marked.append(position)
        elif kind == "name" or (kind == "light" and reading.items[position].senses):
            noun = _read_noun(reading, position, measured=measured)
            if noun is not None:
                return _take_noun(reading, noun, marked)
            if not narrowing:
                return None
        elif not _may_stand_before(reading, position, start):
            return None
    return None


def _may_stand_before(reading: Reading, position: int, start: int) -> bool:
    kind = reading.kind(position)
    is_prefix = reading.items[position].sense == "prefix"
    return kind in _BEFORE_NOUN or is_prefix or (kind in {"join", "comma"} and position > start)


def _take_noun(reading: Reading, noun: Noun, marked: Sequence[int]) -> Noun:
    reading.use(*marked)
    numbers = [reading.items[at].number for at in marked if reading.kind(at) == "number"]
    is_distinct = any(reading.kind(at) == "distinct" for at in marked)
    return replace(noun, number=numbers[-1] if numbers else None, is_distinct=is_distinct)


def _read_noun(reading: Reading, position: int, *, measured: bool) -> Noun | None:
    if table := reading.table_at(position):
        return Noun(position, table)
    item = reading.items[position]
    if item.kind == "light" or not item.of("column"):
        return None
    if measured and (sense := reading.place(position, _is_number)):
        return Noun(position, sense.table, place_of(sense))
    if item.senses[0].kind in {"value", "flag"} or _narrows_event(reading, position):
        return None
    sense = reading.place(position, lambda one: one.kind == "column")
    return Noun(position, sense.table, place_of(sense)) if sense else None


def _is_number(sense: Sense) -> bool:
    return sense.kind == "column" and sense.column is not None and is_number(sense.column)


def is_amount(sense: Sense) -> bool:
    """Say whether a sense is a column of money."""
    return sense.kind == "column" and sense.column is not None and is_money(sense.column)


def _narrows_event(reading: Reading, position: int) -> bool:
    """Say whether a word such as `issued` narrows the noun after it, and is no noun itself."""
    item = reading.items[position]
    if item.sense == "participle":
        return True
    is_event = is_participle(item.text.lower()) and all(
        sense.column is None or sense.column.type.startswith(("date", "timestamp")) for sense in item.senses
    )
    return is_event and bool(reading.attributed_table(position) or reading.table_at(position + 1))


def find_kind(reading: Reading, start: int) -> str:
    """Find the table whose rows a value names: `garages`, where a column or a table of kinds holds them.

    Gives an empty string where no word from `start` on is such a value, or a table is named.
    """
    if reading.names_table():
        return ""
    for position in range(start, len(reading.items)):
        senses = reading.items[position].of("value")
        kinds = [sense for sense in senses if _tables_of_kind(reading, sense)]
        tables = {table for sense in kinds for table in _tables_of_kind(reading, sense)}
        if len(tables) == 1:
            reading.narrow({(sense.table, sense.column) for sense in kinds})
            return tables.pop()
    return ""


def _tables_of_kind(reading: Reading, sense: Sense) -> list[str]:
    table = reading.vocabulary.tables[sense.table]
    if sense.column is None:
        return []
    if not load_lexicon().names.kinds.isdisjoint(name_stems(sense.column.name)):
        return [sense.table]
    if sense.column.name not in find_labels(table) or load_lexicon().names.kinds.isdisjoint(
        name_stems(table.name)
    ):
        return []
    return [
        other.name
        for other in reading.vocabulary.tables.values()
        if any(key.table == sense.table for key in other.foreign_keys)
    ]


def is_measurable(reading: Reading, place: Place) -> bool:
    """Say whether values of a column may be added up or averaged."""
    return is_number(place.column) and not is_id(reading.vocabulary.tables[place.table], place.column)
