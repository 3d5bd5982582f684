"""Answers that are no JSON object: texts, images, sounds and resources, as MCP 2025-06-18 writes them."""

import base64
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from tests.unit.protocol.conversation import PROFILES, ask, call, caller, make_protocol
from vmk_mcp.protocol import Protocol
from vmk_mcp.tool import (
    AudioContent,
    CallContext,
    Content,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    Offer,
    Prompt,
    Resource,
    ResourceBlob,
    ResourceText,
    TextContent,
    Tool,
)

FAMILY: Final = "gallery"
PICTURE: Final = b"\x89PNG\xff\x00"
IN_BASE64: Final = base64.b64encode(PICTURE).decode()
BLOCKS: Final = (
    TextContent("Кобзар"),
    ImageContent(PICTURE, "image/png"),
    AudioContent(PICTURE, "audio/wav"),
    EmbeddedResource(ResourceText("book://7", "text/plain", "Кобзар")),
    EmbeddedResource(ResourceBlob("picture://7", "image/png", PICTURE)),
)
WRITTEN: Final = [
    {"type": "text", "text": "Кобзар"},
    {"type": "image", "data": IN_BASE64, "mimeType": "image/png"},
    {"type": "audio", "data": IN_BASE64, "mimeType": "audio/wav"},
    {"type": "resource", "resource": {"uri": "book://7", "mimeType": "text/plain", "text": "Кобзар"}},
    {"type": "resource", "resource": {"uri": "picture://7", "mimeType": "image/png", "blob": IN_BASE64}},
]


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """No arguments."""


async def show(arguments: Nothing, context: CallContext) -> Content:
    """Show a block of each kind."""
    return Content(BLOCKS)


async def read(variables: Mapping[str, str], context: CallContext) -> bytes:
    """Give the picture."""
    return PICTURE


def render(values: Mapping[str, str]) -> Sequence[ContentBlock]:
    """Give a message of each kind."""
    return BLOCKS


SHOW: Final = Tool(
    family=FAMILY, name="show", title="", description="", arguments=Nothing, result=Content, call=show
)
LOOK: Final = Prompt(family=FAMILY, name="look", title="", description="A look.", arguments=(), render=render)
GALLERY: Final = Offer(
    family=FAMILY,
    tools=(SHOW,),
    resources=(
        Resource(
            family=FAMILY,
            uri="picture://7",
            name="picture",
            title="",
            description="",
            mime_type="image/png",
            read=read,
        ),
    ),
    prompts=(LOOK,),
)
PROTOCOL: Final = make_protocol(GALLERY)
VISITOR: Final = caller(FAMILY)


def test_content_goes_out_as_given_with_nothing_structured_beside_it() -> None:
    assert call("show", {}, by=VISITOR, to=PROTOCOL).result == {"content": WRITTEN, "isError": False}


def test_dropped_arguments_are_told_beside_content_too() -> None:
    result = call("show", {"stray": 1}, by=VISITOR, to=PROTOCOL).result
    assert result == {"content": WRITTEN, "isError": False, "_meta": {"dropped_arguments": ["stray"]}}


def test_a_profile_with_summaries_leaves_content_as_it_is() -> None:
    thrifty = Protocol(
        server_name="vmk-mcp",
        server_version="1",
        instructions="",
        offers=(GALLERY,),
        profiles={"fixed": msgspec.structs.replace(PROFILES["fixed"], text_content="summary")},
        max_response_bytes=10_000,
    )
    assert call("show", {}, by=VISITOR, to=thrifty).result["content"] == WRITTEN


def test_a_tool_that_gives_content_claims_no_output_schema() -> None:
    (entry,) = ask("tools/list", by=VISITOR, to=PROTOCOL).result["tools"]
    assert set(entry) == {"name", "title", "description", "inputSchema", "annotations"}


def test_content_above_the_limit_is_response_too_large() -> None:
    narrow = make_protocol(GALLERY, max_response_bytes=400)
    assert call("show", {}, by=VISITOR, to=narrow).tool_error["code"] == "response_too_large"


def test_a_resource_of_bytes_is_a_blob_in_base64() -> None:
    contents = ask("resources/read", {"uri": "picture://7"}, by=VISITOR, to=PROTOCOL).result["contents"]
    assert contents == [{"uri": "picture://7", "mimeType": "image/png", "blob": IN_BASE64}]


def test_a_prompt_of_blocks_is_a_message_of_the_user_for_each() -> None:
    result = ask("prompts/get", {"name": "look"}, by=VISITOR, to=PROTOCOL).result
    assert result == {
        "description": "A look.",
        "messages": [{"content": block, "role": "user"} for block in WRITTEN],
    }
