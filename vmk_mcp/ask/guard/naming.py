"""What Postgres calls a column that has no name of its own (FigureColname of the server)."""

from collections.abc import Iterable
from typing import Final

from postgast import pg_query_pb2 as pg

NAMELESS: Final = "?column?"

_FIXED: Final = {
    "a_array_expr": "array", "grouping_func": "grouping", "coalesce_expr": "coalesce", "row_expr": "row",
    "json_array_agg": "json_arrayagg", "json_array_constructor": "json_array", "json_object_agg": "json_objectagg",
    "json_object_constructor": "json_object",
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
    if kind in _FIXED:
        return _FIXED[kind], True
    if kind == "column_ref":
        return _last_name(node.column_ref.fields), True
    if kind == "func_call":
        return node.func_call.funcname[-1].string.sval, True
    if kind == "a_indirection":
        name = _last_name(node.a_indirection.indirection)
        return (name, True) if name else _figure(node.a_indirection.arg)
    if kind == "collate_clause":
        return _figure(node.collate_clause.arg)
    return _figure_other(kind, node)


def _figure_other(kind: str, node: pg.Node) -> tuple[str, bool]:
    if kind == "type_cast":
        name, is_strong = _figure(node.type_cast.arg)
        return (name, True) if is_strong else (node.type_cast.type_name.names[-1].string.sval, False)
    if kind == "case_expr":
        name, is_strong = _figure(node.case_expr.defresult)
        return (name, True) if is_strong else ("case", False)
    if kind == "min_max_expr":
        return ("greatest" if node.min_max_expr.op == pg.IS_GREATEST else "least"), True
    if kind == "sub_link":
        return _figure_sub_query(node.sub_link)
    if kind == "sqlvalue_function":
        return pg.SQLValueFunctionOp.Name(node.sqlvalue_function.op).removeprefix(
            "SVFOP_"
        ).lower().removesuffix("_n"), True
    if kind == "a_expr" and node.a_expr.kind == pg.AEXPR_NULLIF:
        return "nullif", True
    if kind == "json_func_expr":
        return _JSON.get(node.json_func_expr.op, ""), True
    return "", False


def _figure_sub_query(link: pg.SubLink) -> tuple[str, bool]:
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
