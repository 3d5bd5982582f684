"""When a recursion is seen to end: a counter that runs up to a bound, or rows that can only repeat."""

import math
from collections.abc import Iterator
from typing import Final

from google.protobuf.message import Message
from msgspec import Struct
from postgast import pg_query_pb2 as pg

from vmk_mcp.ask.guard.expressions import vet_expression
from vmk_mcp.ask.guard.extents import Extent
from vmk_mcp.ask.guard.joins import split_conditions
from vmk_mcp.ask.guard.messages import inner_messages
from vmk_mcp.ask.guard.refusing import Refused, show_name
from vmk_mcp.ask.guard.scopes import Scope, Source
from vmk_mcp.ask.guard.stars import is_star

_UPWARDS: Final = frozenset({"<", "<="})
_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class _Bound(Struct, frozen=True):
    """A condition on one column of the recursion itself."""

    column: str
    operator: str
    limit: pg.Node


def names_relation(message: Message, name: str) -> bool:
    """Say whether a tree names a relation so, without a schema, at any depth."""
    if isinstance(message, pg.RangeVar):
        return message.relname == name and not message.schemaname
    return any(names_relation(inner, name) for inner in inner_messages(message))


def count_turns(select: pg.SelectStmt, start: Source, name: str, scope: Scope) -> float:
    """Count how often a recursion can turn.

    Args:
        select: the UNION of its start and its turn.
        start: what the start yields, with the recursion's column names.
        name: of the recursion.
        scope: where it is read.

    Raises:
        Refused: `too_expensive`, where it cannot be seen to end within `series_rows` turns.
    """
    turn, limits = select.rarg, scope.ward.limits
    if not select.all and all(node.res_target.val.HasField("column_ref") for node in turn.target_list):
        return float(limits.series_rows)
    turns = [_count(bound, turn, start, scope) for bound in _find_bounds(turn, start)]
    if turns and min(turns) <= limits.series_rows:
        return min(turns)
    raise Refused(
        "too_expensive",
        f"The recursion {show_name(name)} is not seen to end: count its turns, such as n + 1 AS n, and "
        f"stop them by WHERE n < a number of {limits.series_rows} at most.",
    )


def _count(bound: _Bound, turn: pg.SelectStmt, start: Source, scope: Scope) -> float:
    place = [column.name for column in start.columns].index(bound.column)
    if place >= len(turn.target_list) or any(is_star(node.res_target.val) for node in turn.target_list):
        return math.inf
    step = _step_of(turn.target_list[place].res_target.val, bound.column, scope)
    limit = vet_expression(bound.limit, scope.within(()))
    first = start.columns[place].extent
    if bound.operator in _UPWARDS:
        distance, stride = limit.high - first.low, step.low
    else:
        distance, stride = first.high - limit.low, -step.high
    if not stride > 0 or math.isnan(distance):
        return math.inf
    return max(distance, 0.0) / stride + 1


def _step_of(node: pg.Node, column: str, scope: Scope) -> Extent:
    """Give how far one turn moves a column; nothing known where it does more than add a constant."""
    node = _without_casts(node)
    expression = node.a_expr
    sign = _operator_of(node)
    if sign not in {"+", "-"} or _column_of(expression.lexpr) != column or _holds_column(expression.rexpr):
        return Extent()
    step = vet_expression(expression.rexpr, scope.within(()))
    return step if sign == "+" else Extent(low=-step.high, high=-step.low)


def _find_bounds(turn: pg.SelectStmt, start: Source) -> Iterator[_Bound]:
    names = {column.name for column in start.columns}
    for condition in _conditions(turn):
        operator = _operator_of(condition)
        if operator not in _TURNED:
            continue
        left, right = condition.a_expr.lexpr, condition.a_expr.rexpr
        for one, other, way in ((left, right, operator), (right, left, _TURNED[operator])):
            column = _column_of(one)
            if column in names and not _holds_column(other):
                yield _Bound(column, way, other)


def _conditions(turn: pg.SelectStmt) -> Iterator[pg.Node]:
    yield from split_conditions(turn.where_clause)
    entries = list(turn.from_clause)
    while entries:
        entry = entries.pop()
        if entry.HasField("join_expr") and entry.join_expr.jointype == pg.JOIN_INNER:
            yield from split_conditions(entry.join_expr.quals)
            entries.extend([entry.join_expr.larg, entry.join_expr.rarg])


def _operator_of(node: pg.Node) -> str:
    is_plain = node.HasField("a_expr") and node.a_expr.kind == pg.AEXPR_OP and len(node.a_expr.name) == 1
    return node.a_expr.name[0].string.sval if is_plain else ""


def _column_of(node: pg.Node) -> str:
    """Give the name of a column, or of one that a constant is added to; empty for anything else."""
    node = _without_casts(node)
    if _operator_of(node) == "+" and node.a_expr.rexpr.HasField("a_const"):
        node = node.a_expr.lexpr
    fields = node.column_ref.fields
    return fields[-1].string.sval if node.HasField("column_ref") else ""


def _without_casts(node: pg.Node) -> pg.Node:
    while node.HasField("type_cast"):
        node = node.type_cast.arg
    return node


def _holds_column(message: Message) -> bool:
    """Say whether a tree names a column, but for those within sub-queries, which see their own."""
    if isinstance(message, pg.SubLink):
        return False
    return isinstance(message, pg.ColumnRef) or any(map(_holds_column, inner_messages(message)))
