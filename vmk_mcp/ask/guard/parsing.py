"""Step 2: one statement under PostgreSQL's own grammar; and the text of a tree."""

import re
from typing import Final

from google.protobuf.message import DecodeError
from postgast import ParseResult, PgQueryError, deparse, parse, scan
from postgast.pg_query_pb2 import Token

from vmk_mcp.ask.guard.kinds import check_kinds
from vmk_mcp.ask.guard.limits import GuardLimits
from vmk_mcp.ask.guard.refusing import Refused, show_name

_OPENING: Final = frozenset({Token.ASCII_40, Token.ASCII_91})
_CLOSING: Final = frozenset({Token.ASCII_41, Token.ASCII_93})
_WORD: Final = re.compile(r"\w+|\S+")
_TOO_DEEP: Final = (
    "The statement is nested too deeply to be checked (some 24 sub-queries or 45 operators in one another): "
    "name its steps by WITH, or shorten it."
)


def parse_statement(sql: str, limits: GuardLimits) -> ParseResult:
    """Parse a text that must be one statement.

    Raises:
        Refused: `unparseable` or `multi_statement`.
    """
    if sql.count("(") + sql.count("[") > limits.nesting and _nesting(sql) > limits.nesting:
        raise Refused("too_expensive", _TOO_DEEP)
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
        raise Refused("unparseable", _say_place(sql, error.cursorpos)) from error
    except DecodeError as error:
        raise Refused("too_expensive", _TOO_DEEP) from error


def _say_place(sql: str, cursor: int) -> str:
    """Say where the grammar stopped; `cursor` counts bytes from one, and is 0 where nobody knows."""
    rest = sql.encode("utf-8")[max(cursor - 1, 0) :].decode("utf-8", "replace").lstrip()
    word = _WORD.match(rest)
    if not cursor or word is None:
        return "PostgreSQL cannot read the statement: it ends too early, or a text in it is not closed."
    return (
        f"PostgreSQL cannot read the statement at {show_name(word[0])}: write it in PostgreSQL's own grammar."
    )


def _nesting(sql: str) -> int:
    """Count how deep brackets stand in one another; those in texts and comments are none."""
    deepest = depth = 0
    for token in scan(sql).tokens:
        depth += token.token in _OPENING
        depth -= token.token in _CLOSING
        deepest = max(deepest, depth)
    return deepest
