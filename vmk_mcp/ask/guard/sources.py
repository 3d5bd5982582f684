"""FROM: tables, steps, sub-queries, functions and joins, as items with names and columns."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, structs
from postgast import pg_query_pb2 as pg

from vmk_mcp.ask.guard.casts import column_extent
from vmk_mcp.ask.guard.expressions import vet_expression
from vmk_mcp.ask.guard.extents import Extent, join_extents
from vmk_mcp.ask.guard.functions import find_function
from vmk_mcp.ask.guard.joins import Joining, is_equality, split_conditions
from vmk_mcp.ask.guard.lists import read_file
from vmk_mcp.ask.guard.naming import name_of
from vmk_mcp.ask.guard.refusing import Refused, show_name, suggest_name
from vmk_mcp.ask.guard.scopes import Column, Item, Scope, Source

_ROW_FIELDS: Final = read_file("row_fields")
_UNKNOWN_ROWS: Final = 1_000.0


class Element(Struct, frozen=True):
    """One entry of FROM.

    Attributes:
        items: what it shows, in order.
        scans: names of the large tables that it shows whole.
    """

    items: tuple[Item, ...]
    scans: tuple[str, ...] = ()


class FromClause:
    """Reads the FROM of one SELECT, from left to right."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._joining = Joining(scope.ward.limits)

    def read(self, nodes: Sequence[pg.Node]) -> tuple[str, ...]:
        """Put the items of all entries into the scope; gives the large tables that they show whole.

        Raises:
            Refused: with the code of the first thing that is not allowed.
        """
        scans: list[str] = []
        for node in nodes:
            element = self._read_entry(node, self._scope.items)
            self._scope.items.extend(element.items)
            scans.extend(element.scans)
        return tuple(scans)

    def filter(self, condition: pg.Node) -> bool:
        """Hold WHERE to the lists; says whether it looks at any column."""
        reached: set[str] = set()
        for part in split_conditions(condition):
            self._hold(part, self._scope.items, reached)
        return bool(reached)

    def _hold(self, condition: pg.Node, items: Sequence[Item], reached: set[str]) -> bool:
        """Hold one condition to the lists; says whether it connects relations, and adds those it looks at."""
        if condition.HasField("bool_expr") and condition.bool_expr.boolop == pg.OR_EXPR:
            # One branch that looks at one relation alone lets all rows of the others through.
            branches = [set[str]() for _ in condition.bool_expr.args]
            for branch, seen in zip(condition.bool_expr.args, branches, strict=True):
                for part in split_conditions(branch):
                    vet_expression(part, scope := self._scope.within(items))
                    seen.update(scope.reached)
            reached.update(*branches)
            common = set.intersection(*branches)
            return self._joining.connect(common, by_equality=False)
        scope = self._scope.within(items)
        vet_expression(condition, scope)
        reached.update(scope.reached)
        return self._joining.connect(scope.reached, by_equality=is_equality(condition))

    def estimate(self) -> float:
        """See `Joining.estimate`."""
        return self._joining.estimate()

    def _read_entry(self, node: pg.Node, left: Sequence[Item]) -> Element:
        kind = node.WhichOneof("node")
        if kind == "range_var":
            return self._add(self._read_relation(node.range_var))
        if kind == "range_subselect":
            return self._read_sub_query(node.range_subselect, left)
        if kind == "range_function":
            return self._read_function(node.range_function, left)
        if kind == "join_expr":
            return self._read_join(node.join_expr, left)
        raise Refused("not_select", "The FROM may hold tables, sub-queries, functions and joins of them.")

    def _add(self, source: Source, reached: set[str] | None = None) -> Element:
        label = self._joining.add_leaf(source.name, source.rows)
        if reached:
            self._joining.connect({*reached, label}, by_equality=False)
        return Element((Item(source),), source.scans)

    def _read_relation(self, relation: pg.RangeVar) -> Source:
        name = relation.relname
        step = None if relation.schemaname else self._scope.find_step(name)
        if step is None:
            return _read_table(relation, self._scope)
        return _rename(step, relation.alias, name)

    def _read_sub_query(self, entry: pg.RangeSubselect, left: Sequence[Item]) -> Element:
        outer = self._scope.within(left if entry.lateral else ())
        source = _rename(self._scope.ward.vet_select(entry.subquery.select_stmt, outer), entry.alias, "")
        return self._add(source, outer.reached)

    def _read_function(self, entry: pg.RangeFunction, left: Sequence[Item]) -> Element:
        scope = self._scope.within(left)
        node = entry.functions[0].list.items[0]
        extent = vet_expression(node, scope)
        name = name_of(node)
        fields = (
            list(_ROW_FIELDS.get(find_function(node.func_call)[0], ())) if node.HasField("func_call") else []
        )
        alias = entry.alias.aliasname or name
        count = len(node.func_call.args) if name == "unnest" else 1
        names = fields or [alias if count == 1 else name] * count
        if entry.ordinality:
            names = [*names, "ordinality"]
        columns = tuple(
            Column(column, Extent(extent.low, extent.high, extent.size), alias) for column in names
        )
        source = Source(name=alias, columns=columns, rows=scope.series_rows)
        return self._add(_rename(source, entry.alias, alias), scope.reached)

    def _read_join(self, join: pg.JoinExpr, left: Sequence[Item]) -> Element:
        if join.HasField("alias"):
            return self._read_named_join(join, left)
        one = self._read_entry(join.larg, left)
        other = self._read_entry(join.rarg, [*left, *one.items])
        restricts = self._read_condition(join, one, other)
        merged = _merge_columns(join, one, other)
        scans = _shown_whole(join.jointype, one, other, restricts=restricts)
        return Element((*map(_hide_columns, (*one.items, *other.items)), merged), scans)

    def _read_named_join(self, join: pg.JoinExpr, left: Sequence[Item]) -> Element:
        """Take a join with a name of its own for one relation; its sides cannot be named from outside."""
        if join.alias.colnames:
            raise _refuse_renaming(join.alias.aliasname)
        alias = join.alias.aliasname
        bare = pg.JoinExpr()
        bare.CopyFrom(join)
        inner = FromClause(self._scope.within(left))
        bare.ClearField("alias")
        element = inner._read_join(bare, left)
        join.CopyFrom(bare)
        join.alias.aliasname = alias
        source = element.items[-1].source
        columns = tuple(Column(column.name, column.extent, alias) for column in source.columns)
        return self._add(
            Source(
                name=alias,
                columns=columns,
                rows=inner.estimate(),
                is_table=source.is_table,
                scans=element.scans,
            )
        )

    def _read_condition(self, join: pg.JoinExpr, one: Element, other: Element) -> bool:
        """Hold the condition of a join to the lists; says whether it connects the sides."""
        if join.is_natural:
            _write_common_columns(join, one, other)
        names = [node.string.sval for node in join.using_clause]
        for name in names:
            sides = [_find_shown(element, name) for element in (one, other)]
            self._joining.connect(sides[0].relations | sides[1].relations, by_equality=True)
        connects = bool(names)
        for part in split_conditions(join.quals):
            connects = self._hold(part, [*one.items, *other.items], set()) or connects
        return connects


def _read_table(relation: pg.RangeVar, scope: Scope) -> Source:
    ward, name = scope.ward, relation.relname
    if relation.schemaname not in {"", ward.schema}:
        shown = show_name(f"{relation.schemaname}.{name}")
        raise Refused(
            "table_not_allowed", f"The table {shown} lies in another schema, and is not open to asking."
        )
    table = ward.tables.get(name)
    if table is None:
        code = "table_not_allowed" if name.startswith("pg_") else "unknown_table"
        near = suggest_name(name, ward.tables)
        raise Refused(code, f"There is no table {show_name(name)} that is open to asking.{near}")
    if relation.alias.colnames:
        raise _refuse_renaming(relation.alias.aliasname)
    # Whatever lies nearer on the search path, a temporary table too, is not what was checked.
    relation.schemaname = ward.schema
    ward.read.add(name)
    alias = relation.alias.aliasname or name
    rows = float(table.row_estimate)
    # Without statistics nobody knows; joins of such tables are held as if each were of some size.
    joined_rows = rows or _UNKNOWN_ROWS
    return Source(
        name=alias,
        columns=tuple(Column(column.name, column_extent(column.type), alias) for column in table.columns),
        rows=joined_rows,
        is_table=True,
        schema="" if relation.alias.aliasname else ward.schema,
        key=table.primary_key,
        scans=(name,) if rows > ward.limits.large_table_rows else (),
    )


def _rename(source: Source, alias: pg.Alias, name: str) -> Source:
    """Give a source the name and the column names that an alias says."""
    called = alias.aliasname or name
    renamed = [node.string.sval for node in alias.colnames]
    names = [*renamed, *(column.name for column in source.columns[len(renamed) :])]
    columns = zip(names, source.columns, strict=False)
    return structs.replace(
        source, name=called, columns=tuple(Column(new, column.extent, called) for new, column in columns)
    )


def _refuse_renaming(name: str) -> Refused:
    # The names of an alias go by place, and a table's places count its closed columns too.
    return Refused(
        "unknown_column",
        f"The columns of {show_name(name)} cannot be renamed in FROM: rename them by AS after SELECT.",
    )


def _hide_columns(item: Item) -> Item:
    return structs.replace(item, shows_columns=False)


def _shown(element: Element) -> list[Column]:
    return [column for item in element.items if item.shows_columns for column in item.source.columns]


def _find_shown(element: Element, name: str) -> Column:
    column = next((column for column in _shown(element) if column.name == name), None)
    if column is None:
        near = suggest_name(name, {column.name for column in _shown(element)})
        raise Refused("unknown_column", f"USING names {show_name(name)}, which one side has not.{near}")
    return column


def _write_common_columns(join: pg.JoinExpr, one: Element, other: Element) -> None:
    """Write NATURAL out as USING the open columns alone: the server would compare closed ones too."""
    others = {column.name for column in _shown(other)}
    join.is_natural = False
    for column in _shown(one):
        if column.name in others:
            join.using_clause.add().string.sval = column.name


def _merge_columns(join: pg.JoinExpr, one: Element, other: Element) -> Item:
    """Give the columns that a join shows: those of USING first, each once."""
    names = [node.string.sval for node in join.using_clause]
    merged = []
    for name in names:
        sides = [_find_shown(element, name) for element in (one, other)]
        extent = join_extents(side.extent for side in sides)
        merged.append(Column(name, extent, sides=sides[0].relations | sides[1].relations))
    rest = [column for element in (one, other) for column in _shown(element) if column.name not in names]
    is_table = any(item.source.is_table for element in (one, other) for item in element.items)
    source = Source(name="", columns=(*merged, *rest), is_table=is_table)
    return Item(source, shows_name=False)


def _shown_whole(kind: int, one: Element, other: Element, *, restricts: bool) -> tuple[str, ...]:
    """Say which large tables a join still shows whole."""
    if not restricts or kind == pg.JOIN_FULL:
        return (*one.scans, *other.scans)
    return {pg.JOIN_LEFT: one.scans, pg.JOIN_RIGHT: other.scans}.get(kind, ())
