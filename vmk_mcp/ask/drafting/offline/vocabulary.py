"""The words of a source: names of tables and columns, known values, its glossary, and what each may mean."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct

from vmk_mcp.ask.drafting.offline.columns import (
    is_flag,
    is_id,
    is_moment,
    is_number,
    is_text,
    is_year,
    name_stems,
)
from vmk_mcp.ask.drafting.offline.lexicon import load_lexicon, phrase_keys
from vmk_mcp.ask.drafting.offline.stems import stem_keys, stem_word
from vmk_mcp.ask.drafting.offline.tokens import split_words
from vmk_mcp.ask.model import AskedSource, OpenColumn, OpenTable

EXACT: Final = 4
WHOLE: Final = 3
PART: Final = 2
DERIVED: Final = 1
"""How sure a phrase stands for something: letter by letter, by all of its words, by some, by its root."""

_MOST_VALUE_WORDS: Final = 5
_VERB_ENDINGS: Final = ("ation", "ition", "ment", "ion", "al")
_SHORTEST_ROOT: Final = 3
_FLAG_VERBS: Final = {"is", "ha", "has", "was", "can"}


class Sense(Struct, frozen=True):
    """One thing that a phrase may stand for.

    Attributes:
        kind: `table`, `column`, `value`, `flag` (a boolean column that is true) or `verb` (a table's doing).
        column: None for a table and its verb.
        value: the text as stored.
        weight: EXACT, WHOLE, PART or DERIVED.
        is_owned: whether the phrase names the table too, such as `permit type`.
    """

    kind: str
    table: str
    column: OpenColumn | None = None
    value: str = ""
    weight: int = WHOLE
    is_owned: bool = False


class Vocabulary(Struct, frozen=True):
    """All phrases of a source by their keys, and the tables by their names."""

    tables: Mapping[str, OpenTable]
    phrases: Mapping[tuple[str, ...], tuple[Sense, ...]]
    longest: int

    def find_senses(self, keys: Sequence[Sequence[str]]) -> tuple[Sense, ...]:
        """Give what words, each by its keys, may stand for."""
        found: dict[tuple[str, str, str | None, str], Sense] = {}
        for phrase in phrase_keys(keys):
            for sense in self.phrases.get(phrase, ()):
                name = (sense.kind, sense.table, sense.column.name if sense.column else None, sense.value)
                if name not in found or found[name].weight < sense.weight:
                    found[name] = sense
        return tuple(found.values())


def build_vocabulary(source: AskedSource) -> Vocabulary:
    """Index a source."""
    phrases: defaultdict[tuple[str, ...], list[Sense]] = defaultdict(list)
    tables = {table.name: table for table in source.schema.tables}
    for keys, sense in _name_all(source, tables):
        if keys:
            phrases[keys].append(sense)
    return Vocabulary(
        tables=tables,
        phrases={keys: tuple(dict.fromkeys(senses)) for keys, senses in phrases.items()},
        longest=max(map(len, phrases), default=1),
    )


def _name_all(
    source: AskedSource, tables: Mapping[str, OpenTable]
) -> Iterator[tuple[tuple[str, ...], Sense]]:
    for table in tables.values():
        yield from _name_table(table, tables)
        for column in table.columns:
            yield from _name_column(table, column)
    for place, values in source.values.items():
        yield from _name_values(tables, place, values)
    for phrase, target in source.glossary.synonyms.items():
        sense = _read_target(tables, target)
        if sense is not None:
            for keys in phrase_keys([stem_keys(word) for word in split_words(phrase.lower())]):
                yield keys, sense


def _name_table(table: OpenTable, tables: Mapping[str, OpenTable]) -> Iterator[tuple[tuple[str, ...], Sense]]:
    stems = name_stems(table.name)
    yield stems, Sense("table", table.name)
    heads = [name_stems(other)[-1] for other in tables]
    if len(stems) > 1 and heads.count(stems[-1]) == 1:
        yield stems[-1:], Sense("table", table.name, weight=PART)
    root = _find_root(stems[-1])
    if root:
        yield (*stems[:-1], root), Sense("verb", table.name, weight=DERIVED)


def _find_root(stem: str) -> str:
    """Give the verb inside a noun such as `inspection`; empty where there is none."""
    for ending in _VERB_ENDINGS:
        if stem.endswith(ending) and len(stem) - len(ending) >= _SHORTEST_ROOT:
            return stem_word(stem.removesuffix(ending))
    return ""


def _name_column(table: OpenTable, column: OpenColumn) -> Iterator[tuple[tuple[str, ...], Sense]]:
    kind = "flag" if is_flag(column) else "column"
    owner = name_stems(table.name)[-1]
    for words, weight in _column_phrases(table, column):
        yield words, Sense(kind, table.name, column, weight=weight)
        is_event = is_moment(column) and len(words) < len(name_stems(column.name))
        if kind == "column" and words[0] != owner and not is_event:
            yield (owner, *words), Sense(kind, table.name, column, weight=weight, is_owned=True)
        elif kind == "column" and words[1:]:
            yield words, Sense(kind, table.name, column, weight=EXACT, is_owned=True)


def _column_phrases(table: OpenTable, column: OpenColumn) -> Iterator[tuple[tuple[str, ...], int]]:
    stems = name_stems(column.name)
    if is_flag(column):
        yield stems, WHOLE
        yield (stems[1:] if stems[0] in _FLAG_VERBS and stems[1:] else stems), WHOLE
        return
    yield stems, EXACT if len(stems) > 1 else WHOLE
    if is_id(table, column) or len(stems) == 1:
        return
    if stems[0] == name_stems(table.name)[-1]:
        yield stems[1:], WHOLE
    yield from _short_phrases(column, stems)


def _short_phrases(column: OpenColumn, stems: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], int]]:
    """Give the parts of a name of several words that may stand for all of it."""
    listed = load_lexicon().names
    is_measured = stems[-1] in listed.measured
    if is_moment(column) and stems[-1] in listed.dated:
        yield stems[:-1], WHOLE
    elif is_measured and (is_number(column) or is_text(column)):
        yield stems[:-1], PART
        yield stems[-1:], PART
    elif is_text(column) and stems[-1] == stem_word("name"):
        yield stems[:-1], PART
    elif is_number(column) and stems[-1] in listed.money:
        yield stems[-1:], PART
    if is_year(column):
        yield stems[1:] if stems[0] in listed.year else stems[:-1], PART


def _name_values(
    tables: Mapping[str, OpenTable], place: str, values: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], Sense]]:
    found = find_column(tables, place)
    if found is None:
        return
    table, column = found
    for value in values:
        words = split_words(value.lower())
        if not 0 < len(words) <= _MOST_VALUE_WORDS:
            continue
        for keys in phrase_keys([stem_keys(word) for word in words]):
            yield keys, Sense("value", table.name, column, value)


def find_column(tables: Mapping[str, OpenTable], place: str) -> tuple[OpenTable, OpenColumn] | None:
    """Find `table.column`; None where it is not open."""
    table_name, _, column_name = place.rpartition(".")
    table = tables.get(table_name.rpartition(".")[2] if table_name not in tables else table_name)
    if table is None:
        return None
    return next(((table, column) for column in table.columns if column.name == column_name), None)


def _read_target(tables: Mapping[str, OpenTable], target: str) -> Sense | None:
    place, equals, value = target.partition("=")
    if place in tables:
        return Sense("table", place, weight=EXACT)
    found = find_column(tables, place)
    if found is None:
        return None
    table, column = found
    if equals and is_flag(column):
        return Sense("flag", table.name, column, value, weight=EXACT)
    if equals:
        return Sense("value", table.name, column, value, weight=EXACT)
    return Sense("flag" if is_flag(column) else "column", table.name, column, weight=EXACT)
