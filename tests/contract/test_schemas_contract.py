"""`contracts/schemas/` and the tools say the same, and what a model reads of them stays small and sound."""

import json
from collections.abc import Iterator
from typing import Any, Final

import jsonschema
import pytest

from tests.contract.exchange_files import every_exchange
from tests.contract.schema_files import SCHEMAS, entry_of, every_tool, schema_files
from vmk_mcp.configuration.serving import FAMILIES
from vmk_mcp.tool import AnyTool, Content

KIB: Final = 1024
MOST_READ_OF_LISTINGS: Final = 18 * KIB
MOST_READ_OF_ALL: Final = 36 * KIB
MOST_LISTED: Final = 60 * KIB
COMPOSITION: Final = {"anyOf", "oneOf", "allOf", "not", "$ref"}
TOOLS: Final = list(every_tool())
STRUCTURED: Final = [tool for tool in TOOLS if tool.result is not Content]
# Names of places are short; that they are data stands in what their family tells a client at its opening.
HOLDS_TEXTS_OF_OTHERS: Final = {
    "search_similar_listings",
    "search_by_metadata",
    "hybrid_search",
    "get_listing_by_id",
    "get_similar_to_listing",
    "compare_listings",
    "vector_search",
    "ask",
    "run_sql",
}
OUTPUTS: Final = {tool.name: entry_of(tool)["outputSchema"] for tool in STRUCTURED}


def results_of(name: str) -> Iterator[Any]:
    """Give each recorded result of the tool."""
    for exchange in every_exchange():
        asked, got = exchange["request"].get("body"), exchange["response"].get("body")
        if not isinstance(asked, dict) or asked.get("method") != "tools/call" or not isinstance(got, dict):
            continue
        if asked["params"].get("name") == name and "result" in got:
            yield got["result"]


def size_of(value: object) -> int:
    """Give the bytes of compact JSON."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def test_the_files_are_those_of_the_tools_word_for_word() -> None:
    on_file = {path.name: path.read_text(encoding="utf-8") for path in SCHEMAS.iterdir()}
    assert on_file == schema_files(), "run `make contracts` and read what it changed"


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_schema_is_valid_and_one_closed_object_at_the_top(tool: AnyTool) -> None:
    for schema in filter(None, map(entry_of(tool).get, ("inputSchema", "outputSchema"))):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert not COMPOSITION & set(schema)


@pytest.mark.parametrize("tool", STRUCTURED, ids=lambda tool: tool.name)
def test_every_recorded_result_fits_its_output_schema(tool: AnyTool) -> None:
    results = [each["structuredContent"] for each in results_of(tool.name) if not each["isError"]]
    assert results, f"no exchange shows a result of {tool.name}"
    for result in results:
        jsonschema.validate(result, OUTPUTS[tool.name], jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    "tool", [tool for tool in TOOLS if tool not in STRUCTURED], ids=lambda tool: tool.name
)
def test_a_tool_whose_answer_is_no_json_object_claims_no_output_schema(tool: AnyTool) -> None:
    assert "outputSchema" not in entry_of(tool)
    results = list(results_of(tool.name))
    assert results, f"no exchange shows a result of {tool.name}"
    assert not any("structuredContent" in result for result in results)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_example_in_a_schema_is_a_value_that_it_takes(tool: AnyTool) -> None:
    open_ = [entry_of(tool)["inputSchema"]]
    while open_:
        schema = open_.pop()
        for example in schema.get("examples", ()):
            jsonschema.validate(example, schema, jsonschema.Draft202012Validator)
        open_ += schema.get("properties", {}).values()


@pytest.mark.parametrize(
    ("families", "most"), [({"listings"}, MOST_READ_OF_LISTINGS), (set(FAMILIES), MOST_READ_OF_ALL)]
)
def test_what_a_model_reads_of_the_tools_stays_small(families: set[str], most: int) -> None:
    entries = [entry_of(tool) for tool in TOOLS if tool.family in families]
    assert {tool.family for tool in TOOLS} >= families
    read = sum(size_of([entry["name"], entry["description"], entry["inputSchema"]]) for entry in entries)
    assert read < most


def test_the_whole_list_of_tools_stays_under_60_kib() -> None:
    assert size_of([entry_of(tool) for tool in TOOLS]) < MOST_LISTED


def test_tools_whose_answers_hold_texts_of_others_call_them_data() -> None:
    told = {
        tool.name for tool in TOOLS if "data" in tool.description and "never instructions" in tool.description
    }
    assert told == HOLDS_TEXTS_OF_OTHERS


def test_output_schemas_carry_no_descriptions() -> None:
    assert '"description":{"type"' in json.dumps(OUTPUTS, separators=(",", ":"))  # a column of that name
    assert '"description":"' not in json.dumps(OUTPUTS, separators=(",", ":"))


@pytest.mark.parametrize(
    "tool",
    [tool for tool in TOOLS if tool.query_field and tool.family == "listings"],
    ids=lambda tool: tool.name,
)
def test_a_search_of_listings_asks_for_its_query_in_ukrainian(tool: AnyTool) -> None:
    assert tool.query_field is not None
    argument = entry_of(tool)["inputSchema"]["properties"][tool.query_field]
    assert "Ukrainian" in tool.description
    assert "Ukrainian" in argument["description"]
    assert argument["examples"]
