"""Every SQL file of the package is prepared by the server, whose types must be those of the file's header."""

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

import vmk_mcp
from tests.integration.servers import Dsn
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.query import PageQuery, Query
from vmk_mcp.database.scripts import SPATIAL, STATE, Blueprint
from vmk_mcp.sample.county import loading as county_loading

Loaded = Query[Any] | PageQuery[Any, Any]


def loaded_queries() -> dict[str, Loaded]:
    """Give each query that a module of the package holds, by name."""
    names = [module.name for module in pkgutil.walk_packages(vmk_mcp.__path__, "vmk_mcp.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    return {found.name: found for module in modules for found in _queries(vars(module).values())}


def _queries(values: Any) -> Iterator[Loaded]:
    for value in values:
        if isinstance(value, Query | PageQuery):
            yield value
        elif isinstance(value, dict):
            yield from _queries(value.values())
        elif isinstance(value, list | tuple):
            yield from _queries(value)


QUERIES = loaded_queries()

ABOUT_THE_CITY = {"sample/count_municipal_permits"}
"""Prepared in the database of the municipal sample; all others in that of listings."""

OF_OUR_OWN = ("knowledge/", "ask/write_query", "ask/report_rejections")
"""How the names of those begin that are prepared in the state database."""

ABOUT_THE_COUNTY = {query.name for query in _queries(vars(county_loading).values())}
"""Prepared in the database of the made-up county."""

# `format_type` and the header's short words for the same types.
_SHORT = {
    "boolean": "bool", "double precision": "float8", "integer": "int4", "bigint": "int8", "smallint": "int2",
    "real": "float4", "timestamp with time zone": "timestamptz", "character varying": "varchar",
}  # fmt: skip


async def described(connection: "asyncpg.Connection[Any]", query: Loaded) -> tuple[list[str], list[Any]]:
    """Give the server's types of the parameters, and names and types of the columns."""
    statement = await connection.prepare(query.sql)
    oids = [kind.oid for kind in statement.get_parameters()]
    oids += [column.type.oid for column in statement.get_attributes()]
    types = await connection.fetch(
        "SELECT n, format_type(o, NULL) AS t FROM unnest($1::oid[]) WITH ORDINALITY AS u (o, n) ORDER BY n",
        oids,
    )
    short = [_short(row["t"]) for row in types]
    count = len(statement.get_parameters())
    names = [column.name for column in statement.get_attributes()]
    return short[:count], list(zip(names, short[count:], strict=True))


def _short(name: str) -> str:
    base = name.removesuffix("[]")
    return _SHORT.get(base, base) + name[len(base) :]


def test_all_files_of_the_package_are_loaded() -> None:
    folder = {f"{path.parent.parent.name}/{path.stem}" for path in _sql_files()}
    assert folder == set(QUERIES)


def _sql_files() -> list[Path]:
    return sorted(Path(vmk_mcp.__path__[0]).glob("*/sql/*.sql"))


@pytest.mark.parametrize("name", sorted(QUERIES))
async def test_the_header_says_the_servers_own_types(
    cluster: EmbeddedServer,
    listings_template: Blueprint,
    municipal: Dsn,
    request: pytest.FixtureRequest,
    name: str,
) -> None:
    query = QUERIES[name]
    # Preparing changes nothing, so the template itself serves.
    dsn = cluster.dsn(Role.OWNER, listings_template.database)
    if name in ABOUT_THE_CITY:
        dsn = municipal(Role.OWNER)
    elif name.startswith("spatial/") or name in ABOUT_THE_COUNTY:
        # Asked for only here, so that without PostGIS the other files are still prepared.
        dsn = request.getfixturevalue("postgis").dsn(Role.OWNER, SPATIAL.database)
    elif name.startswith(OF_OUR_OWN):
        dsn = cluster.dsn(Role.WRITER, STATE.database)
    connection = await asyncpg.connect(dsn)
    try:
        parameters, columns = await described(connection, query)
    finally:
        await connection.close()
    assert parameters == [parameter.type for parameter in query.parameters]
    assert columns == [(column.name, column.type) for column in query.columns]
