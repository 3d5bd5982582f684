"""Words for dates: `issued`, `never closed`, `between application and issue`, and the periods beside them."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Final

from vmk_mcp.ask.drafting.offline.columns import (
    find_default_dates,
    is_moment,
    is_number,
    is_year,
    name_stems,
)
from vmk_mcp.ask.drafting.offline.lexicon import load_lexicon
from vmk_mcp.ask.drafting.offline.periods import Period
from vmk_mcp.ask.drafting.offline.query import Condition, Measure, Place, ambiguous
from vmk_mcp.ask.drafting.offline.reading import Reading, place_of
from vmk_mcp.ask.drafting.offline.vocabulary import Sense

_SPAN_WORDS: Final = {"span"}
_FUNCTIONS: Final = {"avg", "median", "min", "max"}


def is_event(sense: Sense) -> bool:
    """Say whether a sense is a column of days, moments or years."""
    return (
        sense.kind == "column"
        and sense.column is not None
        and (is_moment(sense.column) or is_year(sense.column))
    )


def _is_moment(sense: Sense) -> bool:
    return sense.kind == "column" and sense.column is not None and is_moment(sense.column)


def read_span(reading: Reading) -> Measure | None:
    """Read `average days between issue and final date`; None where no span of time is asked for."""
    spans = [at for at in range(len(reading.items)) if _is_span(reading, at)]
    if not spans:
        return None
    dated = [at for at in range(spans[0], len(reading.items)) if _names_moment(reading, at)]
    pair = next(
        ((one, other) for one, other in pairwise(dated) if _are_ends(reading, one, other)),
        None,
    )
    if pair is None and len(dated) == 1:
        return _read_half_span(reading, spans, dated[0])
    if pair is None:
        return None
    places = _place_ends(reading, *pair)
    functions = [
        at for at in range(len(reading.items)) if _function_at(reading, at) in _FUNCTIONS and at < pair[1] + 4
    ]
    if not functions and not reading.items[spans[0]].text.lower().startswith("how long"):
        raise ambiguous(
            "A span of time can be averaged, or its longest taken. Say which, such as the average days."
        )
    reading.use(*spans, *range(pair[0] - 1, pair[1] + 1), *functions[:1])
    _use_unit(reading, pair[1])
    return Measure(_function_at(reading, functions[0]) if functions else "avg", places[0], until=places[1])


def _read_half_span(reading: Reading, spans: Sequence[int], position: int) -> Measure | None:
    """Read `the average days to resolve a violation`: from the day that its record begins with."""
    functions = [at for at in range(len(reading.items)) if _function_at(reading, at) in _FUNCTIONS]
    sense = reading.place(position, _is_moment)
    if sense is None or not functions:
        return None
    starts = find_default_dates(reading.vocabulary.tables[sense.table])
    if len(starts) != 1 or starts[0] == sense.column:
        return None
    reading.use(*spans, position, functions[0])
    return Measure(_function_at(reading, functions[0]), Place(sense.table, starts[0]), until=place_of(sense))


def _is_span(reading: Reading, position: int) -> bool:
    return reading.kind(position) == "measure" and reading.items[position].sense in _SPAN_WORDS


def _function_at(reading: Reading, position: int) -> str:
    item = reading.items[position]
    if item.kind == "most":
        return {"desc:length": "max", "asc:length": "min"}.get(item.sense, "")
    return item.sense if item.kind == "measure" else ""


def _names_moment(reading: Reading, position: int) -> bool:
    return reading.kind(position) in {"name", "light"} and any(
        map(_is_moment, reading.items[position].senses)
    )


def _are_ends(reading: Reading, one: int, other: int) -> bool:
    return all(
        reading.kind(at) in {"join", "link", "filler", "compare", "measure"} for at in range(one + 1, other)
    )


def _place_ends(reading: Reading, one: int, other: int) -> tuple[Place, Place]:
    """Give the two columns, which lie in one table."""
    first = [sense for sense in reading.items[one].senses if _is_moment(sense)]
    second = [sense for sense in reading.items[other].senses if _is_moment(sense)]
    tables = {sense.table for sense in first} & {sense.table for sense in second}
    named = tables & set(reading.known_tables()) or tables
    if len(named) != 1:
        raise ambiguous(
            "The two ends of the span lie in several tables or none. Name the kind of record too."
        )
    table = named.pop()
    start = next(sense for sense in first if sense.table == table)
    end = next(sense for sense in second if sense.table == table)
    return place_of(start), place_of(end)


def _use_unit(reading: Reading, position: int) -> None:
    """Account for `in days` after a span."""
    for at in range(position + 1, len(reading.items)):
        if _is_span(reading, at) or (reading.kind(at) == "part" and reading.items[at].sense == "day"):
            reading.use(at)


class Events:
    """Reads periods and words for dates into conditions."""

    def __init__(self, reading: Reading, today: date, taken: Sequence[int]) -> None:
        self._reading = reading
        self._today = today
        self._taken = taken
        self.conditions: list[Condition] = []
        self.by_table: dict[str, Place] = {}

    def read(self) -> None:
        """Account for all periods, and for each word that only names a date."""
        reading = self._reading
        for position in range(len(reading.items)):
            if reading.kind(position) == "period" and position not in reading.used:
                self._read_period(position)

    def find_date(self, position: int) -> Place:
        """Give the date that `each month` is a part of: one that was said, else the usual one."""
        event = self._find_event(position)
        if event is not None:
            self._reading.use(event[0])
            return event[1]
        root = self._reading.root
        return self.by_table.get(root) or self._default_date(root)

    def _read_period(self, position: int) -> None:
        reading = self._reading
        period = reading.items[position].period
        reading.use(position)
        if period is None:
            return
        self._forbid_future(position, period)
        if self._read_numbers(position, period):
            return
        event = self._find_event(position)
        if event is None:
            place = self._default_date(self._dated_table(position))
        else:
            reading.use(event[0])
            place = event[1]
        self.by_table[place.table] = place
        self._bound(place, period, position)

    def _dated_table(self, position: int) -> str:
        """Give the table whose usual date is meant: the noun before, unless that only goes with the root."""
        reading = self._reading
        table = next(
            (table for at, table in reversed(list(reading.mentions())) if at < position), reading.root
        )
        goes_with_root = reading.graph.measure_up(reading.root, table) is not None
        has_dates = bool(find_default_dates(reading.vocabulary.tables[table]))
        return reading.root if goes_with_root or not has_dates else table

    def _forbid_future(self, position: int, period: Period) -> None:
        reading = self._reading
        starts_ahead = period.first is not None and period.first > self._today
        if not (starts_ahead or period.is_future):
            return
        event = self._find_event(position)
        planned = load_lexicon().names.plans
        if event is None or planned.isdisjoint(name_stems(event[1].column.name)):
            raise ambiguous(
                f"“{reading.items[position].text}” has not come yet, and what will happen is not on record. "
                "Ask about the past, or about dates that are planned, such as when something expires."
            )

    def _read_numbers(self, position: int, period: Period) -> bool:
        """Take `between 2000 and 3000` after a plain number's column for what it says."""
        reading = self._reading
        before = reading.before(position, over={"be", "filler", "link"})
        if len(period.numbers) != 2 or reading.kind(before) != "name":  # noqa: PLR2004 - both ends
            return False
        sense = reading.place(
            before,
            lambda one: (
                one.kind == "column"
                and one.column is not None
                and is_number(one.column)
                and not is_event(one)
            ),
        )
        if sense is None:
            return False
        reading.use(before)
        place = place_of(sense)
        for operator, number in ((">=", min(period.numbers)), ("<=", max(period.numbers))):
            self.conditions.append(Condition(place, operator, number, position))
        return True

    def _find_event(self, position: int) -> tuple[int, Place] | None:
        """Find the nearest word for a date before a position, else right after it."""
        reading = self._reading
        before = range(position - 1, -1, -1)
        following = reading.after(position)
        for at in [*before, following]:
            if reading.kind(at) == "period" or (at in self._taken and at != following):
                if reading.kind(at) == "period":
                    break
                continue
            if at < len(reading.items) and reading.kind(at) in {"name", "light"}:
                sense = reading.place(at, is_event) if reading.items[at].senses else None
                if sense is not None and (
                    reading.kind(at) == "name" or sense.table in reading.known_tables()
                ):
                    return at, place_of(sense)
        return None

    def _default_date(self, table: str) -> Place:
        found = find_default_dates(self._reading.vocabulary.tables[table])
        if not found:
            found = [one for one in self._reading.vocabulary.tables[table].columns if is_year(one)]
        if len(found) == 1:
            return Place(table, found[0])
        if not found:
            raise ambiguous(f"“{table}” has no dates to go by. Ask about records that have one.")
        names = ", ".join(column.name for column in found)
        raise ambiguous(f"“{table}” has several dates: {names}. Say which is meant.")

    def _bound(self, place: Place, period: Period, position: int) -> None:
        for operator, bound in ((">=", period.first), ("<", period.end)):
            if bound is not None:
                value = self._year_of(bound) if is_year(place.column) else bound
                self.conditions.append(Condition(place, operator, value, position))

    def _year_of(self, bound: date) -> Decimal:
        if (bound.month, bound.day) != (1, 1):
            raise ambiguous("Only whole years are on record there. Ask by year.")
        return Decimal(bound.year)
