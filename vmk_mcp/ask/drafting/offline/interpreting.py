"""From a question to a query: the steps of the grammar in their order, and what they leave over."""

from collections.abc import Sequence
from datetime import date
from typing import Final

from msgspec import structs

from vmk_mcp.ask.drafting.offline.alternatives import join_values
from vmk_mcp.ask.drafting.offline.columns import find_labels, is_number, is_text, name_stems
from vmk_mcp.ask.drafting.offline.comparisons import Comparisons
from vmk_mcp.ask.drafting.offline.currencies import read_currencies, require_currency
from vmk_mcp.ask.drafting.offline.events import Events, read_span
from vmk_mcp.ask.drafting.offline.filtering import Filtering
from vmk_mcp.ask.drafting.offline.findings import Findings
from vmk_mcp.ask.drafting.offline.grouping import Grouping
from vmk_mcp.ask.drafting.offline.heading import read_head
from vmk_mcp.ask.drafting.offline.items import Item
from vmk_mcp.ask.drafting.offline.paths import KeyGraph
from vmk_mcp.ask.drafting.offline.query import (
    Condition,
    Group,
    Measure,
    Place,
    Query,
    Scope,
    ambiguous,
    unanswerable,
)
from vmk_mcp.ask.drafting.offline.reading import SOFT, Reading
from vmk_mcp.ask.drafting.offline.scanning import scan_question
from vmk_mcp.ask.drafting.offline.vocabulary import Vocabulary

_MOST_NAMED: Final = 8
_REASONS: Final = {
    "write": ("unanswerable", "Records are only read here, never changed. Ask what they say instead."),
    "why": ("unanswerable", "Records say what happened, not why. Ask for figures that may show it."),
    "guess": ("unanswerable", "What is to come, or ought to be, is not on record. Ask about what happened."),
}
_YES_OR_NO: Final = {"do", "does", "did", "has", "have", "had"}
_MANY: Final = {"які", "яких"}
_OPEN_KINDS: Final = SOFT | {"negate", "distinct"}


def interpret(question: str, vocabulary: Vocabulary, graph: KeyGraph, today: date) -> Query:
    """Turn a question into a query.

    Raises:
        Unclear: a word has no place in it, or several readings are left.
    """
    items = scan_question(question, vocabulary, today)
    _refuse_words(items, vocabulary)
    reading = Reading(items, vocabulary, graph)
    _refuse_forms(items)
    return Interpretation(reading, today).read()


def _refuse_words(items: Sequence[Item], vocabulary: Vocabulary) -> None:
    for item in items:
        if item.kind == "refuse" and item.sense in _REASONS:
            raise unanswerable(_REASONS[item.sense][1])
    unknown = [item.text for item in items if item.kind == "unknown"]
    if unknown:
        words = ", ".join(f"“{word}”" for word in dict.fromkeys(unknown))
        raise unanswerable(
            f"Nothing here is known by the name {words}. The records are: {_list_tables(vocabulary)}. "
            "Ask with names of these, or of their columns and values."
        )
    for item in items:
        if item.kind == "refuse":
            raise ambiguous(
                f"“{item.text}” can mean many things. Say which records ({_list_tables(vocabulary)}), "
                "and by what column, number or dates."
            )


def _refuse_forms(items: Sequence[Item]) -> None:
    """Refuse what asks for yes or no, and who did something: rows are no answer to it."""
    if items and (items[0].kind == "be" or items[0].text.lower() in _YES_OR_NO):
        raise ambiguous("A question for yes or no is not read. Ask which records there are, or how many.")
    if items and items[0].text.lower() == "who" and len(items) > 1 and items[1].kind in {"name", "light"}:
        raise ambiguous("It is not on record who did that. Ask which records there are, or how many.")


def _list_tables(vocabulary: Vocabulary) -> str:
    names = [name.replace("_", " ") for name in sorted(vocabulary.tables)]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED + 4 else ""
    return ", ".join(names[:_MOST_NAMED] if more else names) + more


class Interpretation:
    """The steps of one question; `read` gives the query."""

    def __init__(self, reading: Reading, today: date) -> None:
        self._reading = reading
        self._today = today
        self._comparisons = Comparisons(reading)
        self._grouping = Grouping(reading)
        self._findings = Findings()
        self._span: Measure | None = None

    def read(self) -> Query:
        """Account for every word; raises `Unclear`."""
        reading = self._reading
        self._span = read_span(reading)
        self._comparisons.read()
        self._grouping.read()
        self._findings = read_head(reading)
        reading.root = self._find_root()
        events = Events(reading, self._today, sorted(reading.used))
        events.read()
        groups = self._date_groups(events)
        measured = [one.place for one in self._findings.measures if one.place is not None]
        filtering = Filtering(reading, self._today, measured)
        filtering.read()
        self._refuse_rest()
        conditions = [*self._comparisons.conditions, *events.conditions, *filtering.conditions]
        conditions = join_values(reading, [*conditions, *read_currencies(reading)])
        scopes = [*self._comparisons.scopes, *filtering.scopes]
        query = self._shape(groups, filtering.columns, conditions, scopes)
        require_currency(reading, query)
        return self._split_share(query) if self._findings.share_position >= 0 else query

    def _find_root(self) -> str:
        findings = self._findings
        if findings.base:
            return findings.base
        if self._span is not None and self._span.place is not None:
            return self._span.place.table
        if findings.subject is not None:
            return findings.subject.table
        mentioned = [table for _, table in self._reading.mentions()]
        if mentioned:
            return mentioned[0]
        raise ambiguous(
            f"It is not said which records are meant. Name one of: {_list_tables(self._reading.vocabulary)}."
        )

    def _date_groups(self, events: Events) -> list[Group]:
        positions = iter(self._grouping.part_positions)
        groups = []
        for group in self._grouping.groups:
            place = events.find_date(next(positions)) if group.part else None
            groups.append(structs.replace(group, place=place) if place else group)
        return groups

    def _refuse_rest(self) -> None:
        reading = self._reading
        rest = [
            item.text
            for position, item in enumerate(reading.items)
            if position not in reading.used and item.kind not in _OPEN_KINDS and item.kind != "ask"
        ]
        if rest:
            words = ", ".join(f"“{word}”" for word in dict.fromkeys(rest))
            raise ambiguous(f"It is not clear what {words} belongs to. Put the question in a plainer order.")

    def _shape(
        self, groups: list[Group], columns: list[Place], conditions: list[Condition], scopes: list[Scope]
    ) -> Query:
        findings, root = self._findings, self._reading.root
        measures = [self._span] if self._span is not None else findings.measures
        query = Query(
            root, tuple(measures), tuple(groups), conditions=tuple(conditions), scopes=tuple(scopes)
        )
        query = structs.replace(query, order=findings.order, limit=self._limit())
        if measures and (self._span is None or not findings.measures):
            return self._shape_measured(query, columns)
        if measures:
            raise ambiguous("The question measures several things at once. Ask for one after the other.")
        return self._shape_listed(query, columns)

    def _limit(self) -> int | None:
        findings, reading = self._findings, self._reading
        if findings.limit is not None or findings.order is None:
            return findings.limit
        if findings.subject is None:
            return 1 if findings.asks_part else None
        if any(item.kind == "sort" for item in reading.items):
            return None
        word = reading.items[findings.subject.position].text.lower()
        asks_many = any(item.kind == "ask" and item.text.lower() in _MANY for item in reading.items)
        if asks_many or (word.endswith("s") and not word.endswith(("ss", "us"))):
            raise ambiguous(
                f"It is not said how many “{word}” to list. Ask for the top 5, or for the one at the top."
            )
        return 1

    def _shape_measured(self, query: Query, columns: list[Place]) -> Query:
        """Add what is measured for each: the subject, where it is not itself what is measured."""
        subject = self._findings.subject
        groups = list(query.groups)
        if subject is not None:
            group = Group(place=subject.place) if subject.place else Group(table=subject.table)
            if group == Group(table=query.root) and not self._is_span_of(subject.table):
                raise ambiguous("It is not clear what is measured for what. Ask with “for each” or “by”.")
            if query.order is not None and any(one != group for one in groups):
                raise ambiguous("The first of each group is not read. Ask for one group, or for all rows.")
            if group not in groups and group != Group(table=query.root):
                groups.insert(0, group)
        tables = {group.table or (group.place.table if group.place else "") for group in groups}
        shown = [place for place in columns if place.table in tables and is_text(place.column)]
        groups += [Group(place=place) for place in shown]
        if columns != shown:
            raise ambiguous(
                f"It is not clear what “{columns[0].column.name}” is for. Ask “by” it, or leave it out."
            )
        if query.order is not None and not groups:
            raise ambiguous("It is not said what is ordered. Ask with “for each” or “which”.")
        return structs.replace(query, groups=tuple(groups))

    def _is_span_of(self, table: str) -> bool:
        return self._span is not None and self._span.place is not None and self._span.place.table == table

    def _shape_listed(self, query: Query, columns: list[Place]) -> Query:
        subject = self._findings.subject
        if query.order is not None and query.order.place is None and not query.groups:
            raise ambiguous(
                "It is not said what is the most or the least. Name a column, or what is counted."
            )
        asked = [subject.place] if subject is not None and subject.place is not None else []
        counted = next((scope for scope in query.scopes if scope.operator), None)
        if asked and counted is not None and counted.measure is None and counted.number is not None:
            scopes = tuple(scope for scope in query.scopes if scope is not counted)
            group = Group(place=asked[0])
            having = ((counted.operator, counted.number),)
            return structs.replace(
                query, root=counted.table, groups=(group, *query.groups), having=having, scopes=scopes
            )
        if asked and any(item.kind == "ask" and item.sense == "split" for item in self._reading.items):
            groups = (Group(place=asked[0]), *query.groups)
            return structs.replace(query, groups=groups, measures=(Measure("count"),))
        if query.groups:
            return self._shape_grouped(query, [*asked, *columns])
        listed = tuple(dict.fromkeys([*asked, *columns]))
        return structs.replace(
            query, columns=listed, is_distinct=self._is_category(listed) or self._asks_distinct(listed)
        )

    def _shape_grouped(self, query: Query, columns: list[Place]) -> Query:
        """Read `permits by status` as their number, `the income of each neighborhood` as a list."""
        if not columns:
            if self._findings.order is not None and self._findings.order.place is not None:
                raise ambiguous(
                    "It is not clear what is ordered for each. Ask for a number or a total by group."
                )
            return structs.replace(query, measures=(Measure("count"),))
        tables = {group.table for group in query.groups}
        if len(query.groups) == 1 and {place.table for place in columns} == tables:
            labels = find_labels(self._reading.vocabulary.tables[query.root])
            own = [self._own_place(label) for label in labels if query.root in tables]
            return structs.replace(query, groups=(), columns=tuple(dict.fromkeys([*own, *columns])))
        column = columns[0].column
        is_total = is_number(column) and not {"total", "amount", "sum"}.isdisjoint(name_stems(column.name))
        if len(columns) > 1 or not is_total:
            raise ambiguous(
                f"It is not said what to compute of “{column.name}”. Ask for its total, or its average."
            )
        return structs.replace(query, measures=(Measure("sum", columns[0]),))

    def _own_place(self, name: str) -> Place:
        table = self._reading.vocabulary.tables[self._reading.root]
        return Place(table.name, next(column for column in table.columns if column.name == name))

    def _asks_distinct(self, columns: Sequence[Place]) -> bool:
        subject = self._findings.subject
        return bool(columns) and subject is not None and subject.is_distinct

    def _is_category(self, columns: Sequence[Place]) -> bool:
        """Say whether a list is of the different values of one column that is no row's name."""
        if len(columns) != 1 or not is_text(columns[0].column):
            return False
        table = self._reading.vocabulary.tables[columns[0].table]
        return columns[0].column.name not in find_labels(table)

    def _split_share(self, query: Query) -> Query:
        """Part what a share counts, its one condition, from what it is a share of, which dates narrow."""
        position = self._findings.share_position
        values = [one for one in query.conditions if one.operator not in {">=", "<"} or not _is_date(one)]
        after = [one for one in values if one.position > position] or values
        if len(after) != 1 or query.scopes:
            raise ambiguous("A share needs one condition: which of the records count. Name exactly one.")
        rest = tuple(one for one in query.conditions if one is not after[0])
        return structs.replace(query, conditions=rest, numerator=(after[0],), ratio=self._findings.ratio)


def _is_date(condition: Condition) -> bool:
    return isinstance(condition.value, date)
