"""What the peers that others built are given: the same SQL, with one parameter left open in each statement.

All else that the service would bind is written into the text as a literal. Postgres plans it as it plans the
service's (`force_custom_plan`), and the peer has fewer arguments to read and to send: it is not held back.
None of them embeds: a query's vector is the one argument of the search by meaning, as text, with each call.
"""

import re
from typing import Final

from msgspec import Struct

from tests.bench.calls import Ways, arguments_of
from tests.bench.peers.bare import PARAMETERS, TEXTS
from vmk_mcp.database.pool import PoolLimits, reading_session

_PARAMETER: Final = re.compile(r"\$(\d+)\b")


class Argument(Struct, frozen=True):
    """The one argument of a tool; its type as JSON Schema has it."""

    name: str
    type: str


_ARGUMENTS: Final = {
    "by_id": Argument("listing_id", "integer"),
    "page": Argument("limit", "integer"),
    "by_meaning": Argument("embedding", "string"),
}


class Task(Struct, frozen=True):
    """What a peer is to serve.

    Attributes:
        statements: tool -> statement, whose `$1` is its one argument.
        arguments: by tool.
        session: start-up parameters of a connection.
    """

    dsn: str
    connections: int
    session: dict[str, str]
    statements: dict[str, str]
    arguments: dict[str, Argument]


def make_task(dsn: str, ways: Ways) -> Task:
    """Make the task for the SQL files `ways`."""
    limits = PoolLimits()
    files = {"by_id": "get_listing", "page": ways.page, "by_meaning": ways.meaning}
    statements = {tool: _write_statement(name, _ARGUMENTS[tool].name) for tool, name in files.items()}
    return Task(dsn, limits.size, reading_session(limits), statements, _ARGUMENTS)


def _write_statement(name: str, open_name: str) -> str:
    names, values = PARAMETERS[name], arguments_of(name)

    def replace(match: re.Match[str]) -> str:
        parameter = names[int(match[1]) - 1]
        return "$1" if parameter == open_name else _literal(values.get(parameter))

    return _PARAMETER.sub(replace, TEXTS[name])


def _literal(value: object) -> str:
    """Write `value` for a place that casts it."""
    if value is None:
        return "NULL"
    if isinstance(value, list):
        return "'{" + ",".join(str(item) for item in value) + "}'"
    return str(value) if isinstance(value, bool | int | float) else f"'{value}'"
