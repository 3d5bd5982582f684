"""Step 2: one statement under PostgreSQL's own grammar; and the text of a tree."""

from typing import Final

from google.protobuf.message import DecodeError
from postgast import ParseResult, PgQueryError, deparse, parse

from vmk_mcp.ask.guard.kinds import check_kinds
from vmk_mcp.ask.guard.limits import GuardLimits
from vmk_mcp.ask.guard.refusing import Refused

_TOO_DEEP: Final = (
    "The statement is nested too deeply to be checked (some 24 sub-queries or 45 operators in one another): "
    "name its steps by WITH, or shorten it."
)


def parse_statement(sql: str, limits: GuardLimits) -> ParseResult:
    """Parse a text that must be one statement.

    Raises:
        Refused: `unparseable` or `multi_statement`.
    """
    del limits
    tree = _parse(sql)
    if not tree.stmts:
        raise Refused("unparseable", "There is no statement: write one SELECT.")
    if len(tree.stmts) > 1:
        raise Refused("multi_statement", "There is more than one statement: send one SELECT at a time.")
    return tree


def write_statement(tree: ParseResult) -> str:
    """Write the text of a checked tree.

    Raises:
        Refused: `unparseable`, where the text does not parse to the same tree again.
    """
    try:
        sql = deparse(tree)
        again = parse(sql)
    except (PgQueryError, DecodeError, UnicodeDecodeError) as error:
        raise Refused(
            "unparseable", "The statement cannot be written down again: put it more simply."
        ) from error
    check_kinds(again)
    if again != tree:
        raise Refused("unparseable", "The statement reads differently once written down: put it more simply.")
    return sql


def _parse(sql: str) -> ParseResult:
    try:
        return parse(sql)
    except PgQueryError as error:
        raise Refused("unparseable", f"This is not PostgreSQL: {error.message}.") from error
    except DecodeError as error:
        raise Refused("unparseable", _TOO_DEEP) from error
