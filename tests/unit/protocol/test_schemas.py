"""Schemas of tools: what clients choke on is not in them, what a model needs is."""

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import jsonschema
import pytest
from msgspec import UNSET, Meta, Struct, UnsetType

from tests.unit.protocol.conversation import FIND_BOOKS, BookFilters, ask, call
from vmk_mcp.diagnostics.model import Add
from vmk_mcp.protocol.catalogue import OfferedTool
from vmk_mcp.protocol.schema import input_schema, output_schema
from vmk_mcp.tool import TERSE, Tool


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Row(Struct, frozen=True):
    """A row."""

    id: int
    price: Decimal | None
    day: date | None = None


class Rows(Struct, frozen=True, omit_defaults=True):
    """A result."""

    rows: Annotated[list[Row], Meta(description="All of them.")]
    next_offset: int | None = None
    note: Annotated[str, Meta(title="A note", examples=["x"])] = ""


class Page(Struct, frozen=True):
    """A result that leaves out what it has not, and says null where there is none."""

    next_offset: int | UnsetType = UNSET
    town: str | None = None


class Odd(Struct, frozen=True, forbid_unknown_fields=True):
    """Every kind of argument."""

    ids: list[int] | int
    colour: Colour = Colour.RED
    level: Literal[1, 2] | None = None
    since: Annotated[datetime, Meta(description="UTC.")] | None = None
    either: str | int = 5
    bounded: Annotated[float, Meta(gt=0, lt=1, multiple_of=0.5)] = 0.5
    words: Annotated[tuple[str, ...], Meta(min_length=1, max_length=3)] = ("x",)
    pattern: Annotated[str, Meta(pattern="^a")] | None = None
    free: Any = None
    mixed: str | dict[str, int] | None = None


def walk(schema: object) -> Iterator[dict[str, Any]]:
    """Give every object inside a schema, itself first."""
    if isinstance(schema, dict):
        yield schema
        for inner in schema.values():
            yield from walk(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from walk(inner)


def listed_schemas() -> list[dict[str, Any]]:
    tools = ask("tools/list").result["tools"]
    return [tool[side] for tool in tools for side in ("inputSchema", "outputSchema")]


def test_every_schema_is_one_closed_object_without_references_or_composition_at_the_top() -> None:
    for schema in [*listed_schemas(), input_schema(Odd), output_schema(Rows)]:
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert not {"anyOf", "oneOf", "allOf", "not", "if"} & set(schema)
        assert not any({"$ref", "$defs"} & set(inner) for inner in walk(schema))


def test_a_struct_inside_a_struct_is_written_where_it_stands_and_closed() -> None:
    filters = input_schema(FIND_BOOKS.arguments)["properties"]["filters"]
    assert filters["additionalProperties"] is False
    assert filters["description"] == "All optional."
    assert filters["properties"]["shelfmark"]["required"] == ["room"]


def test_an_optional_argument_is_not_required_and_advertises_no_null() -> None:
    schema = input_schema(FIND_BOOKS.arguments)
    assert schema["required"] == ["query"]
    assert schema["properties"]["filters"]["properties"]["min_pages"] == {
        "type": "integer",
        "minimum": 0,
        "description": "Pages.",
    }
    assert not any(inner.get("type") == "null" or None in inner.get("enum", []) for inner in walk(schema))


def test_descriptions_examples_bounds_and_defaults_stand_in_input_schemas() -> None:
    properties = input_schema(FIND_BOOKS.arguments)["properties"]
    assert properties["query"] == {
        "type": "string",
        "minLength": 1,
        "maxLength": 200,
        "description": "Words, in Ukrainian.",
    }
    assert properties["pagination"]["properties"]["limit"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 100,
        "description": "Rows on a page.",
        "default": 20,
    }
    assert properties["sort_by"] == {"type": "string", "enum": ["price", "relevance"], "default": "relevance"}
    assert properties["filters"]["properties"]["city"]["examples"] == [["Львів"]]


def test_a_bound_that_only_keeps_values_inside_a_type_stands_in_no_schema() -> None:
    assert input_schema(Add)["properties"]["a"] == {
        "type": "integer",
        "description": "First summand.",
        "examples": [2],
    }


def test_a_terse_argument_is_told_by_names_and_types_alone() -> None:
    class Terse(Struct, frozen=True, forbid_unknown_fields=True):
        filters: Annotated[BookFilters, Meta(description="As elsewhere.", extra_json_schema=TERSE)]

    filters = input_schema(Terse)["properties"]["filters"]
    assert filters["description"] == "As elsewhere."
    assert "terse" not in filters
    assert filters["properties"]["city"] == {"type": "array", "items": {"type": "string"}}
    assert filters["properties"]["min_pages"] == {"type": "integer"}
    assert filters["properties"]["shelfmark"]["required"] == ["room"]


def test_aliases_stand_in_no_schema() -> None:
    text = str(input_schema(FIND_BOOKS.arguments))
    assert not any(f"'{alias}'" in text for alias in ("query_text", "min_length", "where"))


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("ids", {"type": "array", "items": {"type": "integer"}}),
        ("colour", {"type": "string", "enum": ["red", "blue"]}),
        ("level", {"type": "integer", "enum": [1, 2]}),
        ("since", {"type": "string", "format": "date-time", "description": "UTC."}),
        ("either", {"type": ["string", "integer"], "default": 5}),
        (
            "bounded",
            {
                "type": "number",
                "exclusiveMinimum": 0,
                "exclusiveMaximum": 1,
                "multipleOf": 0.5,
                "default": 0.5,
            },
        ),
        ("words", {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3}),
        ("pattern", {"type": "string", "pattern": "^a"}),
        ("free", {}),
        (
            "mixed",
            {"anyOf": [{"type": "string"}, {"type": "object", "additionalProperties": {"type": "integer"}}]},
        ),
    ],
)
def test_each_kind_of_argument_has_its_schema(argument: str, expected: dict[str, Any]) -> None:
    written = input_schema(Odd)["properties"][argument]
    if "anyOf" in expected:
        assert sorted(map(str, written["anyOf"])) == sorted(map(str, expected["anyOf"]))
    elif isinstance(expected.get("type"), list):
        assert set(written["type"]) == set(expected["type"])
    else:
        assert written == expected


def test_output_schemas_carry_no_words() -> None:
    for inner in walk(output_schema(Rows)):
        assert not {"description", "title", "examples", "default"} & {
            key for key in inner if not isinstance(inner[key], dict)
        }


def test_a_result_member_that_may_be_null_says_so_and_one_that_is_left_out_is_not_required() -> None:
    assert output_schema(Rows) == {
        "type": "object",
        "properties": {
            "rows": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "integer"},
                        "price": {"type": ["number", "null"]},
                        "day": {"type": ["string", "null"], "format": "date"},
                    },
                    "additionalProperties": False,
                    "required": ["id", "price", "day"],
                },
            },
            "next_offset": {"type": "integer"},
            "note": {"type": "string"},
        },
        "additionalProperties": False,
        "required": ["rows"],
    }


def test_a_result_member_that_may_be_unset_is_not_required_and_not_null() -> None:
    assert output_schema(Page) == {
        "type": "object",
        "properties": {"next_offset": {"type": "integer"}, "town": {"type": ["string", "null"]}},
        "additionalProperties": False,
        "required": ["town"],
    }


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("find_books", {"query": "x", "filters": {"city": ["Львів"]}}),
        ("echo", {"text": "x"}),
        ("add", {"a": 1, "b": 2}),
        ("nested", {"filter": {"q": "x"}}),
        ("nested", {"filter": {"q": "x"}, "ids": [1]}),
        ("noargs", {}),
    ],
)
def test_structured_content_matches_its_output_schema(tool: str, arguments: dict[str, Any]) -> None:
    listed = {one["name"]: one for one in ask("tools/list").result["tools"]}
    jsonschema.validate(arguments, listed[tool]["inputSchema"])
    jsonschema.validate(call(tool, arguments).result["structuredContent"], listed[tool]["outputSchema"])


def test_arguments_that_let_unknown_members_through_are_refused_at_start() -> None:
    async def never(arguments: Row, context: object) -> Rows:
        raise AssertionError

    loose = Tool(family="x", name="loose", title="", description="", arguments=Row, result=Rows, call=never)
    with pytest.raises(TypeError, match="loose: the arguments must be a Struct with forbid_unknown_fields"):
        OfferedTool(loose)


def test_members_that_another_tool_tells_of_are_named_by_their_outer_type_alone() -> None:
    class Inner(Struct):
        name: str

    class Told(Struct):
        total: int
        rows: list[Inner]
        basis: Inner

    whole, short = output_schema(Told), output_schema(Told, ("rows", "basis"))
    assert short["properties"] == {
        "total": {"type": "integer"},
        "rows": {"type": "array", "items": {"type": "object"}},
        "basis": {"type": "object"},
    }
    assert short["required"] == whole["required"]
