"""A token for some towns is answered as if no other records were there: not one byte tells of them."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

import asyncpg
import msgspec
import pytest

from tests.integration.servers import Dsn, run_script
from tests.integration.spatial.conftest import OpenDatabase
from tests.integration.spatial.desk import make_service
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.embedded import EmbeddedServer
from vmk_mcp.errors import VmkError
from vmk_mcp.sample.county.making import CLOSED_TOWN, OPEN_TOWNS
from vmk_mcp.spatial.arguments import (
    GridQuestion,
    PlaceSearch,
    PostSearch,
    RiskSearch,
    RouteSearch,
    SquadronQuestion,
    WaterSearch,
)
from vmk_mcp.spatial.scope import Scope
from vmk_mcp.spatial.service import SpatialService
from vmk_mcp.spatial.tables import TABLES

TOWN: Final = OPEN_TOWNS[0]
IN_TOWN: Final = Scope(all_towns=False, towns=frozenset({TOWN}))
NOWHERE: Final = Scope(all_towns=False)

Ask = Callable[[SpatialService, Scope], Awaitable[Any]]


def around(x: float, y: float) -> list[Ask]:
    """Give each tool's questions about a point, some with offsets, radii, geometry and a swapped pair."""
    at: dict[str, Any] = {"longitude": x, "latitude": y, "limit": 20}
    return [
        lambda service, scope: service.get_grid_context(GridQuestion(**at, geometry="geojson"), scope),
        lambda service, scope: service.find_responsible_squadron(SquadronQuestion(**at), scope),
        lambda service, scope: service.find_water_sources(WaterSearch(**at), scope),
        lambda service, scope: service.find_water_sources(WaterSearch(**at, offset=9_999), scope),
        lambda service, scope: service.find_water_sources(WaterSearch(**at, radius_m=3_000), scope),
        lambda service, scope: service.find_command_posts(PostSearch(**at), scope),
        lambda service, scope: service.find_access_routes(RouteSearch(**at, geometry="geojson"), scope),
        lambda service, scope: service.find_risk_areas(RiskSearch(**at, radius_m=50_000), scope),
        lambda service, scope: service.find_risk_areas(
            RiskSearch(longitude=y, latitude=x, radius_m=1_000), scope
        ),
    ]


def by_name(name: str) -> list[Ask]:
    """Give questions about a name: the first page, the last, and narrowed to the closed town."""
    return [
        lambda service, scope: service.search_places(PlaceSearch(name=name, geometry="geojson"), scope),
        lambda service, scope: service.search_places(PlaceSearch(name=name, offset=10_000), scope),
        lambda service, scope: service.search_places(PlaceSearch(name=name, town=CLOSED_TOWN), scope),
    ]


QUESTIONS: Final = [
    *(ask for point in ((118.69, 25.36), (118.9, 25.5), (118.5, 25.6), (0.0, 0.0)) for ask in around(*point)),
    *(ask for name in (CLOSED_TOWN, TOWN, "村", "水库", "山", "检查站", "%") for ask in by_name(name)),
]


async def tell(service: SpatialService, ask: Ask, scope: Scope) -> bytes:
    """Give the answer, or the refusal, as the bytes that a client would be told of."""
    try:
        return msgspec.json.encode(await ask(service, scope))
    except VmkError as error:
        return msgspec.json.encode([error.code, error.message, error.hint, error.field])


async def test_a_towns_token_is_answered_as_if_there_were_no_other_town(
    postgis: EmbeddedServer, county: Dsn, own_county: Dsn, open_database: OpenDatabase
) -> None:
    emptied = ";".join(
        f"DELETE FROM {table.name} WHERE xiangzhen IS DISTINCT FROM '{TOWN}'" for table in TABLES.values()
    )
    await run_script(postgis, "county_own", emptied)
    whole = make_service(await open_database(county(Role.READER)))
    alone = make_service(await open_database(own_county(Role.READER)))
    told = 0
    for ask in QUESTIONS:
        answer = await tell(whole, ask, IN_TOWN)
        assert answer == await tell(alone, ask, IN_TOWN)
        told += TOWN.encode() in answer
    assert told > len(QUESTIONS) / 3
    assert await whole.list_towns(IN_TOWN) == await alone.list_towns(IN_TOWN) == [TOWN]


async def test_a_token_without_towns_sees_nothing(county: Dsn, open_database: OpenDatabase) -> None:
    service = make_service(await open_database(county(Role.READER)))
    for ask in QUESTIONS:
        answer = msgspec.json.decode(await tell(service, ask, NOWHERE))
        if isinstance(answer, dict):
            assert (answer["data"], answer["total_count"], answer["has_more"]) == ([], 0, False)
            assert not any("record" in warning for warning in answer["warnings"])
    assert await service.list_towns(NOWHERE) == []


@pytest.mark.parametrize("name", [CLOSED_TOWN, CLOSED_TOWN[:2]])
async def test_the_closed_town_is_found_by_no_name(
    county: Dsn, open_database: OpenDatabase, name: str
) -> None:
    service = make_service(await open_database(county(Role.READER)))
    local = Scope(all_towns=False, towns=frozenset(OPEN_TOWNS))
    everywhere = await service.search_places(PlaceSearch(name=name), Scope(all_towns=True))
    assert everywhere.data[0].town == CLOSED_TOWN
    found = await service.search_places(PlaceSearch(name=name, limit=20), local)
    assert CLOSED_TOWN not in {row.town for row in found.data}


async def test_people_and_their_numbers_are_in_no_answer(county: Dsn, open_database: OpenDatabase) -> None:
    connection = await asyncpg.connect(county(Role.OWNER), server_settings={"search_path": "public"})
    try:
        people = [
            row[0]
            for row in await connection.fetch(
                "SELECT wanggeyuan FROM st_2_fanghuowangge UNION SELECT lianxidianhua FROM "
                "st_2_fanghuowangge UNION SELECT zerenren FROM st_2_mpslfh_t_slfh_syd "
                "UNION SELECT dianhua FROM st_2_mpslfh_t_slfh_syd "
                "UNION SELECT zhibanrenyuan FROM st_2_fanghuojianchazhan "
                "UNION SELECT dianhua FROM st_2_fanghuojianchazhan"
            )
        ]
    finally:
        await connection.close()
    assert len(people) > 100
    service = make_service(await open_database(county(Role.READER)))
    everywhere = Scope(all_towns=True)
    told = b"".join([await tell(service, ask, everywhere) for ask in QUESTIONS]).decode()
    assert [text for text in people if text in told] == []
    for name in people[::100]:
        assert (await service.search_places(PlaceSearch(name=name), everywhere)).data == [] or len(name) < 4
