"""Superlatives: `the most`, `highest`, `top 5`, `oldest`, and the order of an answer."""

from vmk_mcp.ask.drafting.offline.columns import is_moment
from vmk_mcp.ask.drafting.offline.findings import Findings
from vmk_mcp.ask.drafting.offline.measuring import Measuring
from vmk_mcp.ask.drafting.offline.nouns import Noun, find_noun, is_measurable
from vmk_mcp.ask.drafting.offline.query import Measure, Order, Place, ambiguous
from vmk_mcp.ask.drafting.offline.ranking import find_dimension
from vmk_mcp.ask.drafting.offline.reading import Reading, place_of


class Superlatives:
    """Reads superlatives into an order, a limit, and what they are about."""

    def __init__(self, reading: Reading, findings: Findings, measuring: Measuring) -> None:
        self._reading = reading
        self._findings = findings
        self._measuring = measuring

    def read(self, position: int) -> None:
        """Account for the superlative at a position; raises `Unclear`."""
        reading = self._reading
        direction, _, hint = reading.items[position].sense.partition(":")
        is_descending = direction == "desc"
        following = reading.after(position)
        if reading.kind(following) == "number":
            self._findings.take_limit(reading.items[following].number)
            reading.use(following)
            following = reading.after(following)
        elif (
            reading.kind(before := reading.before(position, over={"filler"})) == "number"
            and before not in reading.used
        ):
            self._findings.take_limit(reading.items[before].number)
            reading.use(before)
        if (
            reading.kind(following) == "measure"
            and self._measuring.function_at(following)
            and not self._is_joined(position, following)
        ):
            self._rank(position, is_descending)
        elif self._measuring.chain(position)[1] != position:
            self._measuring.read_aggregate(position)
        else:
            self._read_ranked(position, following, is_descending=is_descending, hint=hint)

    def _is_joined(self, position: int, following: int) -> bool:
        return any(self._reading.kind(at) in {"join", "comma"} for at in range(position, following))

    def _rank(self, position: int, is_descending: bool, place: Place | None = None) -> None:
        self._reading.use(position)
        self._findings.rank(is_descending=is_descending, place=place)

    def _read_ranked(self, position: int, following: int, *, is_descending: bool, hint: str) -> None:
        """Read what stands after a superlative: a column, rows, or nothing."""
        reading = self._reading
        noun = (
            find_noun(reading, following) if reading.kind(following) in {"name", "light", "negate"} else None
        )
        if noun is not None and noun.position in reading.used:
            noun = None
        if noun is None or hint == "count":
            self._rank_counted(position, noun, is_descending=is_descending, hint=hint)
        elif noun.place is not None:
            self._rank_column(position, noun, noun.place, is_descending=is_descending)
        elif hint or (self._findings.subject is None and not self._findings.asks_part):
            self._rank_rows(position, noun, is_descending=is_descending, hint=hint)
        else:
            reading.use(noun.position)
            self._findings.measure(noun.table, Measure("count"))
            self._rank(position, is_descending)

    def _rank_counted(self, position: int, noun: Noun | None, *, is_descending: bool, hint: str) -> None:
        """Read `the most common category`, or a superlative that only orders what is measured."""
        reading = self._reading
        if hint == "count":
            self._findings.subject = noun or self._findings.subject
            if self._findings.subject is None:
                raise ambiguous("It is not said what should be most common. Name a column.")
            reading.use(self._findings.subject.position)
            if not self._findings.base:
                self._findings.measure(self._findings.subject.table, Measure("count"))
        self._rank(position, is_descending)

    def _rank_column(self, position: int, noun: Noun, place: Place, *, is_descending: bool) -> None:
        """Read `the highest valuation`: the value itself, or the rows that have it."""
        reading = self._reading
        reading.use(noun.position)
        if (table := reading.table_at(noun.position + 1)) and self._findings.subject is None:
            if table != place.table:
                raise ambiguous(
                    f"“{place.column.name}” is of {place.table}, not of {table}. Say how the two go together."
                )
            reading.use(noun.position + 1)
            self._findings.subject = Noun(noun.position + 1, table)
        if not is_measurable(reading, place) and not is_moment(place.column):
            self._findings.subject = noun
            self._rank(position, is_descending)
            return
        if self._findings.subject is None and self._findings.limit is not None:
            self._findings.subject = Noun(noun.position, place.table)
        if self._findings.subject is None:
            reading.use(position)
            self._findings.measure(place.table, Measure("max" if is_descending else "min", place))
        elif self._findings.subject.table == place.table and self._findings.subject.place is None:
            self._rank(position, is_descending, place)
        else:
            self._findings.measure(place.table, Measure("max" if is_descending else "min", place))
            self._rank(position, is_descending)

    def _rank_rows(self, position: int, noun: Noun, *, is_descending: bool, hint: str) -> None:
        """Read `the oldest properties` and `top 5 permits by ...`."""
        reading = self._reading
        reading.use(noun.position)
        self._findings.subject = noun
        self._findings.take_limit(noun.number if self._findings.limit is None else None)
        place = self._find_event(noun) if hint in {"time", "event"} else None
        if place is None:
            place = find_dimension(reading, noun, hint) if hint else self._find_sorting(noun)
        if not hint and place is None and not self._has_measure_after(noun.position):
            place = self._measuring.find_amount(noun.table)
            if place is None:
                raise ambiguous(
                    f"It is not said by what “{reading.items[position].text}” is meant. Name the column."
                )
        self._rank(position, is_descending, place)

    def _find_event(self, noun: Noun) -> Place | None:
        """Give the date that is said after `the last permit`: `issued`."""
        for position in range(noun.position + 1, len(self._reading.items)):
            for sense in self._reading.items[position].of("column"):
                if sense.table == noun.table and sense.column is not None and is_moment(sense.column):
                    return place_of(sense)
        return None

    def _has_measure_after(self, position: int) -> bool:
        return any(self._reading.kind(at) == "measure" for at in range(position, len(self._reading.items)))

    def _find_sorting(self, noun: Noun) -> Place | None:
        """Read `by valuation` after `the top 5 permits`."""
        reading = self._reading
        for at in range(noun.position + 1, len(reading.items) - 1):
            if reading.kind(at) == "group" and reading.kind(at + 1) == "name" and at not in reading.used:
                found = find_noun(reading, at + 1, narrowing=False)
                if found is not None and found.place is not None:
                    reading.use(at, found.position)
                    return found.place
        return None

    def read_sort(self, position: int) -> None:
        """Account for `highest first` and `sorted by ...`."""
        reading = self._reading
        reading.use(position)
        sense = reading.items[position].sense
        if sense != "by":
            self._findings.order = Order(
                sense == "desc", self._findings.order.place if self._findings.order else None
            )
            return
        noun = find_noun(reading, position + 1, narrowing=False)
        if noun is not None and noun.place is not None:
            reading.use(noun.position)
            self._findings.order = Order(is_descending=False, place=noun.place)
