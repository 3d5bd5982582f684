"""Conditions and scopes as expressions."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final

from sqlglot import exp

from vmk_mcp.ask.drafting.offline.frames import Frame, Naming, match_keys
from vmk_mcp.ask.drafting.offline.paths import Step
from vmk_mcp.ask.drafting.offline.query import Condition, Measure, Query, Scope, ambiguous

_COMPARISONS: Final[Mapping[str, type[exp.Binary]]] = {
    "=": exp.EQ, "<>": exp.NEQ, ">": exp.GT, ">=": exp.GTE, "<": exp.LT, "<=": exp.LTE,
}  # fmt: skip
_OPPOSITES: Final = {"<": ">=", "<=": ">"}
_FUNCTIONS: Final[Mapping[str, type[exp.AggFunc]]] = {
    "sum": exp.Sum,
    "avg": exp.Avg,
    "min": exp.Min,
    "max": exp.Max,
}


def write_value(value: str | Decimal | date | int) -> exp.Expr:
    """Write a value as a literal; a day with its type."""
    if isinstance(value, date):
        return exp.Cast(this=exp.Literal.string(value.isoformat()), to=exp.DataType.build("date"))
    if isinstance(value, str):
        return exp.Literal.string(value)
    return exp.Literal.number(str(value))


def compare(operator: str, left: exp.Expr, right: exp.Expr) -> exp.Expr:
    """Write a comparison by its sign."""
    return _COMPARISONS[operator](this=left, expression=right)


def count_rows() -> exp.Count:
    """Write the count of all rows."""
    return exp.Count(this=exp.Star(), big_int=True)


def aggregate(measure: Measure, column: exp.Expr) -> exp.Expr:
    """Write a plain function of a column."""
    return _FUNCTIONS[measure.function](this=column)


class Predicates:
    """Writes what narrows the rows of a query; inner SELECTs get names of their own."""

    def __init__(self, naming: Naming, query: Query) -> None:
        self._naming = naming
        self._query = query
        self._known = {
            query.root,
            *(scope.table for scope in query.scopes),
            *(g.table for g in query.groups if g.table),
        }

    @property
    def known(self) -> set[str]:
        """All tables that the query names."""
        return self._known

    def write_all(self, frame: Frame) -> list[exp.Expr]:
        """Give all conditions of the query; joins to `frame` what they need."""
        written = [self.write(frame, one) for one in self._query.conditions if self._anchor(one) is None]
        for scope in self._query.scopes:
            if self._is_joined(scope):
                frame.reach(scope.table)
            elif self._outer(scope) is None:
                written.append(self._write_scope(frame, scope))
        return written

    def joined(self) -> Sequence[str]:
        """Give the tables that are only there because each row leads up to one of theirs."""
        return [scope.table for scope in self._query.scopes if self._is_joined(scope)]

    def write(self, frame: Frame, condition: Condition) -> exp.Expr:
        """Write one condition over the tables of a frame."""
        column = frame.column(condition.place)
        operator = condition.operator
        if operator in {"missing", "present"}:
            missing = exp.Is(this=column, expression=exp.Null())
            return missing if operator == "missing" else exp.Not(this=missing)
        if operator in {"is_true", "is_false"}:
            return column if operator == "is_true" else exp.Not(this=column)
        if operator.endswith(" average"):
            return compare(operator.split()[0], column, self._write_average(condition))
        if condition.others:
            values = [one.value for one in (condition, *condition.others) if one.value is not None]
            return exp.In(this=column, expressions=[write_value(value) for value in values])
        if condition.value is None:
            raise TypeError(f"{operator} compares with nothing")
        return compare(operator, column, write_value(condition.value))

    def _write_average(self, condition: Condition) -> exp.Expr:
        inner = Frame(self._naming, condition.place.table, ending=self._naming.number())
        average = exp.Avg(this=inner.column(condition.place))
        return exp.Subquery(this=inner.attach(exp.Select(expressions=[average])))

    def _is_joined(self, scope: Scope) -> bool:
        """Say whether a scope only names a row that each row leads up to."""
        is_plain = not scope.is_negated and not scope.operator and self._outer(scope) is None
        return is_plain and (scope.table == self._query.root or self._leads_up(scope.table))

    def _is_joined_table(self, table: str) -> bool:
        return any(scope.table == table and self._is_joined(scope) for scope in self._query.scopes)

    def _leads_up(self, table: str) -> bool:
        path = self._naming.graph.find_path(self._query.root, table, self._known)
        return all(step.is_up for step in path)

    def _outer(self, scope: Scope) -> Scope | None:
        """Give the scope that a scope lies in: its parent, where that is no mere join."""
        parents = [one for one in self._query.scopes if one.table == scope.parent and one is not scope]
        if not parents:
            return None
        return None if self._is_joined(parents[0]) else parents[0]

    def _anchor(self, condition: Condition) -> Scope | None:
        """Give the scope whose rows a condition narrows; None where it is the rows asked for."""
        scopes = [scope for scope in self._query.scopes if not self._is_joined(scope)]
        own = [scope for scope in scopes if scope.table == condition.place.table]
        if own:
            return min(own, key=lambda scope: abs(scope.position - condition.position))
        if condition.place.table in self._known:
            return None
        before = [scope for scope in self._query.scopes if scope.position < condition.position]
        if before and before[-1] in scopes:
            return before[-1]
        return None

    def _write_scope(self, outer: Frame, scope: Scope) -> exp.Expr:
        """Write the rows of a scope that go with one of the outer frame's."""
        start = scope.parent if outer.has(scope.parent) or self._is_joined_table(scope.parent) else outer.root
        outer.reach(start)
        path = self._naming.graph.find_path(start, scope.table, self._known)
        if not path or (scope.operator and all(step.is_up for step in path)):
            raise ambiguous(
                f"Each of “{outer.root}” goes with one of “{scope.table}” at most. Say what is counted."
            )
        first_down = next((at for at, step in enumerate(path) if not step.is_up), 0)
        up, down = path[:first_down], path[first_down:]
        for step in up:
            outer.reach(step.target)
        if scope.operator:
            return self._write_counted(outer, scope, down)
        inner, conditions = self._fill(scope, down)
        step = down[0]
        link = match_keys(
            [inner.name(step.target, column) for column in step.target_columns],
            [outer.name(step.source, column) for column in step.source_columns],
        )
        found = exp.Exists(this=self._select(inner, exp.Literal.number(1), [link, *conditions]))
        return exp.Not(this=found) if scope.is_negated else found

    def _fill(self, scope: Scope, path: Sequence[Step]) -> tuple[Frame, list[exp.Expr]]:
        """Give the frame of an inner SELECT and what narrows it."""
        inner = Frame(self._naming, path[0].target, self._known - {self._query.root}, self._naming.number())
        for step in path[1:]:
            inner.walk(step)
        conditions = [self.write(inner, one) for one in self._query.conditions if self._anchor(one) is scope]
        conditions += [
            self._write_scope(inner, one) for one in self._query.scopes if self._outer(one) is scope
        ]
        return inner, conditions

    def _write_counted(self, outer: Frame, scope: Scope, path: Sequence[Step]) -> exp.Expr:
        """Write that a key is (or is not) among those with so many rows; none counts as few."""
        inner, conditions = self._fill(scope, path)
        step = path[0]
        keys = [inner.name(step.target, column) for column in step.target_columns]
        counted = count_rows() if scope.measure is None else self._measure(inner, scope.measure)
        is_few = scope.measure is None and scope.operator in _OPPOSITES
        operator = _OPPOSITES[scope.operator] if is_few else scope.operator
        number = write_value(scope.number or Decimal(0))
        select = self._select(
            inner, keys[0], [*conditions, exp.Not(this=exp.Is(this=keys[0], expression=exp.Null()))]
        )
        select.set("group", exp.Group(expressions=[key.copy() for key in keys]))
        select.set("having", exp.Having(this=compare(operator, counted, number)))
        among = exp.In(this=outer.name(step.source, step.source_columns[0]), query=exp.Subquery(this=select))
        return exp.Not(this=among) if is_few != scope.is_negated else among

    def _measure(self, inner: Frame, measure: Measure) -> exp.Expr:
        if measure.place is None:
            raise TypeError(f"{measure.function} is of a column")
        return aggregate(measure, inner.column(measure.place))

    def _select(self, frame: Frame, column: exp.Expr, conditions: Sequence[exp.Expr]) -> exp.Select:
        select = frame.attach(exp.Select(expressions=[column.copy()]))
        select.set("where", exp.Where(this=exp.and_(*conditions)))
        return select
