"""Values: each kind of expression held to the lists, and what is known of its extent."""

import math
from collections.abc import Callable, Iterable
from typing import Final, cast

from google.protobuf.message import Message
from postgast import pg_query_pb2 as pg

from vmk_mcp.ask.guard.casts import cast_extent, check_type
from vmk_mcp.ask.guard.extents import (
    TODAY,
    TRUTH,
    UNKNOWN,
    Extent,
    combine,
    constant_text,
    join_extents,
    number,
    read_day,
    read_span,
    sum_sizes,
)
from vmk_mcp.ask.guard.functions import is_aggregate, vet_call
from vmk_mcp.ask.guard.lists import read_file, read_list
from vmk_mcp.ask.guard.messages import inner_messages
from vmk_mcp.ask.guard.patterns import check_like, check_path, check_pattern
from vmk_mcp.ask.guard.powers import check_constant, check_power
from vmk_mcp.ask.guard.refusing import Refused, show_name
from vmk_mcp.ask.guard.scopes import Scope, refuse_row

_OPERATORS: Final = read_list("operators")
_COLLATIONS: Final = read_list("collations")
_ROW_FIELDS: Final = read_file("row_fields")

_TRUTHS: Final = frozenset(
    {
        "=", "<>", "!=", "<", "<=", ">", ">=", "~~", "~~*", "!~~", "!~~*", "~",
        "~*", "!~", "!~*", "@>", "<@", "&&", "?",
    }
)  # fmt: skip
_PATTERNS: Final = frozenset({"~", "~*", "!~", "!~*"})
_PATHS: Final = frozenset({"@?", "@@"})
_LIKES: Final = frozenset({pg.AEXPR_LIKE, pg.AEXPR_ILIKE})
_CLOCKS: Final = frozenset(
    {
        pg.SVFOP_CURRENT_DATE, pg.SVFOP_CURRENT_TIME, pg.SVFOP_CURRENT_TIME_N, pg.SVFOP_CURRENT_TIMESTAMP,
        pg.SVFOP_CURRENT_TIMESTAMP_N, pg.SVFOP_LOCALTIME, pg.SVFOP_LOCALTIME_N, pg.SVFOP_LOCALTIMESTAMP,
        pg.SVFOP_LOCALTIMESTAMP_N,
    }
)  # fmt: skip


def vet_expression(node: pg.Node, scope: Scope) -> Extent:
    """Hold an expression, and all within it, to the lists.

    Raises:
        Refused: with the code of the first thing that is not allowed.
    """
    kind = node.WhichOneof("node")
    if kind is None:
        return UNKNOWN
    return _VETTERS.get(kind, _vet_parts)(getattr(node, kind), scope)


def vet_all(nodes: Iterable[pg.Node], scope: Scope) -> list[Extent]:
    """Hold several expressions to the lists."""
    return [vet_expression(node, scope) for node in nodes]


def _vet_parts(message: Message, scope: Scope) -> Extent:
    """Walk what has no rule of its own, whatever its fields are called, so that none is passed by."""
    return sum_sizes([_vet_message(inner, scope) for inner in inner_messages(message)])


def _vet_message(message: Message, scope: Scope) -> Extent:
    if isinstance(message, pg.Node):
        return vet_expression(message, scope)
    if isinstance(message, pg.TypeName) and check_type(message, scope.ward.limits) == "jsonpath":
        raise Refused("type_not_allowed", "Only a path that is written out may be a jsonpath.")
    return _vet_parts(message, scope)


def _vet_constant(message: Message, scope: Scope) -> Extent:
    constant = cast(pg.A_Const, message)
    kind = constant.WhichOneof("val")
    if kind == "sval":
        return constant_text(constant.sval.sval)
    if kind == "ival":
        return number(float(constant.ival.ival))
    if kind == "fval":
        return check_constant(constant.fval.fval, scope.ward.limits)
    return TRUTH if kind == "boolval" else UNKNOWN


def _vet_column(message: Message, scope: Scope) -> Extent:
    fields = cast(pg.ColumnRef, message).fields
    names = [field.string.sval for field in fields if field.HasField("string")]
    if len(names) == len(fields):
        return scope.resolve(names)
    if not names:
        raise Refused("unknown_column", "The * cannot stand within an expression: name the columns.")
    source = scope.find_source(names)
    if source.is_table:
        raise refuse_row(source.name)
    return Extent(size=sum(column.extent.size for column in source.columns))


def _vet_operation(message: Message, scope: Scope) -> Extent:
    expression = cast(pg.A_Expr, message)
    operator = check_operator(expression.name)
    left = vet_expression(expression.lexpr, scope)
    right = vet_expression(expression.rexpr, scope)
    if expression.kind in _LIKES:
        check_like(right)
    if expression.kind == pg.AEXPR_SIMILAR or operator in _PATTERNS:
        check_pattern(right)
    if operator in _PATHS:
        _check_path_of(expression, right)
    if expression.kind == pg.AEXPR_NULLIF:
        return left
    if expression.kind != pg.AEXPR_OP or operator in _TRUTHS:
        return TRUTH
    return check_size(_reckon(operator, left if expression.HasField("lexpr") else None, right, scope), scope)


def _check_path_of(expression: pg.A_Expr, right: Extent) -> None:
    """Hold a bare text to the rules of a path; what is cast to one is held to them there."""
    is_of_many = expression.kind != pg.AEXPR_OP
    if is_of_many or right.text is not None:
        check_path(UNKNOWN if is_of_many else right)


def _reckon(operator: str, left: Extent | None, right: Extent, scope: Scope) -> Extent:
    if left is None:
        return _negate(operator, right)
    if operator == "^":
        return check_power(left, right, scope.ward.limits)
    return combine(operator, _read_beside(left, right), _read_beside(right, left))


def _negate(operator: str, extent: Extent) -> Extent:
    if operator == "-":
        return Extent(low=-extent.high, high=-extent.low, is_double=extent.is_double)
    return extent if operator in {"+", "@"} else sum_sizes([extent])


def _read_beside(extent: Extent, beside: Extent) -> Extent:
    """Read a bare text beside a number or a date as Postgres does: as a date, else as an interval."""
    if extent.text is None or not beside.is_known:
        return extent
    day = read_day(extent.text)
    return day if day.is_known else read_span(extent.text)


def check_operator(name: Iterable[pg.Node]) -> str:
    """Hold an operator to the list; gives it.

    Raises:
        Refused: `operator_not_allowed`.
    """
    parts = [part.string.sval for part in name]
    if len(parts) != 1 or parts[0] not in _OPERATORS:
        raise Refused("operator_not_allowed", f"The operator {show_name('.'.join(parts))} is not allowed.")
    return str(parts[0])


def _vet_cast(message: Message, scope: Scope) -> Extent:
    conversion = cast(pg.TypeCast, message)
    check_type(conversion.type_name, scope.ward.limits)
    return cast_extent(vet_expression(conversion.arg, scope), conversion.type_name, scope.ward.limits)


def _vet_collation(message: Message, scope: Scope) -> Extent:
    clause = cast(pg.CollateClause, message)
    names = [part.string.sval for part in clause.collname]
    if names[-1] not in _COLLATIONS or (len(names) > 1 and names[:-1] != ["pg_catalog"]):
        raise Refused("operator_not_allowed", f"The collation {show_name('.'.join(names))} is not allowed.")
    return vet_expression(clause.arg, scope)


def _vet_sub_query(message: Message, scope: Scope) -> Extent:
    link = cast(pg.SubLink, message)
    if link.oper_name:
        check_operator(link.oper_name)
    vet_expression(link.testexpr, scope)
    result = scope.ward.vet_select(link.subselect.select_stmt, scope)
    if link.oper_name and link.oper_name[0].string.sval in _PATTERNS:
        check_pattern(UNKNOWN)
    first = result.columns[0].extent if result.columns else UNKNOWN
    if link.sub_link_type == pg.EXPR_SUBLINK:
        return first
    if link.sub_link_type == pg.ARRAY_SUBLINK:
        return check_size(Extent(size=first.size * max(result.rows, 1.0)), scope)
    return TRUTH


def _vet_clock(message: Message, scope: Scope) -> Extent:
    del scope
    operation = cast(pg.SQLValueFunction, message).op
    if operation in _CLOCKS:
        return TODAY
    name = pg.SQLValueFunctionOp.Name(operation).removeprefix("SVFOP_").lower()
    raise Refused("function_not_allowed", f"The word {show_name(name)} tells who asks, and is not allowed.")


def _vet_case(message: Message, scope: Scope) -> Extent:
    case = cast(pg.CaseExpr, message)
    vet_expression(case.arg, scope)
    results = []
    for node in case.args:
        vet_expression(node.case_when.expr, scope)
        results.append(vet_expression(node.case_when.result, scope))
    if case.HasField("defresult"):
        results.append(vet_expression(case.defresult, scope))
    return join_extents(results)


def _vet_choice(message: Message, scope: Scope) -> Extent:
    return join_extents(vet_all(cast(pg.CoalesceExpr, message).args, scope))


def _vet_extreme(message: Message, scope: Scope) -> Extent:
    choice = cast(pg.MinMaxExpr, message)
    extents = vet_all(choice.args, scope)
    pick = min if choice.op == pg.IS_LEAST else max
    return Extent(
        low=pick(extent.low for extent in extents),
        high=pick(extent.high for extent in extents),
        size=max(extent.size for extent in extents),
    )


def _vet_indirection(message: Message, scope: Scope) -> Extent:
    """Let elements of an array be taken, and fields of the few functions whose fields are known."""
    indirection = cast(pg.A_Indirection, message)
    call = indirection.arg.func_call if indirection.arg.HasField("func_call") else None
    known = _ROW_FIELDS.get(call.funcname[-1].string.sval, []) if call else []
    for step in indirection.indirection:
        kind = step.WhichOneof("node")
        if kind == "a_indices":
            vet_all([step.a_indices.lidx, step.a_indices.uidx], scope)
        elif kind != "string" or step.string.sval not in known:
            field = step.string.sval if kind == "string" else "*"
            raise Refused("unknown_column", f"There is no field {show_name(field)} to take from a value.")
    return Extent(size=vet_expression(indirection.arg, scope).size)


def _vet_truth(message: Message, scope: Scope) -> Extent:
    _vet_parts(message, scope)
    return TRUTH


def check_size(extent: Extent, scope: Scope) -> Extent:
    """Hold a value to the size that one may have.

    Raises:
        Refused: `too_expensive`.
    """
    if extent.size > scope.ward.limits.value_bytes or math.isnan(extent.size):
        raise Refused(
            "too_expensive",
            "One value of this statement could grow past what memory allows: take shorter pieces.",
        )
    return extent


def _vet_call(message: Message, scope: Scope) -> Extent:
    call = cast(pg.FuncCall, message)
    if len(call.args) == 1 and call.funcname[-1].string.sval == "count":
        _count_by_key(call, scope)
    scope.aggregates = scope.aggregates or is_aggregate(call)
    scope.has_windows = scope.has_windows or call.HasField("over")
    return check_size(vet_call(call, scope, vet_expression), scope)


def _count_by_key(call: pg.FuncCall, scope: Scope) -> None:
    """Count the rows of a table by its key where `count(t.*)` asks for whole rows: the number is the same."""
    fields = [field.string.sval for field in call.args[0].column_ref.fields if field.HasField("string")]
    is_star = len(fields) < len(call.args[0].column_ref.fields)
    if not fields or (not is_star and (len(fields) > 1 or scope.find_bare(fields[0]) is not None)):
        return
    source = scope.find_source(fields) if is_star or scope.has_source(fields[0]) else None
    if source is not None and source.is_table and source.key:
        del call.args[0].column_ref.fields[:]
        for name in (source.name, source.key[0]):
            call.args[0].column_ref.fields.add().string.sval = name


def _vet_json_function(message: Message, scope: Scope) -> Extent:
    check_path(vet_expression(cast(pg.JsonFuncExpr, message).pathspec, scope))
    return _vet_parts(message, scope)


def _vet_json_aggregate(message: Message, scope: Scope) -> Extent:
    scope.aggregates = True
    return check_size(Extent(size=_vet_parts(message, scope).size * max(scope.rows, 1.0)), scope)


_VETTERS: Final[dict[str, Callable[[Message, Scope], Extent]]] = {
    "a_const": _vet_constant,
    "a_expr": _vet_operation,
    "a_indirection": _vet_indirection,
    "bool_expr": _vet_truth,
    "boolean_test": _vet_truth,
    "case_expr": _vet_case,
    "coalesce_expr": _vet_choice,
    "collate_clause": _vet_collation,
    "column_ref": _vet_column,
    "func_call": _vet_call,
    "json_array_agg": _vet_json_aggregate,
    "json_func_expr": _vet_json_function,
    "json_object_agg": _vet_json_aggregate,
    "min_max_expr": _vet_extreme,
    "null_test": _vet_truth,
    "sqlvalue_function": _vet_clock,
    "sub_link": _vet_sub_query,
    "type_cast": _vet_cast,
}
