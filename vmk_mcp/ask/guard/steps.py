"""WITH: steps in order, and recursions that must be seen to end."""

import math
from typing import Final

from msgspec import structs
from postgast import pg_query_pb2 as pg

from vmk_mcp.ask.guard.extents import Extent
from vmk_mcp.ask.guard.recursion import count_turns, names_relation
from vmk_mcp.ask.guard.refusing import Refused, show_name
from vmk_mcp.ask.guard.scopes import Column, Scope, Source

_FIRST_SIZE: Final = 1_000.0
_SECOND_SIZE: Final = 2_000.0


def read_steps(clause: pg.WithClause, scope: Scope) -> None:
    """Put the steps of WITH into the scope, each seen by those after it, and by itself where it recurs.

    Raises:
        Refused: with the code of the first thing that is not allowed.
    """
    steps: dict[str, Source] = {}
    scope.steps = steps
    for node in clause.ctes:
        step = node.common_table_expr
        if step.ctename.startswith("pg_"):
            # Were our reading of what is visible ever wrong, the name would be one of the catalog.
            raise Refused("table_not_allowed", f"Give the step {show_name(step.ctename)} a name without pg_.")
        select = step.ctequery.select_stmt
        if clause.recursive and select.op != pg.SETOP_NONE and names_relation(select.rarg, step.ctename):
            result = _read_recursion(step, steps, scope)
        else:
            result = scope.ward.vet_select(select, scope)
        steps[step.ctename] = _name_columns(result, step)


def _read_recursion(step: pg.CommonTableExpr, steps: dict[str, Source], scope: Scope) -> Source:
    select, name = step.ctequery.select_stmt, step.ctename
    is_plain = select.op == pg.SETOP_UNION and select.rarg.op == pg.SETOP_NONE
    if not is_plain or select.HasField("with_clause") or select.sort_clause:
        raise Refused(
            "too_expensive", f"Write the recursion {show_name(name)} as a UNION ALL of two plain SELECTs."
        )
    start = _name_columns(scope.ward.vet_select(select.larg, scope), step)
    turns = count_turns(select, start, name, scope)
    sizes = []
    for size in (_FIRST_SIZE, _SECOND_SIZE):
        steps[name] = _with_sizes(start, [size] * len(start.columns), float(scope.ward.limits.cross_rows))
        result = scope.ward.vet_select(select.rarg, scope)
        _check_growth(name, result.rows / scope.ward.limits.cross_rows, turns, scope)
        sizes.append([column.extent.size for column in result.columns])
    grown = [
        column.extent.size + _size_of_turn(name, first, second) * turns
        for column, first, second in zip(start.columns, *sizes, strict=False)
    ]
    return _with_sizes(start, grown, max(start.rows, 1.0) * turns)


def _size_of_turn(name: str, first: float, second: float) -> float:
    """Give what one turn adds to a text, from what two sizes of it come to.

    Raises:
        Refused: `too_expensive`, where it adds the text to itself.
    """
    if second - first > _SECOND_SIZE - _FIRST_SIZE:
        raise Refused(
            "too_expensive", f"A text in the recursion {show_name(name)} grows by itself at each turn."
        )
    return max(second - _SECOND_SIZE, 0.0)


def _check_growth(name: str, growth: float, turns: float, scope: Scope) -> None:
    limit = scope.ward.limits.joined_rows
    if growth > 1 and turns * math.log(growth) > math.log(limit):
        raise Refused(
            "too_expensive", f"Each turn of the recursion {show_name(name)} makes more rows than the last."
        )


def _with_sizes(source: Source, sizes: list[float], rows: float) -> Source:
    columns = (
        Column(column.name, Extent(size=size, is_double=column.extent.is_double))
        for column, size in zip(source.columns, sizes, strict=False)
    )
    return structs.replace(source, columns=tuple(columns), rows=rows, scans=())


def _name_columns(result: Source, step: pg.CommonTableExpr) -> Source:
    renamed = [node.string.sval for node in step.aliascolnames]
    names = [*renamed, *(column.name for column in result.columns[len(renamed) :])]
    columns = (Column(name, column.extent) for name, column in zip(names, result.columns, strict=False))
    return structs.replace(result, columns=tuple(columns))
