"""The search path of a connection: where the tables lie, and behind it the schemas of extensions.

Hosted servers keep extensions in a schema of their own (`extensions`), where the path of the tables alone
finds neither the type `vector` nor an operator of it. Names of our own tables are still found first.
"""

from typing import Any, Final

import asyncpg
from msgspec import Struct

from vmk_mcp.database.query import load_query


class SearchPath(Struct, frozen=True):
    """A search path as Postgres writes it."""

    path: str


_FIND_SEARCH_PATH: Final = load_query("database/find_search_path", row=SearchPath)
_SET_SEARCH_PATH: Final = load_query("database/set_search_path", row=SearchPath)


async def find_search_path(connection: "asyncpg.Connection[Any]", wanted: str) -> str:
    """Give `wanted`, and behind it the schemas of extensions that lie elsewhere and may be used."""
    path = await connection.fetchval(_FIND_SEARCH_PATH.sql, *_FIND_SEARCH_PATH.bind(SearchPath(wanted)))
    return str(path)


async def extend_search_path(connection: "asyncpg.Connection[Any]", wanted: str) -> None:
    """Let `connection`, whose search path is `wanted`, find the extensions too."""
    path = await find_search_path(connection, wanted)
    if path != wanted:
        await connection.fetchval(_SET_SEARCH_PATH.sql, *_SET_SEARCH_PATH.bind(SearchPath(path)))
