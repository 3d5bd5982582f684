"""Among 100,000 points the package's own statements find neighbours by the geography indexes."""

import json
from collections.abc import Iterator
from typing import Any, Final

import asyncpg
import pytest
from msgspec import Struct

from tests.integration.servers import Dsn
from tests.integration.spatial.conftest import MANY
from vmk_mcp.database.credentials import Role
from vmk_mcp.database.query import load_page_query
from vmk_mcp.sample.county.making import OPEN_TOWNS
from vmk_mcp.spatial.model import GridRow, RiskRow, WaterRow
from vmk_mcp.spatial.queries import PointQuery, RiskQuery, Total, WaterQuery

WATER: Final = load_page_query("spatial/find_water_sources", head=Total, row=WaterRow)
GRIDS: Final = load_page_query("spatial/get_grid_context", head=Total, row=GridRow)
RISKS: Final = load_page_query("spatial/find_risk_areas", head=Total, row=RiskRow)

INDEX: Final = "ix_mpslfh_t_slfh_syd_geography"
SOURCES: Final = "st_2_mpslfh_t_slfh_syd"
PAGE: Final[dict[str, Any]] = {"longitude": 118.69, "latitude": 25.36, "limit": 5, "offset": 0}
SCOPES: Final[dict[str, dict[str, Any]]] = {
    "every town": {"all_towns": True, "towns": []},
    "most towns": {"all_towns": False, "towns": sorted(OPEN_TOWNS)},
    "one town": {"all_towns": False, "towns": [OPEN_TOWNS[0]]},
}

Node = dict[str, Any]


async def explain(dsn: str, sql: str, values: Any) -> list[Node]:
    """Run the statement as the service does and give the nodes of its plan."""
    session = {"search_path": "public", "jit": "off"}
    connection = await asyncpg.connect(dsn, server_settings=session)
    try:
        text = await connection.fetchval(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", *values)
    finally:
        await connection.close()
    return list(walk(json.loads(text)[0]["Plan"]))


def walk(node: Node) -> Iterator[Node]:
    """Give a node and all below it."""
    yield node
    for inner in node.get("Plans", ()):
        yield from walk(inner)


def scans_of(nodes: list[Node], relation: str) -> list[Node]:
    """Give the nodes that read `relation`."""
    return [node for node in nodes if node.get("Relation Name") == relation]


def water(scope: dict[str, Any], **given: Any) -> Struct:
    asked = {**PAGE, **scope, "radius_m": None, "kind": None, "min_capacity_m3": None}
    return WaterQuery(**(asked | given))


def read_of(node: Node) -> int:
    """Give how many rows a scan looked at."""
    loops: int = node["Actual Loops"]
    rows: int = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
    return rows * loops


@pytest.mark.parametrize("scope", SCOPES)
async def test_the_nearest_are_read_from_the_index_in_their_order(crowded_county: Dsn, scope: str) -> None:
    query = water(SCOPES[scope])
    nodes = await explain(crowded_county(Role.READER), WATER.sql, WATER.bind(query))
    ordered = [node for node in scans_of(nodes, SOURCES) if "<->" in node.get("Order By", "")]
    assert [node["Index Name"] for node in ordered] == [INDEX]
    assert read_of(ordered[0]) < MANY / 100
    assert "st_isvalid" not in json.dumps(ordered).lower()


@pytest.mark.parametrize("scope", SCOPES)
async def test_only_the_count_without_a_radius_reads_every_row_and_without_their_geometry(
    crowded_county: Dsn, scope: str
) -> None:
    nodes = await explain(crowded_county(Role.READER), WATER.sql, WATER.bind(water(SCOPES[scope])))
    large = [node for node in scans_of(nodes, SOURCES) if read_of(node) > MANY / 10]
    assert len(large) <= 1
    assert not any("st_distance" in json.dumps(node).lower() for node in large)


@pytest.mark.parametrize("scope", SCOPES)
async def test_within_a_radius_every_scan_is_one_of_the_index(crowded_county: Dsn, scope: str) -> None:
    query = water(SCOPES[scope], radius_m=1000.0, min_capacity_m3=10.0)
    nodes = await explain(crowded_county(Role.READER), WATER.sql, WATER.bind(query))
    scans = scans_of(nodes, SOURCES)
    assert scans
    assert all(read_of(node) < MANY / 10 for node in scans)
    assert not any(node["Node Type"] == "Seq Scan" for node in scans)


async def test_grids_that_cover_a_point_are_found_by_their_index(crowded_county: Dsn) -> None:
    query = PointQuery(**PAGE, **SCOPES["most towns"])
    nodes = await explain(crowded_county(Role.READER), GRIDS.sql, GRIDS.bind(query))
    assert "ix_fanghuowangge_geom" in {node.get("Index Name") for node in nodes}
    assert not any(node["Node Type"] == "Seq Scan" for node in scans_of(nodes, "st_2_fanghuowangge"))


async def test_risk_areas_are_found_by_both_of_their_indexes(crowded_county: Dsn) -> None:
    query = RiskQuery(**PAGE, **SCOPES["most towns"], radius_m=1000)
    nodes = await explain(crowded_county(Role.READER), RISKS.sql, RISKS.bind(query))
    used = {node.get("Index Name") for node in nodes}
    assert used >= {"ix_mudifenqu_mian_geom", "ix_mudifenqu_mian_geography"}
