"""Words that narrow rows: values, flags, what is missing, rows of other tables that are there or are not."""

from collections.abc import Collection
from datetime import date

from vmk_mcp.ask.drafting.offline.columns import find_labels, name_stems
from vmk_mcp.ask.drafting.offline.events import is_event
from vmk_mcp.ask.drafting.offline.lexicon import load_lexicon
from vmk_mcp.ask.drafting.offline.negation import find_negated
from vmk_mcp.ask.drafting.offline.query import Condition, Place, Scope, ambiguous
from vmk_mcp.ask.drafting.offline.reading import Reading, place_of
from vmk_mcp.ask.drafting.offline.stems import is_participle
from vmk_mcp.ask.drafting.offline.vocabulary import EXACT, Sense


class Filtering:
    """Reads what is left of a question after its measures, groups, comparisons and periods."""

    def __init__(self, reading: Reading, today: date, measured: Collection[Place]) -> None:
        self._reading = reading
        self._today = today
        self._measured = measured
        self._negated: set[int] = set()
        self.conditions: list[Condition] = []
        self.scopes: list[Scope] = []
        self.columns: list[Place] = []

    def read(self) -> None:
        """Account for every word that narrows; columns that only stand there are kept as `columns`."""
        reading = self._reading
        self._negated = find_negated(reading)
        for position in range(len(reading.items)):
            if position in reading.used or reading.kind(position) not in {"name", "light"}:
                continue
            if reading.items[position].senses:
                self._read_name(position)

    def _read_name(self, position: int) -> None:
        reading = self._reading
        item = reading.items[position]
        if table := reading.table_at(position):
            self._read_table(position, table)
            return
        if item.kind == "light":
            self._read_light(position)
            return
        if self._read_value_of_column(position):
            return
        if self._read_event(position):
            return
        narrowing = reading.place(position, lambda sense: sense.kind in {"value", "flag"})
        columns = [sense for sense in item.senses if sense.kind == "column"]
        if narrowing is not None and self._is_base_form(position, narrowing):
            self._read_base_form(position, narrowing.table)
        elif narrowing is not None and (
            not columns or columns[0].weight <= narrowing.weight or self._is_predicate(position)
        ):
            self._add_narrowing(position, narrowing)
        elif columns:
            self._read_column(position)
        else:
            self._read_verb(position)

    def _is_base_form(self, position: int, sense: Sense) -> bool:
        """Say whether a word is the verb (`expire`) of a state that is stored (`expired`), and of a date."""
        item = self._reading.items[position]
        is_state = is_participle(sense.value.lower()) and not is_participle(item.text.lower())
        return is_state and any(is_event(one) and one.table == sense.table for one in item.senses)

    def _read_base_form(self, position: int, table: str) -> None:
        """Read `when does it expire`; anything else may ask for a date or a state."""
        reading = self._reading
        if not any(item.kind == "ask" and item.sense == "when" for item in reading.items):
            word = reading.items[position].text
            raise ambiguous(
                f"“{word}” may ask for a date or a state. Say when, or ask for what has that state."
            )
        reading.use(position)
        senses = reading.items[position].senses
        self.columns += [place_of(one) for one in senses if is_event(one) and one.table == table][:1]

    def _is_predicate(self, position: int) -> bool:
        return self._reading.kind(position - 1) in {"be", "negate"}

    def _read_table(self, position: int, table: str) -> None:
        reading = self._reading
        reading.use(position)
        if table == reading.root and position not in self._negated:
            return
        self.scopes.append(
            Scope(table, position, is_negated=position in self._negated, parent=self._parent(position))
        )

    def _parent(self, position: int) -> str:
        """Give the scope that a new one narrows: the last before it, unless `and` or `but` parts them."""
        reading = self._reading
        for at in range(position - 1, -1, -1):
            if reading.kind(at) in {"join", "comma"}:
                return ""
            here = [scope.table for scope in self.scopes if scope.position == at]
            if here or reading.table_at(at):
                return here[0] if here else ""
        return ""

    def _read_light(self, position: int) -> None:
        """Take a light verb for a column, or for rows of another table, where those are named."""
        reading = self._reading
        known = set(reading.known_tables())
        if self._read_event(position):
            return
        tables = {sense.table for sense in reading.items[position].senses if sense.kind in {"table", "verb"}}
        if position in self._negated and len(tables - known) == 1:
            self.scopes.append(Scope((tables - known).pop(), position, is_negated=True))
        elif position in self._negated:
            raise ambiguous(f"It is not clear what “{reading.items[position].text}” denies. Name the record.")
        elif (
            tables
            and not tables & known
            and not any(reading.graph.measure_up(reading.root, table) is not None for table in tables)
        ):
            raise ambiguous(
                f"“{reading.items[position].text}” may bring in {', '.join(sorted(tables))}. "
                "Name what is meant."
            )
        reading.use(position)

    def _read_verb(self, position: int) -> None:
        """Read `inspected`: rows of the table that the verb is of are there, or are not."""
        reading = self._reading
        tables = {sense.table for sense in reading.items[position].of("verb", "table")}
        if len(tables) != 1:
            return
        table = tables.pop()
        reading.use(position)
        if table not in reading.known_tables() or position in self._negated:
            reading.forbid_status(position, table)
            self.scopes.append(Scope(table, position, is_negated=position in self._negated))

    def _read_value_of_column(self, position: int) -> bool:
        """Read `status open`, `critical severity`, `category is noise`, `Toys category`."""
        reading = self._reading
        for other in (reading.after(position, over={"be", "filler", "link"}), position + 1):
            if other in reading.used or reading.kind(other) != "name":
                continue
            for column, value in ((position, other), (other, position)):
                sense = self._match_value(column, value)
                if sense is not None:
                    reading.use(column, value)
                    if value in self._negated or column in self._negated:
                        self._negated.add(value)
                    self._add_narrowing(value, sense)
                    return True
        return False

    def _match_value(self, column: int, value: int) -> Sense | None:
        reading = self._reading
        columns = {
            (one.table, one.column.name)
            for one in reading.items[column].of("column")
            if one.column is not None
        }
        if table := reading.table_at(column):
            columns = {(table, label) for label in find_labels(reading.vocabulary.tables[table])}
            if column in reading.used:
                return None
        if not any(
            (one.table, one.column.name) in columns for one in reading.items[value].of("value") if one.column
        ):
            return None
        return reading.place(
            value,
            lambda one: (
                one.kind == "value" and one.column is not None and (one.table, one.column.name) in columns
            ),
        )

    def _read_event(self, position: int) -> bool:
        """Read `were issued`, `not yet closed`: whether a date is there."""
        reading = self._reading
        item = reading.items[position]
        is_named = any(sense.weight == EXACT or sense.is_owned for sense in item.senses if is_event(sense))
        if is_named or not any(map(is_event, item.senses)) or not is_participle(item.text.lower()):
            return False
        sense = reading.place(position, is_event)
        if (
            sense is None
            or sense.column is None
            or (item.kind == "light" and sense.table not in reading.known_tables())
        ):
            return False
        states = [one for one in item.of("value", "flag") if one.table == sense.table]
        if states and self._is_state(position, sense):
            return False
        reading.use(position)
        self._add_event(position, sense)
        return True

    def _is_state(self, position: int, sense: Sense) -> bool:
        """Say whether a participle tells how things stand (`closed complaints`) and not what was done."""
        reading = self._reading
        if is_due(sense):
            return True
        if reading.items[position].sense == "participle":
            return False
        if reading.attributed_table(position) == sense.table:
            return True
        before = reading.before(position, over={"filler", "negate"})
        return reading.kind(before) == "be" and reading.items[before].sense == "is"

    def _add_event(self, position: int, sense: Sense) -> None:
        place, is_negated = place_of(sense), position in self._negated
        if is_due(sense):
            operator = ">=" if is_negated else "<"
            self.conditions.append(Condition(place, operator, self._today, position))
        else:
            operator = "missing" if is_negated else "present"
            self.conditions.append(Condition(place, operator, None, position))

    def _add_narrowing(self, position: int, sense: Sense) -> None:
        self._reading.use(position)
        place, is_negated = place_of(sense), position in self._negated
        if sense.kind == "flag":
            is_true = (sense.value != "false") != is_negated
            self.conditions.append(Condition(place, "is_true" if is_true else "is_false", None, position))
        else:
            operator = "<>" if is_negated else "="
            self.conditions.append(Condition(place, operator, sense.value, position))

    def _read_column(self, position: int) -> None:
        reading = self._reading
        sense = reading.place(position, lambda one: one.kind == "column")
        if sense is None:
            return
        reading.use(position)
        if position in self._negated:
            place = place_of(sense)
            self.conditions.append(Condition(place, "missing", None, position))
        elif place_of(sense) not in self._measured:
            self.columns.append(place_of(sense))


def is_due(sense: Sense) -> bool:
    """Say whether a date says when something ends by itself, so that `expired` means that it has passed."""
    return sense.column is not None and not load_lexicon().names.dues.isdisjoint(
        name_stems(sense.column.name)
    )
