"""Measures: what is counted, added up, averaged, or what share is taken."""

from collections.abc import Sequence
from typing import Final

from vmk_mcp.ask.drafting.offline.columns import find_measures, is_generic_money, is_moment, name_stems
from vmk_mcp.ask.drafting.offline.findings import Findings
from vmk_mcp.ask.drafting.offline.grouping import refuse_nested_average
from vmk_mcp.ask.drafting.offline.lexicon import load_lexicon
from vmk_mcp.ask.drafting.offline.nouns import Noun, find_kind, find_noun, is_amount, is_measurable
from vmk_mcp.ask.drafting.offline.query import Measure, Place, Unclear, ambiguous
from vmk_mcp.ask.drafting.offline.reading import Reading, place_of

_AGGREGATES: Final = {"sum", "avg", "min", "max", "median"}
_SUPERLATIVES: Final = {"desc": "max", "asc": "min", "desc:event": "max", "asc:event": "min"}


class Measuring:
    """Reads words such as `how many`, `average` and `share` into measures."""

    def __init__(self, reading: Reading, findings: Findings) -> None:
        self._reading = reading
        self._findings = findings

    def read(self, position: int) -> None:
        """Account for the measure at a position; raises `Unclear`."""
        sense = self._reading.items[position].sense
        if self._reading.kind(position - 1) == "group":
            self._reading.use(position - 1)
        if sense == "count":
            self._read_count(position)
        elif sense == "much":
            self._read_much(position)
        elif sense == "share":
            self._read_share(position)
        elif sense in _AGGREGATES:
            self.read_aggregate(position)

    def _read_count(self, position: int) -> None:
        reading = self._reading
        if reading.kind(position - 1) == "name" and not reading.table_at(position - 1):
            # `The phone number of` names a column in more words than it has.
            reading.use(position)
            return
        noun = find_noun(reading, position + 1)
        reading.use(position)
        if noun is None or noun.place is not None:
            kind = find_kind(reading, position + 1)
            if kind:
                self._findings.measure(kind, Measure("count"))
                return
        if noun is None:
            raise ambiguous("It is not said what should be counted. Name the kind of record.")
        reading.use(noun.position)
        reading.forbid_pair(noun.position)
        if noun.place is None:
            self._findings.measure(noun.table, Measure("count"))
        elif is_measurable(reading, noun.place) and not noun.is_distinct:
            name = noun.place.column.name
            raise ambiguous(
                f"“{name}” holds numbers. Ask for its total, its average, or the number of {noun.table}."
            )
        else:
            self._findings.measure(noun.table, Measure("count_distinct", noun.place))

    def _read_much(self, position: int) -> None:
        reading = self._reading
        reading.use(position)
        rest = range(position + 1, len(reading.items))
        if any(reading.kind(at) == "measure" for at in rest):
            return
        for at in rest:
            sense = reading.place(at, is_amount) if reading.kind(at) == "name" else None
            if sense is not None:
                reading.use(at)
                self._findings.measure(sense.table, Measure("sum", place_of(sense)))
                return
        for at in rest:
            item = reading.items[at]
            tables = [sense.table for sense in item.senses if sense.kind in {"table", "verb"}]
            for table in tables if item.kind in {"name", "light"} else ():
                if amount := self.find_amount(table):
                    if not reading.table_at(at) and table not in reading.known_tables():
                        reading.forbid_status(at, table)
                    reading.use(at)
                    self._findings.measure(table, Measure("sum", amount))
                    return
        raise ambiguous(
            "“How much” may mean several amounts. Name the column, such as the total of all fees."
        )

    def find_amount(self, table: str) -> Place | None:
        """Give the one column that says how much a row of a table is about."""
        columns = [
            one for one in find_measures(self._reading.vocabulary.tables[table]) if is_generic_money(one)
        ]
        return Place(table, columns[0]) if len(columns) == 1 else None

    def _read_share(self, position: int) -> None:
        reading = self._reading
        noun = find_noun(reading, position + 1)
        if noun is None or noun.place is not None:
            raise ambiguous(
                "It is not said what the share is of. Name the kind of record and what it should be."
            )
        reading.use(position, noun.position)
        is_part = any(word in reading.items[position].text.lower() for word in ("fraction", "proportion"))
        self._findings.ratio = 1 if is_part else 100
        self._findings.share_position = noun.position
        self._findings.measure(noun.table, Measure("share"))

    def read_aggregate(self, position: int) -> None:
        """Read `average`, `total`, or `lowest, highest and average`, with the column that follows."""
        reading = self._reading
        functions, last = self.chain(position)
        following = reading.after(last)
        is_counted = reading.kind(following) == "measure" and reading.items[following].sense == "count"
        noun = find_noun(reading, (following if is_counted else last) + 1, measured=True)
        if noun is None:
            if self._reading.items[position].text.lower().endswith(("average", "середньому")):
                return
            raise _ask_of_what(reading.items[position].text)
        if is_counted and (noun.place is None or not is_measurable(reading, noun.place)):
            refuse_nested_average()
        reading.use(*range(position, last + 1), noun.position, *([following] if is_counted else []))
        place = self._measured_place(noun, functions)
        if place is None:
            # The total of complaints is how many there are; a sum is of some number that is not named.
            if not reading.items[position].text.lower().startswith(("total", "in total", "загальн")):
                raise _ask_of_what(reading.items[position].text)
            self._findings.measure(noun.table, Measure("count"))
            return
        per = self._find_divisor(noun)
        self._findings.measure(place.table, *(Measure(function, place, per=per) for function in functions))

    def chain(self, position: int) -> tuple[Sequence[str], int]:
        """Give the functions of `lowest, highest and average`, and the position of the last."""
        reading = self._reading
        functions, last = [self.function_at(position)], position
        while True:
            following = reading.after(last)
            joined = any(reading.kind(at) in {"join", "comma"} for at in range(last + 1, following))
            if (
                not joined
                or reading.kind(following) not in {"measure", "most"}
                or not self.function_at(following)
            ):
                return functions, last
            functions.append(self.function_at(following))
            last = following

    def function_at(self, position: int) -> str:
        """Give the function that a word at a position stands for; empty for none."""
        item = self._reading.items[position]
        if item.kind == "most":
            return _SUPERLATIVES.get(item.sense, "")
        return item.sense if item.sense in _AGGREGATES else ""

    def _measured_place(self, noun: Noun, functions: Sequence[str]) -> Place | None:
        """Give the column to measure; None where `total permits` asks for their number."""
        place = noun.place or self.find_amount(noun.table)
        if place is None:
            if list(functions) == ["sum"]:
                return None
            raise ambiguous(f"“{noun.table}” has several numbers or none. Name the column that is meant.")
        is_ordered = is_moment(place.column) and not {"sum", "avg", "median"} & set(functions)
        if not is_measurable(self._reading, place) and not is_ordered:
            raise ambiguous(f"“{place.column.name}” of {place.table} holds no numbers. Name another column.")
        return place

    def _find_divisor(self, noun: Noun) -> Place | None:
        """Read `per square metre` after a column."""
        reading = self._reading
        if reading.kind(noun.position + 1) != "group" or reading.kind(noun.position + 2) != "unit":
            return None
        sizes = [
            column
            for column in find_measures(reading.vocabulary.tables[noun.table])
            if not load_lexicon().names.size.isdisjoint(name_stems(column.name))
        ]
        whole = [column for column in sizes if "total" in name_stems(column.name)] or sizes
        if len(whole) != 1:
            raise ambiguous(f"“{noun.table}” has no single column of sizes to divide by. Name the column.")
        reading.use(noun.position + 1, noun.position + 2)
        return Place(noun.table, whole[0])


def _ask_of_what(word: str) -> Unclear:
    return ambiguous(f"It is not said of what “{word}” is asked. Name the column.")
