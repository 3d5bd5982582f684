"""A question under interpretation: its items, which are accounted for, and which table each word means."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final

from msgspec import structs

from vmk_mcp.ask.drafting.offline.columns import find_labels, name_stems
from vmk_mcp.ask.drafting.offline.items import Item
from vmk_mcp.ask.drafting.offline.lexicon import load_lexicon
from vmk_mcp.ask.drafting.offline.paths import KeyGraph
from vmk_mcp.ask.drafting.offline.query import Place, ambiguous
from vmk_mcp.ask.drafting.offline.scanning import find_synonyms
from vmk_mcp.ask.drafting.offline.stems import stem_keys
from vmk_mcp.ask.drafting.offline.tokens import split_words
from vmk_mcp.ask.drafting.offline.vocabulary import EXACT, PART, Sense, Vocabulary
from vmk_mcp.ask.model import OpenColumn

SOFT: Final = {"filler", "link", "be", "relate", "light", "end", "comma", "join", "unit", "currency"}
"""Kinds that need no place of their own in the answer."""

_MOST_CHOICES: Final = 6


class Reading:
    """Items with marks; the steps of the grammar account for them one after another."""

    def __init__(self, items: Sequence[Item], vocabulary: Vocabulary, graph: KeyGraph) -> None:
        self.items = tuple(items)
        self.vocabulary = vocabulary
        self.graph = graph
        self.used: set[int] = set()
        self.root = ""
        self._implied = self._imply_tables()
        self._widen()

    def _widen(self) -> None:
        """Add what synonyms stand for to names that mean nothing in the tables that the question names."""
        known = self.known_tables()
        self.items = tuple(
            item
            if item.kind != "name" or not known or any(sense.table in known for sense in item.senses)
            else structs.replace(item, senses=item.senses + self._find_synonyms(item, known))
            for item in self.items
        )

    def _find_synonyms(self, item: Item, known: Collection[str]) -> tuple[Sense, ...]:
        keys = [stem_keys(word) for word in split_words(item.text.lower())]
        return tuple(sense for sense in find_synonyms(keys, self.vocabulary) if sense.table in known)

    def narrow(self, columns: Collection[tuple[str, OpenColumn | None]]) -> None:
        """Take all words that may be values of some columns for these and nothing else."""
        self.items = tuple(
            structs.replace(item, senses=chosen) if (chosen := _of_columns(item, columns)) else item
            for item in self.items
        )

    def use(self, *positions: int) -> None:
        """Mark items as accounted for."""
        self.used.update(positions)

    def kind(self, position: int) -> str:
        """Give the kind of an item; empty outside the question."""
        return self.items[position].kind if 0 <= position < len(self.items) else ""

    def table_at(self, position: int) -> str:
        """Give the table that an item names; empty where it names none."""
        if self.kind(position) not in {"name", "light"}:
            return ""
        item = self.items[position]
        if not item.senses or item.kind == "light":
            return ""
        best = item.senses[0]
        if self._narrows_next(position):
            return ""
        tables = [
            sense for sense in item.of("table") if sense.weight > PART or best.kind in {"table", "verb"}
        ]
        return tables[0].table if tables else ""

    def _narrows_next(self, position: int) -> bool:
        """Say whether a word such as `building` is a value of the noun right after it, and no table."""
        following = self.items[position + 1].of("table") if position + 1 < len(self.items) else ()
        values = {sense.table for sense in self.items[position].of("value")}
        return any(sense.table in values for sense in following)

    def mentions(self) -> Iterator[tuple[int, str]]:
        """Give positions and tables of words that name a table, else of columns that only one table has."""
        yield from list(self._named()) or self._implied

    def names_table(self) -> bool:
        """Say whether any word names a table itself."""
        return any(True for _ in self._named())

    def _named(self) -> Iterator[tuple[int, str]]:
        for position in range(len(self.items)):
            if table := self._named_at(position):
                yield position, table

    def _named_at(self, position: int) -> str:
        item = self.items[position]
        if table := self.table_at(position):
            return table
        owned = [sense.table for sense in item.senses if sense.is_owned] if item.kind == "name" else []
        return owned[0] if owned else ""

    def _imply_tables(self) -> list[tuple[int, str]]:
        implied = []
        for position, item in enumerate(self.items):
            told = {sense.table for sense in item.senses if sense.kind == "column" and sense.weight == EXACT}
            tables = told or {sense.table for sense in item.senses}
            is_column = any(sense.kind == "column" and sense.weight > PART for sense in item.senses)
            if item.kind == "name" and is_column and len(tables) == 1:
                implied.append((position, tables.pop()))
        return implied

    def forbid_pair(self, position: int) -> None:
        """Raise `Unclear` where a noun is one of two: `complaints and violations`."""
        if self.kind(position + 1) in {"join", "comma"} and self.table_at(position + 2):
            raise ambiguous(
                "The question asks for two kinds of records at once. Ask for one after the other."
            )

    def forbid_status(self, position: int, table: str) -> None:
        """Raise `Unclear` where a row being there is not yet the deed: a payment may have failed."""
        names = {column.name for column in self.vocabulary.tables[table].columns}
        if not names.isdisjoint({"status", "state"}):
            word = self.items[position].text
            raise ambiguous(
                f"“{word}” may depend on the status of {table}. Say with which {table}, or without any."
            )

    def known_tables(self) -> Collection[str]:
        """Give all tables that the question names."""
        return {table for _, table in self.mentions()} | ({self.root} if self.root else set())

    def after(self, position: int, *, over: Collection[str] = SOFT) -> int:
        """Give the next position whose kind is none of `over`; len(items) where there is none."""
        position += 1
        while position < len(self.items) and (self.kind(position) in over and not self._is_meant(position)):
            position += 1
        return position

    def before(self, position: int, *, over: Collection[str] = SOFT) -> int:
        """Give the last position before, whose kind is none of `over`; -1 where there is none."""
        position -= 1
        while position >= 0 and (self.kind(position) in over and not self._is_meant(position)):
            position -= 1
        return position

    def _is_meant(self, position: int) -> bool:
        """Say whether a light word such as `carried out` stands for a column of a table that is named."""
        item = self.items[position]
        return item.kind == "light" and any(
            sense.kind == "column" and sense.table in self.known_tables() for sense in item.senses
        )

    def attributed_table(self, position: int) -> str:
        """Give the table whose noun a word stands before: `open violations`, `open critical violations`."""
        position += 1
        while self.kind(position) in {"name", "join", "comma"} or self.kind(position) == "filler":
            if table := self.table_at(position):
                return table
            if self.kind(position) == "name" and not self.items[position].of("value", "flag"):
                return ""
            position += 1
        return ""

    def place(self, position: int, fits: Callable[[Sense], bool]) -> Sense | None:
        """Give the sense of a word that the question's tables leave; None where no sense fits.

        Raises:
            Unclear: several are left.
        """
        senses: Sequence[Sense] = [
            sense for sense in self.items[position].senses if sense.column is not None and fits(sense)
        ]
        if not senses:
            return None
        owned = [sense for sense in senses if sense.is_owned]
        if owned and owned[0].weight >= max(sense.weight for sense in senses):
            senses = owned
        senses = self._prefer_told(senses)
        for table in self._nearest_tables(position):
            own = [sense for sense in senses if sense.table == table]
            if own:
                return self._only(position, own)
        return self._only(position, self._reachable(position, senses))

    def _prefer_told(self, senses: Sequence[Sense]) -> Sequence[Sense]:
        """Keep the values that a glossary tells of, where the tables named lead up to them."""
        known = self.known_tables()
        told = [sense for sense in senses if sense.kind == "value" and sense.weight == EXACT]
        near = [
            sense
            for sense in told
            if any(self.graph.measure_up(table, sense.table) is not None for table in known)
        ]
        return near or senses

    def _nearest_tables(self, position: int) -> Iterator[str]:
        """Give tables in the order in which a word at a position is likely to mean them."""
        if table := self.attributed_table(position):
            yield table
        mentions = list(self.mentions())
        yield from (table for at, table in reversed(mentions) if at <= position)
        if self.root:
            yield self.root
        yield from (table for at, table in mentions if at > position)

    def _reachable(self, position: int, senses: Sequence[Sense]) -> Sequence[Sense]:
        """Keep the senses whose tables are nearest up from what the question names."""
        known = self.known_tables()
        is_worth = load_lexicon().names.worth.issuperset(name_stems(self.items[position].text))
        if known and is_worth and senses:
            raise ambiguous(
                f"“{self.items[position].text}” is known of {senses[0].table} only. Name these, or a column."
            )
        if not known:
            is_general = load_lexicon().names.measured.issuperset(name_stems(self.items[position].text))
            if is_general and all(sense.weight <= PART for sense in senses):
                raise ambiguous(
                    f"It is not said whose “{self.items[position].text}” is meant. Name the records as well."
                )
            return [structs.replace(sense, weight=min(sense.weight, PART)) for sense in senses]
        ways = [
            (distance, sense)
            for sense in senses
            for table in known
            for distance in (
                self.graph.measure_up(table, sense.table),
                self.graph.measure_up(sense.table, table),
            )
            if distance is not None and (sense.kind != "value" or self._may_stand_alone(position, sense))
        ]
        least = min((distance for distance, _ in ways), default=0)
        return [sense for distance, sense in ways if distance == least]

    def _may_stand_alone(self, position: int, sense: Sense) -> bool:
        """Say whether a value may be of a table not named: a row's name, or a place (`from Germany`)."""
        labels = find_labels(self.vocabulary.tables[sense.table])
        is_name = sense.column is not None and sense.column.name in labels
        return is_name or self.kind(position - 1) == "link"

    def _only(self, position: int, senses: Sequence[Sense]) -> Sense | None:
        best = max((sense.weight for sense in senses), default=0)
        left = list(dict.fromkeys(sense for sense in senses if sense.weight == best))
        if len(left) > 1:
            raise ambiguous(self._ask_which(position, left))
        return left[0] if left else None

    def _ask_which(self, position: int, senses: Sequence[Sense]) -> str:
        names = [f"{sense.table}.{sense.column.name}" for sense in senses if sense.column is not None]
        listed = ", ".join(dict.fromkeys(names[:_MOST_CHOICES]))
        return f"“{self.items[position].text}” may mean several columns: {listed}. Say which is meant."


def _of_columns(item: Item, columns: Collection[tuple[str, OpenColumn | None]]) -> tuple[Sense, ...]:
    return tuple(sense for sense in item.of("value") if (sense.table, sense.column) in columns)


def place_of(sense: Sense) -> Place:
    """Give the column that a sense names."""
    if sense.column is None:
        raise TypeError("a table has no column of its own")
    return Place(sense.table, sense.column)
