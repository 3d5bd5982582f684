"""Comparisons of a column, of how many rows there are, or of a measure, with a number or an average."""

from decimal import Decimal
from typing import Final

from vmk_mcp.ask.drafting.offline.columns import (
    find_measures,
    is_count,
    is_generic_money,
    is_id,
    is_number,
)
from vmk_mcp.ask.drafting.offline.query import Condition, Measure, Place, Scope, ambiguous
from vmk_mcp.ask.drafting.offline.reading import SOFT, Reading, place_of
from vmk_mcp.ask.drafting.offline.vocabulary import Sense

_PERCENT: Final = {"%", "percent"}
_TRAILING: Final = {"or more": ">=", "or higher": ">=", "or less": "<=", "or fewer": "<="}


class Comparisons:
    """Reads all comparisons of a question into conditions and counted scopes."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self.conditions: list[Condition] = []
        self.scopes: list[Scope] = []

    def read(self) -> None:
        """Account for the comparisons; raises `Unclear` where it is not said what is compared."""
        reading = self._reading
        for position in range(len(reading.items)):
            if position in reading.used or reading.kind(position) != "compare":
                continue
            self._read_at(position)
        for position in range(len(reading.items)):
            if position not in reading.used:
                self._read_equality(position)

    def _read_at(self, position: int) -> None:
        reading = self._reading
        operator = reading.items[position].sense
        following = reading.after(position)
        if reading.kind(following + 1) == "unit" and reading.items[following + 1].text in _PERCENT:
            raise ambiguous("A comparison with a percentage is not read. Compare with a number.")
        if reading.kind(following) == "number":
            numbers = [reading.items[following].number or Decimal(0)]
            last = following
            if operator == "between" and reading.kind(second := reading.after(following)) == "number":
                numbers.append(reading.items[second].number or Decimal(0))
                last = second
            self._compare(position, last, operator, numbers)
        elif reading.kind(following) == "measure" and reading.items[following].sense == "avg":
            self._compare_average(position, following, operator)
        elif operator in _TRAILING.values() and reading.kind(reading.before(position)) == "number":
            before = reading.before(position)
            self._compare(position, position, operator, [reading.items[before].number or Decimal(0)])
            reading.use(before)

    def _compare(self, position: int, last: int, operator: str, numbers: list[Decimal]) -> None:
        """Find what is compared: after the number, else before the comparison."""
        reading = self._reading
        following = reading.after(last, over=SOFT - {"join", "comma", "relate"})
        table = self._counted_table(following)
        if table:
            self._forbid_between(operator)
            noun = next(at for at, named in reading.mentions() if at >= following and named == table)
            reading.use(noun, *range(position, last + 1))
            self.scopes.append(Scope(table, noun, operator=operator, number=numbers[0]))
            return
        sense = self._number_at(following) if reading.kind(following) == "name" else None
        if sense is not None and sense.table:
            reading.use(following)
        else:
            before = reading.before(position, over=SOFT - {"join", "comma"})
            sense = self._number_at(before)
            if sense is not None and self._compare_measure(before, position, operator, numbers[0]):
                reading.use(*range(position, last + 1))
                return
            if sense is not None:
                reading.use(before)
        place = place_of(sense) if sense else self._amount_of(position)
        reading.use(*range(position, last + 1))
        self._add(place, position, operator, numbers)

    def _forbid_between(self, operator: str) -> None:
        if operator == "between":
            raise ambiguous("“Between” is read for columns only. Ask with at least, or with at most.")

    def _counted_table(self, position: int) -> str:
        """Give the table whose rows are counted at a position, past words that narrow it."""
        reading = self._reading
        if table := reading.table_at(position):
            return table
        return reading.attributed_table(position) if self._narrows(position) else ""

    def _narrows(self, position: int) -> bool:
        reading = self._reading
        return reading.kind(position) == "name" and bool(reading.items[position].of("value", "flag"))

    def _number_at(self, position: int) -> Sense | None:
        reading = self._reading
        if reading.kind(position) not in {"name", "light"} or position in reading.used:
            return None
        tables = reading.vocabulary.tables
        return reading.place(
            position,
            lambda sense: (
                sense.kind == "column"
                and sense.column is not None
                and is_number(sense.column)
                and not is_id(tables[sense.table], sense.column)
            ),
        )

    def _compare_measure(self, column: int, position: int, operator: str, number: Decimal) -> bool:
        """Read `with an average valuation over 5`: a measure of other rows that is compared."""
        reading = self._reading
        measured = reading.before(column)
        if reading.kind(measured) != "measure" or reading.items[measured].sense not in {
            "avg",
            "sum",
            "min",
            "max",
        }:
            return False
        sense = self._number_at(column)
        if sense is None or measured == 0 or reading.kind(measured - 1) not in {"relate", "filler"}:
            return False
        self._forbid_between(operator)
        measure = Measure(reading.items[measured].sense, place_of(sense))
        self.scopes.append(Scope(sense.table, column, operator=operator, number=number, measure=measure))
        reading.use(column, measured)
        return True

    def _amount_of(self, position: int) -> Place:
        """Give the one column of money that rows named before may be said to be over or under."""
        reading = self._reading
        before = [table for at, table in reading.mentions() if at < position][-1:]
        tables = before or sorted(reading.known_tables())
        for name in tables:
            table = reading.vocabulary.tables[name]
            amounts = [column for column in find_measures(table) if is_generic_money(column)]
            if len(amounts) == 1:
                return Place(name, amounts[0])
        raise ambiguous(
            f"It is not said what should be “{reading.items[position].text}” that number. "
            "Name the column that is compared."
        )

    def _add(self, place: Place, position: int, operator: str, numbers: list[Decimal]) -> None:
        if operator == "between":
            if len(numbers) < 2:  # noqa: PLR2004 - both ends
                raise ambiguous("“Between” needs two numbers, such as between 100 and 200. Name both.")
            self.conditions.append(Condition(place, ">=", min(numbers), position))
            self.conditions.append(Condition(place, "<=", max(numbers), position))
        else:
            self.conditions.append(Condition(place, operator, numbers[0], position))

    def _compare_average(self, position: int, average: int, operator: str) -> None:
        reading = self._reading
        self._forbid_between(operator)
        column = reading.after(average)
        sense = self._number_at(column) if reading.kind(column) == "name" else None
        if sense is None:
            column = reading.before(position)
            sense = self._number_at(column)
        if sense is None:
            raise ambiguous(
                "It is not said whose average is meant. Name the column, such as above the average price."
            )
        reading.use(position, average, column)
        place = place_of(sense)
        self.conditions.append(Condition(place, f"{operator} average", None, position))

    def _read_equality(self, position: int) -> None:
        """Read `ward 3`, `priority is 1`, and `3 rooms` where a column counts them."""
        reading = self._reading
        if reading.kind(position) != "number" or reading.items[position].number is None:
            return
        number = reading.items[position].number or Decimal(0)
        before = reading.before(position, over={"be", "filler", "link"})
        following = position + 1
        if reading.kind(before) == "name" and not reading.table_at(before) and before not in reading.used:
            sense = self._number_at(before)
            if sense is not None and not self._is_ranked(position, before):
                reading.use(before, position)
                self._add(place_of(sense), position, "=", [number])
                return
        if self._read_key(position, number):
            return
        if reading.kind(following) == "name" and not reading.table_at(following):
            sense = self._number_at(following)
            is_ranked = reading.kind(reading.before(position)) in {"most", "ask"}
            if sense is not None and sense.column is not None and is_count(sense.column) and not is_ranked:
                reading.use(position, following)
                self._add(place_of(sense), position, "=", [number])

    def _read_key(self, position: int, number: Decimal) -> bool:
        """Read `room 3`: the row of that key."""
        reading = self._reading
        table = reading.vocabulary.tables.get(reading.table_at(position - 1))
        is_many = reading.items[position - 1].text.lower().endswith("s")
        if table is None or is_many or len(table.primary_key) != 1 or reading.table_at(position + 1):
            return False
        key = next(column for column in table.columns if column.name == table.primary_key[0])
        if not is_number(key):
            return False
        reading.use(position)
        self._add(Place(table.name, key), position, "=", [number])
        return True

    def _is_ranked(self, number: int, column: int) -> bool:
        """Say whether a number tells how many are asked for, as in `the valuation of the top 5`."""
        reading = self._reading
        return reading.kind(number - 1) == "most" or bool(reading.table_at(number + 1)) or column < 0
