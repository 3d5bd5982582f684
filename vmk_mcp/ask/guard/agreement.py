"""Step 2, the second opinion: sqlglot must see the same kind of statement and the same relations."""

from collections import Counter
from collections.abc import Iterator
from logging import getLogger
from typing import Final

from google.protobuf.message import Message
from postgast import ParseResult
from postgast import pg_query_pb2 as pg
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, SqlglotError

from vmk_mcp.ask.guard.messages import inner_messages
from vmk_mcp.ask.guard.refusing import Refused

# Made once: looking the dialect up and building its tables costs more than a statement.
_DIALECT: Final = Dialect.get_or_raise("postgres")
# It would write statements that it cannot read into the log, which holds none of what people ask.
getLogger("sqlglot").disabled = True

_ROOTS: Final = (exp.Select, exp.SetOperation, exp.Subquery)

_Relation = tuple[str, str]


def check_agreement(sql: str, tree: ParseResult) -> None:
    """Hold the two parsers against each other; functions are none of sqlglot's business, which renames them.

    Raises:
        Refused: `parser_disagreement`.
    """
    try:
        statements = _DIALECT.parser(error_level=ErrorLevel.IMMEDIATE).parse(_DIALECT.tokenize(sql), sql)
    except (SqlglotError, RecursionError) as error:
        raise _refuse("a second parser cannot read it") from error
    if len(statements) != 1 or statements[0] is None:
        raise _refuse("a second parser sees another number of statements")
    (statement,) = statements
    if not isinstance(statement, _ROOTS):
        raise _refuse("a second parser sees another kind of statement")
    if Counter(_theirs(statement)) != Counter(_ours(tree)):
        raise _refuse("a second parser sees other tables")


def _theirs(statement: exp.Expression) -> Iterator[_Relation]:
    for table in statement.find_all(exp.Table):
        if isinstance(table.this, exp.Identifier):
            yield table.db.lower(), table.name.lower()


def _ours(message: Message) -> Iterator[_Relation]:
    if isinstance(message, pg.RangeVar):
        yield message.schemaname.lower(), message.relname.lower()
    for inner in inner_messages(message):
        yield from _ours(inner)


def _refuse(why: str) -> Refused:
    return Refused(
        "parser_disagreement", f"The statement can be read in two ways ({why}): put it more plainly."
    )
