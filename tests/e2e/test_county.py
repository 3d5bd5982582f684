"""The county as `make run` serves it: within the local token's towns, audited beside it, never logged."""

import json
import re
from typing import Any, Final

import pytest

from tests.e2e.service import Service

HERE: Final = {"longitude": 118.69, "latitude": 25.36}
CLOSED_TOWN: Final = "石苍乡"


@pytest.fixture
def county(service: Service) -> Service:
    """The service, where it has PostGIS; elsewhere the test is skipped with the reason that it gives."""
    told = service.get("/ready").json()
    if told["families"]["spatial"] == "unavailable":
        pytest.skip(" ".join(told["reasons"]["spatial"]))
    return service


def ask(county: Service, tool: str, **arguments: object) -> dict[str, Any]:
    """Call a tool that answers and give its answer."""
    result = county.call(tool, arguments)
    assert not result["isError"], result
    answer: dict[str, Any] = result["structuredContent"]
    return answer


def test_what_is_around_a_point_is_answered_by_each_tool(county: Service) -> None:
    (place, *_) = ask(county, "search_places", name="水库")["data"]
    at = {"longitude": place["longitude"], "latitude": place["latitude"]}
    (nearest, *_) = ask(county, "find_water_sources", **at)["data"]
    assert (nearest["table"], nearest["id"], nearest["distance_m"]) == (place["table"], place["id"], 0)
    for tool in ("get_grid_context", "find_responsible_squadron", "find_command_posts", "find_access_routes"):
        answer = ask(county, tool, **at)
        assert answer["status"] == "ok"
        assert answer["result_count"] == len(answer["data"]) > 0
    assert ask(county, "find_risk_areas", **at, radius_m=50_000)["total_count"] > 20


def test_the_closed_town_is_not_there_for_the_local_token(county: Service) -> None:
    assert ask(county, "search_places", name=CLOSED_TOWN)["total_count"] == 0
    grids = [ask(county, "search_places", name="网格", limit=20, offset=offset) for offset in (0, 500)]
    assert CLOSED_TOWN not in json.dumps(grids, ensure_ascii=False)


def test_a_swapped_pair_is_told(county: Service) -> None:
    result = county.call("find_water_sources", {"longitude": 25.36, "latitude": 118.69})
    told = json.loads(result["content"][0]["text"])
    assert (told["code"], told["field"]) == ("invalid_arguments", "latitude")
    assert "try longitude 118.69, latitude 25.36, which lies in the county" in told["hint"]


def test_the_audit_can_be_asked_for_beside_the_running_service(county: Service) -> None:
    done = county.run("audit", "spatial", "--json")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["status"], report["faults"]) == ("degraded", [])
    assert len(report["tables"]) == 8
    assert ask(county, "find_water_sources", **HERE)["total_count"] > 1000


def test_no_name_of_a_place_is_logged(county: Service) -> None:
    ask(county, "search_places", name="石壁水库")
    assert re.search("[\u4e00-\u9fff]", county.log) is None
