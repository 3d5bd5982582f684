"""What Postgres calls a column that has no name of its own (FigureColname of the server)."""

from collections.abc import Callable, Iterable
from typing import Final

from postgast import pg_query_pb2 as pg

NAMELESS: Final = "?column?"

_FIXED: Final = {
    "a_array_expr": "array", "grouping_func": "grouping", "coalesce_expr": "coalesce", "row_expr": "row",
    "json_array_agg": "json_arrayagg", "json_array_constructor": "json_array",
    "json_object_agg": "json_objectagg", "json_object_constructor": "json_object",
}  # fmt: skip
_JSON: Final = {
    pg.JSON_EXISTS_OP: "json_exists", pg.JSON_QUERY_OP: "json_query", pg.JSON_VALUE_OP: "json_value"
}  # fmt: skip


def name_of(node: pg.Node) -> str:
    """Give the name of what an expression yields."""
    return _figure(node)[0] or NAMELESS


def _figure(node: pg.Node) -> tuple[str, bool]:
    """Give a name, empty for none, and whether it is strong enough to stand against a cast."""
    kind = node.WhichOneof("node") or ""
    figure = _FIGURES.get(kind)
    return figure(node) if figure else (_FIXED.get(kind, ""), kind in _FIXED)


def _figure_indirection(node: pg.Node) -> tuple[str, bool]:
    name = _last_name(node.a_indirection.indirection)
    return (name, True) if name else _figure(node.a_indirection.arg)


def _figure_cast(node: pg.Node) -> tuple[str, bool]:
    name, is_strong = _figure(node.type_cast.arg)
    return (name, True) if is_strong else (node.type_cast.type_name.names[-1].string.sval, False)


def _figure_case(node: pg.Node) -> tuple[str, bool]:
    name, is_strong = _figure(node.case_expr.defresult)
    return (name, True) if is_strong else ("case", False)


def _figure_extreme(node: pg.Node) -> tuple[str, bool]:
    return ("greatest" if node.min_max_expr.op == pg.IS_GREATEST else "least"), True


def _figure_clock(node: pg.Node) -> tuple[str, bool]:
    name = pg.SQLValueFunctionOp.Name(node.sqlvalue_function.op)
    return name.removeprefix("SVFOP_").lower().removesuffix("_n"), True


def _figure_operation(node: pg.Node) -> tuple[str, bool]:
    is_nullif = node.a_expr.kind == pg.AEXPR_NULLIF
    return ("nullif" if is_nullif else ""), is_nullif


def _figure_sub_query(node: pg.Node) -> tuple[str, bool]:
    link = node.sub_link
    if link.sub_link_type == pg.EXISTS_SUBLINK:
        return "exists", True
    if link.sub_link_type == pg.ARRAY_SUBLINK:
        return "array", True
    select = link.subselect.select_stmt
    while select.HasField("larg"):
        select = select.larg
    if link.sub_link_type != pg.EXPR_SUBLINK or not select.target_list:
        return "", False
    target = select.target_list[0].res_target
    return (target.name, True) if target.name else _figure(target.val)


def _last_name(fields: Iterable[pg.Node]) -> str:
    names = [field.string.sval for field in fields if field.HasField("string")]
    return names[-1] if names else ""


_FIGURES: Final[dict[str, Callable[[pg.Node], tuple[str, bool]]]] = {
    "a_expr": _figure_operation,
    "a_indirection": _figure_indirection,
    "case_expr": _figure_case,
    "collate_clause": lambda node: _figure(node.collate_clause.arg),
    "column_ref": lambda node: (_last_name(node.column_ref.fields), True),
    "func_call": lambda node: (node.func_call.funcname[-1].string.sval, True),
    "json_func_expr": lambda node: (_JSON.get(node.json_func_expr.op, ""), True),
    "min_max_expr": _figure_extreme,
    "sqlvalue_function": _figure_clock,
    "sub_link": _figure_sub_query,
    "type_cast": _figure_cast,
}
