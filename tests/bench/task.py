"""What the peers that others built are given: the same SQL, with one parameter left open in each statement.

All else that the service would bind is written into the text as a literal. Postgres plans it as it plans the
service's (`force_custom_plan`), and the peer has fewer arguments to read and to send: it is not held back.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
from msgspec import Struct

from tests.bench.calls import Ways, arguments_of
from tests.bench.peers.bare import PARAMETERS, TEXTS
from vmk_mcp.database.pool import PoolLimits, reading_session

_PARAMETER: Final = re.compile(r"\$(\d+)\b")


class Task(Struct, frozen=True):
    """What a peer is to serve.

    Attributes:
        statements: tool -> statement, whose `$1` is its one argument.
        arguments: tool -> the argument's name.
        session: start-up parameters of a connection.
    """

    dsn: str
    connections: int
    session: dict[str, str]
    statements: dict[str, str]
    arguments: dict[str, str]


def make_task(dsn: str, ways: Ways, vector: Path) -> Task:
    """Make the task for the SQL files `ways`, with the vector that the file `vector` holds."""
    limits = PoolLimits()
    embedding = msgspec.json.encode(np.load(vector).tolist()).decode()
    arguments = {"by_id": "listing_id", "page": "limit", "by_meaning": "limit"}
    files = {"by_id": "get_listing", "page": ways.page, "by_meaning": ways.meaning}
    statements = {
        tool: _write_statement(name, {**arguments_of(name), "embedding": embedding}, arguments[tool])
        for tool, name in files.items()
    }
    return Task(dsn, limits.size, reading_session(limits), statements, arguments)


def _write_statement(name: str, values: Mapping[str, Any], open_name: str) -> str:
    names = PARAMETERS[name]

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
