"""What `vmk-mcp doctor` says of sources that are asked as one role or another."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.integration.servers import Dsn, MakeDatabase, quiet, run_script
from vmk_mcp.bootstrap.databases import LazySources
from vmk_mcp.bootstrap.examining_asked import examine_asked
from vmk_mcp.bootstrap.findings import Finding
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.scripts import MUNICIPAL
from vmk_mcp.settings import read_settings


def look_at(folder: Path, lines: str, **environ: str) -> Finding:
    """Give what is found of a source file `city.toml` that holds `lines`."""
    file = folder / "city.toml"
    file.write_text(lines, "utf-8")
    settings = read_settings({"DATA_DIR": str(folder), "ASK_SOURCES": str(file), **environ})
    (finding,) = examine_asked(settings, LazySources(settings, quiet))
    return finding


def dsn_line(dsn: str) -> str:
    return f'dsn = "{dsn}"\n'


def test_a_role_that_only_reads_is_fine_and_what_it_reads_is_named(municipal: Dsn, tmp_path: Path) -> None:
    opened = "open = { permits = [], contractors = ['contractor_id', 'name'] }\n"
    found = look_at(tmp_path, dsn_line(municipal(Role.ASK)) + opened)
    assert (found.subject, found.verdict) == ("ask source city (default)", "ok")
    assert found.message.startswith("Asked as vmk_ask, read-only and with no right to write; it may read ")
    assert found.message.endswith(" columns of contractors, permits.")


def test_a_login_that_may_write_is_warned_of_with_what_it_may_write(municipal: Dsn, tmp_path: Path) -> None:
    found = look_at(tmp_path, dsn_line(municipal(Role.OWNER)))
    assert found.verdict == "warning"
    assert found.message.startswith("Asked as vmk_owner; it may read ")
    assert "public.complaints" in found.message
    assert "vmk-mcp roles" in found.advice


@asynccontextmanager
async def role_of(
    cluster: EmbeddedServer, database: str, options: str, rights: str = ""
) -> AsyncIterator[str]:
    """Make a login that may connect to `database`, and give its DSN; it is gone after the block."""
    connect = f"GRANT CONNECT ON DATABASE {database} TO tried;"
    await run_script(
        cluster, database, f"CREATE ROLE tried LOGIN PASSWORD 'tried' {options}; {connect} {rights}"
    )
    try:
        yield f"postgresql://tried:tried@{cluster.dsn(Role.ASK, database).rpartition('@')[2]}"
    finally:
        await run_script(cluster, database, "DROP OWNED BY tried; DROP ROLE tried;")


async def test_a_role_with_powers_of_the_whole_server_is_warned_of(
    cluster: EmbeddedServer, make_database: MakeDatabase, tmp_path: Path
) -> None:
    rights = "GRANT USAGE ON SCHEMA public TO tried; GRANT SELECT ON public.permits TO tried;"
    mighty = "CREATEDB IN ROLE pg_write_server_files"
    async with role_of(cluster, await make_database(MUNICIPAL), mighty, rights) as dsn:
        found = await asyncio.to_thread(look_at, tmp_path, dsn_line(dsn))
    assert found.verdict == "warning"
    assert found.message.endswith("rights that nobody needs to ask: CREATEDB, pg_write_server_files.")


async def test_a_login_that_takes_on_a_role_is_named_beside_it(
    cluster: EmbeddedServer, make_database: MakeDatabase, tmp_path: Path
) -> None:
    async with role_of(cluster, await make_database(MUNICIPAL), "IN ROLE vmk_ask") as dsn:
        found = await asyncio.to_thread(look_at, tmp_path, dsn_line(dsn) + 'role = "vmk_ask"\n')
    assert found.verdict == "ok"
    assert found.message.startswith("Asked as vmk_ask (by the login tried), read-only")


async def test_a_login_that_may_read_nothing_fails_with_what_to_grant(
    cluster: EmbeddedServer, make_database: MakeDatabase, tmp_path: Path
) -> None:
    async with role_of(cluster, await make_database(MUNICIPAL), "") as dsn:
        found = await asyncio.to_thread(look_at, tmp_path, dsn_line(dsn))
    assert (found.verdict, found.message) == (
        "failed",
        "Asked as tried, which may read nothing in the schema public.",
    )
    assert "Grant SELECT" in found.advice


def test_a_superuser_fails_with_what_to_do(municipal: Dsn, tmp_path: Path) -> None:
    found = look_at(tmp_path, dsn_line(municipal(Role.SUPERUSER)))
    assert (found.verdict, "is a superuser" in found.message) == ("failed", True)
    assert "vmk-mcp roles" in found.advice


def test_a_database_that_is_not_there_fails_with_its_place_and_without_the_password(
    municipal: Dsn, tmp_path: Path
) -> None:
    address = municipal(Role.ASK).rpartition("/")[0]
    found = look_at(tmp_path, dsn_line(f"{address}/no_such_database"))
    place = address.rpartition("@")[2]
    assert found.message == f"Postgres at {place}: Postgres has no database of that name."
    assert "The source file city.toml says postgresql://" in found.advice
    assert address.rpartition("@")[0].rpartition(":")[2] not in found.message + found.advice


def test_the_listings_are_asked_by_the_login_of_the_settings(listings_dsn: Dsn, tmp_path: Path) -> None:
    environ = {"ASK_DATABASE_URL": listings_dsn(Role.ASK), "ASK_SOURCES": "listings"}
    found = look_at(tmp_path, "", **environ)
    assert (found.subject, found.verdict) == ("ask source listings (default)", "ok")
    assert "contact_phone" not in found.message
    assert "property_listings" in found.message


@pytest.mark.parametrize(
    ("setting", "source"),
    [("ASK_DATABASE_URL", "listings"), ("DATABASE_URL", "listings"), ("SPATIAL_DATABASE_URL", "spatial")],
)
def test_a_database_that_is_down_fails_with_its_place_and_the_setting_that_names_it(
    tmp_path: Path, setting: str, source: str
) -> None:
    found = look_at(tmp_path, "", ASK_SOURCES=source, **{setting: "postgresql://u:hunter2@127.0.0.1:1/x"})
    assert found.verdict == "failed"
    assert found.message == "Postgres at 127.0.0.1:1: nothing listens at that host and port."
    assert f"{setting} says postgresql://u@127.0.0.1:1/x" in found.advice
    assert "hunter2" not in str(found)
