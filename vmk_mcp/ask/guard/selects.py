"""SELECT: its steps, FROM, values and other clauses, each in the scope that Postgres gives it."""

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import structs
from postgast import pg_query_pb2 as pg

from vmk_mcp.ask.guard.expressions import vet_all, vet_expression
from vmk_mcp.ask.guard.extents import join_extents
from vmk_mcp.ask.guard.functions import vet_window
from vmk_mcp.ask.guard.naming import name_of
from vmk_mcp.ask.guard.refusing import Refused, suggest_name
from vmk_mcp.ask.guard.scopes import Column, Scope, Source
from vmk_mcp.ask.guard.sources import FromClause
from vmk_mcp.ask.guard.stars import columns_of_star, expand_stars, is_star
from vmk_mcp.ask.guard.steps import read_steps

_FEW: Final = 100.0
_CUBE_COLUMNS: Final = 6


def vet_select(select: pg.SelectStmt, outer: Scope) -> Source:
    """Hold a SELECT, and all within it, to the lists; gives what it yields, without a name.

    Tables get their schema's name, `*` and NATURAL are written out as the open columns.

    Raises:
        Refused: with the code of the first thing that is not allowed.
    """
    scope = Scope(outer.ward, outer)
    if select.HasField("with_clause"):
        read_steps(select.with_clause, scope)
    if select.op != pg.SETOP_NONE:
        result = _vet_set_operation(select, scope)
    elif select.values_lists:
        result = _vet_values(select, scope)
    else:
        result = _vet_plain(select, scope)
    return _vet_limit(select, scope, result)


def _vet_set_operation(select: pg.SelectStmt, scope: Scope) -> Source:
    one, other = vet_select(select.larg, scope), vet_select(select.rarg, scope)
    columns = tuple(
        Column(mine.name, join_extents([mine.extent, theirs.extent]))
        for mine, theirs in zip(one.columns, other.columns, strict=False)
    )
    _vet_output_names(select.sort_clause, columns)
    removes_duplicates = not select.all or select.op != pg.SETOP_UNION
    scans = () if removes_duplicates else (*one.scans, *other.scans)
    return Source(name="", columns=columns, rows=one.rows + other.rows, scans=scans)


def _vet_output_names(sorts: Iterable[pg.Node], columns: Sequence[Column]) -> None:
    """Let a set operation be sorted by its own columns alone, by name or place, as Postgres does."""
    names = {column.name for column in columns}
    for sort in sorts:
        node = sort.sort_by.node
        name = name_of(node)
        if node.HasField("a_const") or (_is_bare(node) and name in names):
            continue
        raise Refused(
            "unknown_column",
            f"A set operation is sorted by names of its own columns.{suggest_name(name, names)}",
        )


def _vet_values(select: pg.SelectStmt, scope: Scope) -> Source:
    rows = [vet_all(row.list.items, scope) for row in select.values_lists]
    vet_all((sort.sort_by.node for sort in select.sort_clause if not _is_bare(sort.sort_by.node)), scope)
    columns = (
        Column(f"column{place}", join_extents(extents))
        for place, extents in enumerate(zip(*rows, strict=False), start=1)
    )
    return Source(name="", columns=tuple(columns), rows=float(len(rows)))


def _vet_plain(select: pg.SelectStmt, scope: Scope) -> Source:
    clause = FromClause(scope)
    scans = clause.read(select.from_clause)
    filters = clause.filter(select.where_clause)
    scope.rows = clause.estimate()
    expand_stars(select, scope)
    columns = tuple(column for node in select.target_list for column in _read_target(node.res_target, scope))
    _vet_clauses(select, scope, columns)
    is_narrowed = filters or scope.aggregates or scope.has_windows or _groups(select)
    return Source(
        name="", columns=columns, rows=_count_rows(select, scope), scans=() if is_narrowed else scans
    )


def _read_target(target: pg.ResTarget, scope: Scope) -> Sequence[Column]:
    if is_star(target.val):
        return columns_of_star(target.val, scope)
    return [Column(target.name or name_of(target.val), vet_expression(target.val, scope))]


def _vet_clauses(select: pg.SelectStmt, scope: Scope, columns: Sequence[Column]) -> None:
    outputs = {column.name for column in columns}
    for node in select.group_clause:
        _vet_group(node, scope, outputs)
    vet_expression(select.having_clause, scope)
    for window in select.window_clause:
        vet_window(window.window_def, scope, vet_expression)
    for node in (*select.distinct_clause, *(sort.sort_by.node for sort in select.sort_clause)):
        if not (_is_bare(node) and name_of(node) in outputs):
            vet_expression(node, scope)


def _vet_group(node: pg.Node, scope: Scope, outputs: set[str]) -> None:
    if node.HasField("grouping_set"):
        if node.grouping_set.kind == pg.GROUPING_SET_CUBE and len(node.grouping_set.content) > _CUBE_COLUMNS:
            raise Refused(
                "too_expensive", f"A CUBE may have {_CUBE_COLUMNS} columns: each more doubles the work."
            )
        for inner in node.grouping_set.content:
            _vet_group(inner, scope, outputs)
    elif not _is_bare(node):
        vet_expression(node, scope)
    elif scope.find_bare(name_of(node)) is None and name_of(node) not in outputs:
        # An input column counts before an output one; a name that is neither gets its refusal here.
        vet_expression(node, scope)


def _vet_limit(select: pg.SelectStmt, scope: Scope, result: Source) -> Source:
    """Hold LIMIT and OFFSET to the lists; neither sees the columns of FROM."""
    around = scope.within(())
    limit = vet_expression(select.limit_count, around)
    vet_expression(select.limit_offset, around)
    if not _is_limited(select):
        return result
    return structs.replace(result, rows=min(result.rows, max(limit.high, 0.0)), scans=())


def _is_limited(select: pg.SelectStmt) -> bool:
    """Say whether there is a LIMIT that is one: LIMIT ALL and LIMIT NULL are none."""
    node = select.limit_count
    while node.HasField("type_cast"):
        node = node.type_cast.arg
    return select.HasField("limit_count") and not node.a_const.isnull


def _groups(select: pg.SelectStmt) -> bool:
    return bool(select.group_clause or select.distinct_clause) or select.HasField("having_clause")


def _count_rows(select: pg.SelectStmt, scope: Scope) -> float:
    if scope.aggregates and not select.group_clause:
        return 1.0
    rows = scope.rows * scope.series_rows
    if scope.series_rows > _FEW and rows > scope.ward.limits.cross_rows:
        raise Refused(
            "too_expensive",
            f"Each of some {scope.rows:,.0f} rows makes {scope.series_rows:,.0f} more: narrow them.",
        )
    return rows


def _is_bare(node: pg.Node) -> bool:
    """Say whether a node is a name without a dot."""
    fields = node.column_ref.fields
    return node.HasField("column_ref") and len(fields) == 1 and fields[0].HasField("string")
