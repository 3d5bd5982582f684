"""Step 3: one SELECT, made of nothing but the node kinds and fields on the list."""

from typing import Final

from google.protobuf.message import Message
from postgast import ParseResult
from postgast.pg_query_pb2 import SETOP_NONE, ColumnRef, SelectStmt

from vmk_mcp.ask.guard.lists import read_file
from vmk_mcp.ask.guard.messages import inner_messages
from vmk_mcp.ask.guard.refusing import Refused

_ALLOWED: Final = {kind: frozenset(fields) for kind, fields in read_file("nodes").items()}
# Where a parser found a thing says nothing about what it is.
_PLACES: Final = frozenset({"list_end", "list_start", "location", "rexpr_list_end", "rexpr_list_start"})
# The grammar writes the * of TABLE x itself, and says so by a place that is none.
_NOWHERE: Final = -1

_WRITING: Final = frozenset({"DeleteStmt", "InsertStmt", "MergeStmt", "UpdateStmt"})
_NAMED: Final = {
    "BitString": "a bit string",
    "CTECycleClause": "CYCLE",
    "CTESearchClause": "SEARCH",
    "ColumnDef": "a list of column definitions",
    "FuncCall.func_variadic": "VARIADIC",
    "JsonTable": "JSON_TABLE",
    "ParamRef": "a parameter such as $1",
    "RangeFunction.coldeflist": "a list of column definitions",
    "RangeFunction.is_rowsfrom": "ROWS FROM",
    "RangeTableFunc": "XMLTABLE",
    "RangeTableSample": "TABLESAMPLE",
    "RangeVar.catalogname": "the name of a database",
    "SetToDefault": "DEFAULT",
    "SortBy.use_op": "an ORDER BY with USING",
    "XmlExpr": "an XML function",
    "XmlSerialize": "an XML function",
}
_CODES: Final = {
    "JsonTable": "function_not_allowed",
    "RangeTableFunc": "function_not_allowed",
    "RangeVar.catalogname": "table_not_allowed",
    "SortBy.use_op": "operator_not_allowed",
    "XmlExpr": "function_not_allowed",
    "XmlSerialize": "function_not_allowed",
}


def check_kinds(tree: ParseResult) -> None:
    """Hold the whole tree to the list of kinds, and make it forget where in the text each thing stood.

    Raises:
        Refused: `not_select`, `select_into`, `row_lock`, `data_modifying_cte`, `function_not_allowed`,
            `operator_not_allowed` or `table_not_allowed`.
    """
    raw = tree.stmts[0]
    raw.ClearField("stmt_location")
    raw.ClearField("stmt_len")
    statement = raw.stmt
    if statement.WhichOneof("node") != "select_stmt":
        raise Refused("not_select", "Only a SELECT is answered: nothing is ever written, set or locked here.")
    _check_roots(statement.select_stmt)
    _check(statement.select_stmt)


def _check_roots(select: SelectStmt) -> None:
    if select.op != SETOP_NONE:
        _check_roots(select.larg)
        _check_roots(select.rarg)
    elif select.values_lists:
        raise Refused(
            "not_select", "A list of VALUES alone is no SELECT: write SELECT ... FROM (VALUES ...) AS v."
        )


def _check(message: Message) -> None:
    kind = message.DESCRIPTOR.name
    if kind == "Node":
        _check_wrapped(message)
        return
    allowed = _ALLOWED.get(kind)
    if allowed is None:
        raise _refuse_kind(kind)
    if isinstance(message, ColumnRef) and message.location == _NOWHERE:
        raise Refused("not_select", "TABLE is short for SELECT * FROM: write that.")
    for field, _ in message.ListFields():
        if field.name in _PLACES:
            message.ClearField(field.name)
        elif field.name not in allowed:
            raise _refuse_field(kind, field.name)
    for inner in inner_messages(message):
        _check(inner)


def _check_wrapped(node: Message) -> None:
    # A list may hold an empty place: a function in FROM is a pair of a call and its column definitions.
    inner = node.WhichOneof("node")
    if inner is not None:
        _check(getattr(node, inner))


def _refuse_kind(kind: str) -> Refused:
    if kind in _WRITING:
        return Refused("data_modifying_cte", "A step of WITH writes: every step must be a SELECT.")
    return _refuse_named(kind, kind)


def _refuse_field(kind: str, field: str) -> Refused:
    if field == "into_clause":
        return Refused("select_into", "The INTO makes a table: leave INTO out.")
    if field == "locking_clause":
        return Refused("row_lock", "FOR UPDATE and FOR SHARE lock rows: leave them out.")
    return _refuse_named(f"{kind}.{field}", kind)


def _refuse_named(key: str, kind: str) -> Refused:
    what = _NAMED.get(key, f"a part of SQL that only reading needs not ({kind})")
    return Refused(
        _CODES.get(key, "not_select"), f"The statement holds {what}, which is not allowed: write it without."
    )
