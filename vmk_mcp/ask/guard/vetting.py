"""Step 4: names, functions, types, operators and costs of a parsed statement."""

from msgspec import Struct
from postgast import ParseResult

from vmk_mcp.ask.guard.limits import GuardLimits
from vmk_mcp.ask.guard.refusing import Refused, show_name
from vmk_mcp.ask.guard.scopes import Scope, Ward
from vmk_mcp.ask.guard.selects import vet_select
from vmk_mcp.ask.model import OpenSchema


class Vetted(Struct, frozen=True):
    """What step 4 found out.

    Attributes:
        relations: names of the tables that are read, sorted.
        is_bounded: there is a LIMIT, or one row.
    """

    relations: tuple[str, ...]
    is_bounded: bool


def vet_statement(tree: ParseResult, schema: OpenSchema, limits: GuardLimits) -> Vetted:
    """Hold a statement of known nodes to the lists, and write in it what was meant, such as columns for `*`.

    Raises:
        Refused: with the code of the first thing that is not allowed.
    """
    select = tree.stmts[0].stmt.select_stmt
    tables = {table.name: table for table in schema.tables}
    ward = Ward(schema=schema.name, tables=tables, limits=limits, read=set(), vet_select=vet_select)
    result = vet_select(select, Scope(ward, None))
    if not result.columns:
        raise Refused("not_select", "The SELECT names nothing to give back: name columns.")
    if result.scans:
        raise Refused(
            "unbounded_scan",
            f"This reads the whole of {show_name(result.scans[0])}, a large table: add WHERE or LIMIT, or "
            "count and group its rows.",
        )
    return Vetted(tuple(sorted(ward.read)), result.rows <= 1.0 or select.HasField("limit_count"))
