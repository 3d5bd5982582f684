"""Step 4: names, functions, types, operators and costs of a parsed statement."""

from collections.abc import Iterator
from typing import Final

from google.protobuf.message import Message
from msgspec import Struct
from postgast import ParseResult
from postgast.walk import walk

from vmk_mcp.ask.guard.limits import GuardLimits
from vmk_mcp.ask.guard.lists import read_file
from vmk_mcp.ask.guard.refusing import Refused, show_name, suggest_name
from vmk_mcp.ask.model import OpenSchema

_FUNCTIONS: Final = {name for group in read_file("functions").values() for name in group}


class Vetted(Struct, frozen=True):
    """What step 4 found out."""

    relations: tuple[str, ...]
    is_bounded: bool


def vet_statement(tree: ParseResult, schema: OpenSchema, limits: GuardLimits) -> Vetted:
    """Hold a statement to the lists."""
    del limits
    found = set()
    messages = list(_messages(tree))
    steps = {m.ctename for m in messages if m.DESCRIPTOR.name == "CommonTableExpr"}
    tables = {table.name for table in schema.tables}
    for m in messages:
        if m.DESCRIPTOR.name == "RangeVar" and not (m.relname in steps and not m.schemaname):
            if m.relname not in tables or m.schemaname not in ("", schema.name):
                raise Refused(
                    "table_not_allowed",
                    f"The table {show_name(m.relname)} is not open to asking.{suggest_name(m.relname, tables)}",
                )
            m.schemaname = schema.name
            found.add(m.relname)
        if m.DESCRIPTOR.name == "FuncCall" and m.funcname[-1].string.sval not in _FUNCTIONS:
            name = m.funcname[-1].string.sval
            raise Refused(
                "function_not_allowed",
                f"The function {show_name(name)} is not allowed.{suggest_name(name, _FUNCTIONS)}",
            )
    return Vetted(tuple(sorted(found)), tree.stmts[0].stmt.select_stmt.HasField("limit_count"))


def _messages(tree: ParseResult) -> Iterator[Message]:
    return (message for _, message in walk(tree))
