"""`*` written out, so that what the schema closes is not read and what it opens is."""

from collections.abc import Sequence

from postgast import pg_query_pb2 as pg

from vmk_mcp.ask.guard.scopes import Column, Scope, Source


def expand_stars(select: pg.SelectStmt, scope: Scope) -> None:
    """Write each `*` of a list of values out as the open columns, unless no table lies beneath it.

    Raises:
        Refused: `unknown_table`, for `x.*` where FROM names no x.
    """
    if not any(is_star(node.res_target.val) for node in select.target_list):
        return
    targets: list[pg.Node] = []
    for node in select.target_list:
        star = node.res_target.val
        if is_star(star) and any(source.is_table for source in _sources_of(star, scope)):
            targets.extend(map(_write_column, columns_of_star(star, scope)))
        else:
            targets.append(pg.Node.FromString(node.SerializeToString()))
    del select.target_list[:]
    select.target_list.extend(targets)


def columns_of_star(star: pg.Node, scope: Scope) -> list[Column]:
    """Give the columns that `*` or `x.*` stands for, in order."""
    return [column for source in _sources_of(star, scope) for column in source.columns]


def is_star(node: pg.Node) -> bool:
    """Say whether a node is `*` or `x.*`."""
    fields = node.column_ref.fields
    return bool(node.HasField("column_ref") and fields[-1].HasField("a_star"))


def _sources_of(star: pg.Node, scope: Scope) -> Sequence[Source]:
    names = [field.string.sval for field in star.column_ref.fields if field.HasField("string")]
    if names:
        return [scope.find_source(names)]
    return [item.source for item in scope.items if item.shows_columns]


def _write_column(column: Column) -> pg.Node:
    node = pg.Node()
    fields = node.res_target.val.column_ref.fields
    if column.owner:
        fields.add().string.sval = column.owner
    fields.add().string.sval = column.name
    return node
