"""The shipped sources over their databases: people's columns are closed by the file, and again by grants."""

import pytest

from tests.integration.ask.asked import CALLER, open_city
from tests.integration.servers import Dsn
from vmk_mcp.ask.sources.files import SourceFile, read_source
from vmk_mcp.database.asking import StatementFailed
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.database.scripts import SPATIAL
from vmk_mcp.database.selecting import SelectionLimits

PEOPLE = {
    "contact_phone",
    "contact_name",
    "wanggeyuan",
    "lianxidianhua",
    "zerenren",
    "dianhua",
    "zhibanrenyuan",
}
INTERNAL = {"raw_data_id", "embedding", "search_vector"}


async def open_columns(dsn: str, file: SourceFile) -> dict[str, set[str]]:
    async with open_city(dsn, file=file) as opened:
        tables = (await opened.service.list_schema(None, CALLER)).tables
    return {table.name: {column.name for column in table.columns} for table in tables}


async def test_listings_are_open_without_contacts_and_internal_columns(listings_dsn: Dsn) -> None:
    _, file = read_source("listings")
    columns = await open_columns(listings_dsn(Role.ASK), file)
    assert set(columns) == {"property_listings", "property_types"}
    assert columns["property_listings"] == set(file.open["property_listings"])


async def test_a_file_that_opens_all_of_the_listings_opens_no_more_than_the_grants(listings_dsn: Dsn) -> None:
    columns = await open_columns(listings_dsn(Role.ASK), SourceFile())
    assert not (PEOPLE | INTERNAL) & set().union(*columns.values())


@pytest.mark.parametrize("column", ["contact_phone", "contact_name", "raw_data_id", "embedding"])
async def test_neither_guard_nor_postgres_lets_a_closed_column_out(listings_dsn: Dsn, column: str) -> None:
    _, file = read_source("listings")
    async with open_city(listings_dsn(Role.ASK), file=file) as opened:
        answer = await opened.service.run_sql(f"SELECT {column} FROM property_listings LIMIT 1", None, CALLER)
        assert (answer.rejected, answer.reason_code) == (True, "unknown_column")
        sql = f"SELECT {column} FROM public.property_listings LIMIT 1"
        with pytest.raises(StatementFailed) as caught:
            await opened.database.select(sql, SelectionLimits(), within_s=5.0)
        assert caught.value.sqlstate == "42501"


async def test_the_county_is_open_without_people_and_shapes(postgis: EmbeddedServer) -> None:
    _, file = read_source("spatial")
    columns = await open_columns(postgis.dsn(Role.ASK, SPATIAL.database), file)
    assert columns == {name: set(opened) for name, opened in file.open.items()}
    granted = await open_columns(postgis.dsn(Role.ASK, SPATIAL.database), SourceFile())
    assert not PEOPLE & set().union(*granted.values())


async def test_the_county_can_be_asked(postgis: EmbeddedServer) -> None:
    _, file = read_source("spatial")
    async with open_city(postgis.dsn(Role.ASK, SPATIAL.database), file=file) as opened:
        answer = await opened.service.run_sql(
            "SELECT xiangzhen, count(*) AS n FROM st_2_fanghuowangge GROUP BY xiangzhen ORDER BY n DESC",
            None,
            CALLER,
        )
        assert answer.reason_code is None
