"""From a query to the text of one SELECT, by way of sqlglot's tree: columns qualified, ties broken."""

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from vmk_mcp.ask.drafting.offline.columns import find_labels, is_moment
from vmk_mcp.ask.drafting.offline.frames import Frame, Naming, forbid_fan_out
from vmk_mcp.ask.drafting.offline.predicates import (
    Predicates,
    aggregate,
    compare,
    count_rows,
    write_value,
)
from vmk_mcp.ask.drafting.offline.query import Condition, Group, Measure, Order, Place, Query

_LIST_LIMIT: Final = 1_000
# Above any cap of the service on rows, so that it still says where there are more.
_MOST_SHOWN: Final = 12
_SECONDS_A_DAY: Final = 86_400


class Statement:
    """One query being written."""

    def __init__(self, naming: Naming, query: Query) -> None:
        self._naming = naming
        self._query = query
        self._predicates = Predicates(naming, query)
        self._frame = Frame(naming, query.root, self._predicates.known)

    def write(self) -> str:
        """Give the text; raises `Unclear` where tables are not tied, or rows would count twice."""
        select = self._write_measured() if self._query.measures or self._query.groups else self._write_list()
        return select.sql(dialect="postgres", pretty=False)

    def _write_measured(self) -> exp.Select:
        query, frame = self._query, self._frame
        groups = [self._write_group(group) for group in query.groups]
        conditions = self._predicates.write_all(frame)
        conditions += [self._present(one) for one in self._needed(query)]
        measures = [self._write_measure(measure) for measure in query.measures]
        shown = [column for _, columns in groups for column in columns]
        keys = [key for found, _ in groups for key in found]
        select = self._frame.attach(exp.Select(expressions=[*shown, *self._name_measures(measures)]))
        self._narrow(select, conditions)
        if keys:
            select.set("group", exp.Group(expressions=[key.copy() for key in keys]))
            self._order_groups(select, keys, measures)
        for operator, number in query.having:
            select.set("having", exp.Having(this=compare(operator, self._count(), write_value(number))))
        if query.limit is not None and keys:
            select.set("limit", exp.Limit(expression=write_value(query.limit)))
        return select

    def _needed(self, query: Query) -> Sequence[Place]:
        """Give the columns that a row must have to be in a group of dates, or first in an order."""
        dated = [group.place for group in query.groups if group.part and group.place is not None]
        ranked = [
            group.place for group in query.groups if group.place is not None and query.limit is not None
        ]
        known = {(one.place.table, one.place.column.name) for one in query.conditions}
        needed = [place for place in [*dated, *ranked] if (place.table, place.column.name) not in known]
        if query.limit is not None:
            needed += [
                self._key_place(group) for group in query.groups if group.table and self._is_key(group)
            ]
        return list(dict.fromkeys(needed))

    def _present(self, place: Place) -> exp.Expr:
        return self._predicates.write(self._frame, Condition(place, "present"))

    def _is_key(self, group: Group) -> bool:
        table = self._naming.tables[group.table]
        return find_labels(table) == table.primary_key

    def _key_place(self, group: Group) -> Place:
        return self._place(group.table, self._naming.tables[group.table].primary_key[0])

    def _place(self, table: str, name: str) -> Place:
        return Place(table, next(one for one in self._naming.tables[table].columns if one.name == name))

    def _write_group(self, group: Group) -> tuple[list[exp.Expr], list[exp.Expr]]:
        """Give what is grouped by and what is shown of it."""
        if group.place is None:
            table = self._naming.tables[group.table]
            labels = [self._frame.column(self._place(table.name, name)) for name in find_labels(table)]
            keys = [self._frame.column(self._place(table.name, name)) for name in table.primary_key]
            return list(dict.fromkeys([*keys, *labels])), list(labels)
        column: exp.Expr = self._frame.column(group.place)
        if group.part == "year":
            column = exp.Cast(
                this=exp.Extract(this=exp.Var(this="YEAR"), expression=column), to=exp.DataType.build("int")
            )
        elif group.part:
            part = exp.TimestampTrunc(this=column, unit=exp.Var(this=group.part.upper()))
            column = exp.Cast(this=part, to=exp.DataType.build("date"))
        shown = exp.alias_(column.copy(), group.part) if group.part else column
        return [column], [shown]

    def _name_measures(self, measures: Sequence[exp.Expr]) -> list[exp.Expr]:
        named = []
        for measure, written in zip(self._query.measures, measures, strict=True):
            ending = (
                f"_{measure.place.column.name}" if measure.place is not None and not measure.until else ""
            )
            named.append(exp.alias_(written.copy(), f"{measure.function}{ending}"))
        return named

    def _write_measure(self, measure: Measure) -> exp.Expr:
        if measure.function == "count":
            return self._count()
        if measure.function == "share":
            return self._share()
        if measure.place is None:
            raise TypeError(f"{measure.function} is of a column")
        column: exp.Expr = self._frame.column(measure.place)
        if measure.function == "count_distinct":
            return exp.Count(this=exp.Distinct(expressions=[column]), big_int=True)
        forbid_fan_out(self._frame)
        if measure.until is not None:
            column = self._span(measure.place, column, measure.until)
        if measure.per is not None:
            column = self._divide(column, self._frame.column(measure.per))
        if measure.function == "median":
            order = exp.Order(expressions=[exp.Ordered(this=column)])
            return exp.WithinGroup(this=exp.PercentileCont(this=exp.Literal.number("0.5")), expression=order)
        return aggregate(measure, column)

    def _count(self) -> exp.Expr:
        key = self._naming.tables[self._query.root].primary_key
        if not self._frame.fans_out:
            return count_rows()
        if not key:
            forbid_fan_out(self._frame)
        columns = [self._frame.name(self._query.root, name) for name in key]
        return exp.Count(this=exp.Distinct(expressions=list(columns)), big_int=True)

    def _share(self) -> exp.Expr:
        forbid_fan_out(self._frame)
        parts = [self._predicates.write(self._frame, one) for one in self._query.numerator]
        counted = exp.Filter(this=count_rows(), expression=exp.Where(this=exp.and_(*parts)))
        hundredfold = exp.Mul(this=exp.Literal.number(f"{self._query.ratio}.0"), expression=counted)
        return self._divide(hundredfold, count_rows())

    def _divide(self, left: exp.Expr, right: exp.Expr) -> exp.Expr:
        """Write a division that gives null where it is by nothing."""
        divisor = exp.Nullif(this=right, expression=exp.Literal.number(0))
        return exp.Div(this=left, expression=divisor, typed=True, safe=False)

    def _span(self, start: Place, column: exp.Expr, until: Place) -> exp.Expr:
        """Write the days between two columns, with their fraction where they hold moments."""
        between = exp.Sub(this=self._frame.column(until), expression=column)
        if not {start.column.type, until.column.type} - {"date"}:
            return between
        seconds = exp.Extract(this=exp.Var(this="EPOCH"), expression=exp.Paren(this=between))
        return exp.Div(this=seconds, expression=write_value(_SECONDS_A_DAY), typed=True, safe=False)

    def _order_groups(
        self, select: exp.Select, keys: Sequence[exp.Expr], measures: Sequence[exp.Expr]
    ) -> None:
        order = self._query.order
        ordered = []
        if order is not None:
            target = self._frame.column(order.place) if order.place else measures[0]
            ordered.append(self._ordered(target, order))
        ordered += [exp.Ordered(this=key.copy()) for key in keys]
        select.set("order", exp.Order(expressions=ordered))

    def _ordered(self, target: exp.Expr, order: Order) -> exp.Ordered:
        return exp.Ordered(this=target.copy(), desc=order.is_descending, nulls_first=False)

    def _narrow(self, select: exp.Select, conditions: Sequence[exp.Expr]) -> None:
        if conditions:
            select.set("where", exp.Where(this=exp.and_(*conditions)))

    def _write_list(self) -> exp.Select:
        query, frame = self._query, self._frame
        conditions = self._predicates.write_all(frame)
        columns = [frame.column(place, is_optional=True) for place in self._shown()]
        order = (
            [self._ordered(frame.column(query.order.place), query.order)]
            if query.order and query.order.place
            else []
        )
        forbid_fan_out(frame)
        select = frame.attach(exp.Select(expressions=list(columns)))
        if query.is_distinct and not order:
            select.set("distinct", exp.Distinct())
            order = [exp.Ordered(this=column.copy()) for column in columns]
        else:
            keys = self._naming.tables[query.root].primary_key
            order += [exp.Ordered(this=frame.name(query.root, key)) for key in keys]
        self._narrow(select, conditions)
        if order:
            select.set("order", exp.Order(expressions=order))
        if query.limit is not None or not conditions:
            select.set("limit", exp.Limit(expression=write_value(query.limit or _LIST_LIMIT)))
        return select

    def _shown(self) -> Sequence[Place]:
        """Give the columns of a list: those asked for and the row's name, else what tells rows apart."""
        query = self._query
        table = self._naming.tables[query.root]
        labels = [self._place(table.name, name) for name in find_labels(table)]
        if query.is_distinct:
            return query.columns
        if query.columns:
            return list(dict.fromkeys([*labels, *query.columns]))
        joined = [
            self._place(name, label) for name in self._predicates.joined() for label in self._labels(name)
        ]
        if len(table.columns) <= _MOST_SHOWN:
            return [*(Place(table.name, column) for column in table.columns), *joined]
        keys = [self._place(table.name, name) for name in table.primary_key]
        used = [one.place for one in query.conditions if one.place.table == table.name]
        order = [query.order.place] if query.order is not None and query.order.place is not None else []
        dates = [Place(table.name, column) for column in table.columns if is_moment(column)][:2]
        return list(dict.fromkeys([*keys, *labels, *used, *order, *dates, *joined]))

    def _labels(self, table: str) -> Sequence[str]:
        return find_labels(self._naming.tables[table])
