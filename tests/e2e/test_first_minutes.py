"""What a stranger does in the first minutes, on the real parts."""

import json
import re
import shlex
import subprocess
from typing import Any, Final

import pytest

from tests.e2e.service import Service, environment
from vmk_mcp.database.embedded import POSTGIS_NAME, find_embedded
from vmk_mcp.listings.normalize import fold_name

QUERY: Final = {
    "query": "двокімнатна квартира біля метро з ремонтом",
    "filters": {"city": "Київ", "deal_type": "sale", "max_price": 150000, "currency": "USD"},
}


def assert_flats_fit(result: dict[str, Any]) -> None:
    assert result["total"] >= len(result["listings"]) > 0
    assert result["search_path"] in {"exact", "approximate"}
    for flat in result["listings"]:
        # Some of the sample's names are written with a Latin letter that looks the same.
        assert fold_name(flat["city"]) == fold_name("Київ")
        assert (flat["deal_type"], flat["currency"]) == ("sale", "USD")
        assert flat["price"] <= 150000
        assert 0 <= flat["similarity_score"] <= 1
    scores = [flat["similarity_score"] for flat in result["listings"]]
    assert scores == sorted(scores, reverse=True)


def test_the_sample_query_finds_fitting_flats_from_the_shell(service: Service) -> None:
    done = service.run("call", "search_similar_listings", json.dumps(QUERY), "--json")
    assert done.returncode == 0, done.stderr
    assert_flats_fit(json.loads(done.stdout))


def test_most_of_the_first_flats_have_what_the_query_names(service: Service) -> None:
    result = service.call("search_similar_listings", {**QUERY, "pagination": {"limit": 10}})
    flats = result["structuredContent"]["listings"]
    assert sum(flat["rooms_count"] == 2 for flat in flats) >= 5
    assert sum(flat["metro_station"] is not None for flat in flats) >= 5


def test_a_person_gets_a_table_with_the_total_beneath(service: Service) -> None:
    done = service.run("call", "search_similar_listings", json.dumps(QUERY))
    assert done.returncode == 0, done.stderr
    assert "Київ" in done.stdout
    assert "total" in done.stdout
    assert "search_path" in done.stdout


def test_the_curl_line_that_is_printed_lists_the_tools(service: Service) -> None:
    line = next(line for line in service.log.splitlines() if line.strip().startswith("curl "))
    done = subprocess.run(shlex.split(line), capture_output=True, text=True, check=True, timeout=30)
    names = [tool["name"] for tool in json.loads(done.stdout)["result"]["tools"]]
    assert "search_similar_listings" in names


def test_the_call_line_that_is_printed_works(service: Service) -> None:
    line = next(line for line in service.log.splitlines() if " call search_similar_listings " in line)
    done = subprocess.run(
        ["/bin/sh", "-c", line.strip()],
        env=environment(service.data_dir),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Київ" in done.stdout


def test_text_and_structured_content_are_the_same_json(service: Service) -> None:
    result = service.call("search_similar_listings", QUERY)
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


@pytest.mark.parametrize("form", ["квартира", "квартири", "квартиру", "квартирою", "КВАРТИР"])
def test_every_form_of_a_word_finds_the_same_listings(service: Service, form: str) -> None:
    expected = service.call("search_by_metadata", {"query": "квартира", "interpret": False})[
        "structuredContent"
    ]
    found = service.call("search_by_metadata", {"query": form, "interpret": False})["structuredContent"]
    assert found["match"] == "words"
    assert found["total"] == expected["total"] > 0
    assert [row["id"] for row in found["listings"]] == [row["id"] for row in expected["listings"]]


@pytest.mark.parametrize("apostrophe", ["'", "\u2019", "\u02bc", "`"])
def test_all_four_apostrophes_find_the_same_rows(service: Service, apostrophe: str) -> None:
    def find(**arguments: object) -> list[int]:
        due = {**arguments, "interpret": False, "pagination": {"limit": 100}}
        found = service.call("search_by_metadata", due)
        return [row["id"] for row in found["structuredContent"]["listings"]]

    name = f"Солом{apostrophe}янський"
    assert find(query=name) == find(query="Солом'янський") != []
    assert find(filters={"district": name}) == find(filters={"district": "Солом'янський"}) != []


@pytest.mark.parametrize("words", ["2к", "двушка", "2-комнатная", "двокімнатна", "двохкімнатна", "2-х кімн."])
def test_all_ways_of_saying_two_rooms_find_the_same_flats(service: Service, words: str) -> None:
    found = service.call("search_by_metadata", {"query": words})["structuredContent"]
    asked = service.call("search_by_metadata", {"filters": {"rooms_count": 2}})["structuredContent"]
    assert found["total"] == asked["total"] > 0
    assert [row["id"] for row in found["listings"]] == [row["id"] for row in asked["listings"]]
    assert found["query_interpretation"]["applied"] == {"rooms_count": [2]}


def test_a_wish_in_words_means_the_filters_that_it_names(service: Service) -> None:
    wish = "не перший поверх біля метро до 15000 грн"
    found = service.call("hybrid_search", {"query": wish, "pagination": {"limit": 100}})["structuredContent"]
    assert set(found["query_interpretation"]["applied"]) == {
        "not_first_floor",
        "max_metro_distance_meters",
        "max_price",
        "currency",
    }
    assert found["listings"]
    for row in found["listings"]:
        assert row["floor"] > 1
        assert row["metro_distance_meters"] <= 1000
        assert row["price"] <= 15000
        assert row["currency"] == "UAH"


def test_without_a_token_the_answer_is_401(service: Service) -> None:
    answer = service.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, Authorization="")
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Bearer ")


def test_a_foreign_origin_is_answered_with_403(service: Service) -> None:
    answer = service.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, Origin="https://evil.example")
    assert answer.status_code == 403


def test_a_limit_of_zero_is_a_tool_error_that_names_the_field(service: Service) -> None:
    result = service.call("search_similar_listings", {**QUERY, "pagination": {"limit": 0}})
    assert result["isError"] is True
    assert "structuredContent" not in result
    error = json.loads(result["content"][0]["text"])
    assert (error["code"], error["field"], error["retryable"]) == (
        "invalid_arguments",
        "pagination.limit",
        False,
    )


def test_a_listing_comes_by_its_id_with_every_column_for_clients(service: Service) -> None:
    hit = service.call("search_by_metadata", {"pagination": {"limit": 1}})["structuredContent"]["listings"][0]
    card = service.call("get_listing_by_id", {"listing_id": hit["id"]})["structuredContent"]
    assert card["title"] == hit["title"]
    assert {"contact_name", "address_raw", "property_type"} <= set(card)
    assert not {"raw_data_id", "embedding", "search_vector"} & set(card)


def test_the_schema_is_described_as_the_server_has_it(service: Service) -> None:
    described = service.call("describe_schema", {})["structuredContent"]
    listings = next(table for table in described["tables"] if table["name"] == "property_listings")
    assert listings["row_count"] >= 3000
    assert listings["missing"] == []
    assert any("hnsw" in index for index in listings["indexes"])


def test_the_log_holds_no_token_no_contact_and_no_query(service: Service) -> None:
    service.call("search_similar_listings", {"query": "секретний запит пінгвін"})
    lines = [line for line in service.log.splitlines() if line.startswith("{")]
    assert lines
    assert not [line for line in lines if service.token in line or "пінгвін" in line or "+380" in line]
    assert all(re.match(r"\{.*\}$", line) for line in lines)


def test_readiness_says_how_each_family_stands(service: Service) -> None:
    ready = service.get("/ready")
    assert ready.status_code == 200
    told = ready.json()
    # Some records of the made-up county have no proper geometry, on purpose; without PostGIS there is none.
    has_county = find_embedded(service.data_dir, POSTGIS_NAME) is not None
    assert told["families"].pop("spatial") == ("degraded" if has_county else "unavailable")
    assert told["families"] == {"listings": "ok", "knowledge": "ok", "ask": "ok"}
    assert list(told["reasons"]) == ["spatial"]


def test_a_kind_of_property_alone_is_a_word(service: Service) -> None:
    found = service.call("search_by_metadata", {"query": "квартиру"})["structuredContent"]
    assert (found["match"], found["text_search"]) == ("words", "ukrainian")
    assert found["listings"][0]["rank_score"] > 0
    assert "query_interpretation" not in found


def test_a_filter_beside_the_others_is_a_filter(service: Service) -> None:
    inside = service.call("search_by_metadata", {"filters": {"city": "Львів"}})["structuredContent"]
    beside = service.call("search_by_metadata", {"city": "Львів", "limit": "20"})["structuredContent"]
    assert beside["total"] == inside["total"] > 0
    assert [row["id"] for row in beside["listings"]] == [row["id"] for row in inside["listings"]]
