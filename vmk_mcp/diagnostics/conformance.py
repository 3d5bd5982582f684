"""The fixtures that the official conformance suite asks for by name: tools, resources, prompts, a completion.

Names, texts and kinds of content are the suite's (npm `@modelcontextprotocol/conformance`), word for word.
"""

import base64
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import msgspec

from vmk_mcp.diagnostics.model import NoArguments
from vmk_mcp.errors import NotFound
from vmk_mcp.tool import (
    AnyTool,
    AudioContent,
    CallContext,
    Completer,
    Content,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    Prompt,
    PromptArgument,
    Resource,
    ResourceText,
    TextContent,
    Tool,
)

_PNG: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQD3A0FDAAAAAElFTkSuQmCC"
)
"""One red pixel."""

_WAV: Final = base64.b64decode("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==")
"""One silent sample, 16 bit, 8 kHz."""

_IMAGE: Final = ImageContent(_PNG, "image/png")
_STEPS: Final = (0, 50, 100)
_WORDS: Final = ("paris", "park", "party")

_TEMPLATE: Final = "test://template/{id}/data"
_WITH_ARGUMENTS: Final = "test_prompt_with_arguments"

_Call = Callable[[NoArguments, CallContext], Awaitable[Content]]
_Read = Callable[[Mapping[str, str], CallContext], Awaitable[str | bytes]]
_Render = Callable[[Mapping[str, str]], str | Sequence[ContentBlock]]


class _TemplateRead(msgspec.Struct, frozen=True, rename="camel"):
    """JSON of the resource behind the template."""

    id: str
    template_test: bool
    data: str


async def _fail(arguments: NoArguments, context: CallContext) -> Content:
    raise NotFound("This tool intentionally returns an error for testing.")


async def _tell_progress(arguments: NoArguments, context: CallContext) -> Content:
    for step in _STEPS:
        await context.progress(step, _STEPS[-1], "")
    return Content((TextContent("Progress was told in three steps."),))


async def _read_template(variables: Mapping[str, str], context: CallContext) -> str:
    number = variables["id"]
    return msgspec.json.encode(_TemplateRead(number, True, f"Data for ID: {number}")).decode()


async def _complete_word(text: str, context: CallContext) -> Sequence[str]:
    return [word for word in _WORDS if word.startswith(text)]


def _giving(*blocks: ContentBlock) -> _Call:
    async def call(arguments: NoArguments, context: CallContext) -> Content:
        return Content(blocks)

    return call


def _reading(content: str | bytes) -> _Read:
    async def read(variables: Mapping[str, str], context: CallContext) -> str | bytes:
        return content

    return read


def _render_arguments(values: Mapping[str, str]) -> str:
    return f"Prompt with arguments: arg1='{values['arg1']}', arg2='{values['arg2']}'"


def _render_embedded(values: Mapping[str, str]) -> Sequence[ContentBlock]:
    embedded = ResourceText(values["resourceUri"], "text/plain", "Embedded resource content for testing.")
    return EmbeddedResource(embedded), TextContent("Please process the embedded resource above.")


def conformance_tools(family: str) -> Sequence[AnyTool]:
    """Make the tools, which take no arguments and give content that is no JSON object."""
    embedded = EmbeddedResource(
        ResourceText("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    )
    mixed = EmbeddedResource(
        ResourceText("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
    )
    several = _giving(TextContent("Multiple content types test:"), _IMAGE, mixed)

    def offer(name: str, title: str, description: str, call: _Call) -> AnyTool:
        return Tool(
            family=family,
            name=name,
            title=title,
            description=f"{description} For conformance tests.",
            arguments=NoArguments,
            result=Content,
            call=call,
        )

    return (
        offer(
            "test_simple_text",
            "Text",
            "Gives one text.",
            _giving(TextContent("This is a simple text response for testing.")),
        ),
        offer("test_image_content", "Image", "Gives one image.", _giving(_IMAGE)),
        offer("test_audio_content", "Audio", "Gives one sound.", _giving(AudioContent(_WAV, "audio/wav"))),
        offer("test_embedded_resource", "Resource", "Gives one embedded resource.", _giving(embedded)),
        offer("test_multiple_content_types", "Mixture", "Gives a text, an image and a resource.", several),
        offer("test_error_handling", "Error", "Always fails.", _fail),
        offer("test_tool_with_progress", "Progress", "Tells of its progress three times.", _tell_progress),
    )


def conformance_resources(family: str) -> Sequence[Resource]:
    """Make a text, an image and a template."""

    def offer(uri: str, name: str, mime_type: str, read: _Read) -> Resource:
        return Resource(
            family=family,
            uri=uri,
            name=name,
            title=name.replace("-", " ").capitalize(),
            description="For conformance tests.",
            mime_type=mime_type,
            read=read,
        )

    text = "This is the content of the static text resource."
    return (
        offer("test://static-text", "static-text", "text/plain", _reading(text)),
        offer("test://static-binary", "static-binary", "image/png", _reading(_PNG)),
        offer(_TEMPLATE, "template", "application/json", _read_template),
    )


def conformance_prompts(family: str) -> Sequence[Prompt]:
    """Make prompts of a text, of arguments, of a resource and of an image."""

    def offer(name: str, title: str, render: _Render, *arguments: PromptArgument) -> Prompt:
        return Prompt(
            family=family,
            name=name,
            title=title,
            description="For conformance tests.",
            arguments=arguments,
            render=render,
        )

    first = PromptArgument("arg1", "First test argument.", required=True)
    second = PromptArgument("arg2", "Second test argument.", required=True)
    uri = PromptArgument("resourceUri", "URI of the resource to embed.", required=True)
    return (
        offer("test_simple_prompt", "Text", lambda _: "This is a simple prompt for testing."),
        offer(_WITH_ARGUMENTS, "Arguments", _render_arguments, first, second),
        offer("test_prompt_with_embedded_resource", "Resource", _render_embedded, uri),
        offer(
            "test_prompt_with_image",
            "Image",
            lambda _: (_IMAGE, TextContent("Please analyze the image above.")),
        ),
    )


def conformance_completers(family: str) -> Sequence[Completer]:
    """Make a completion of the first argument of the prompt that has two."""
    return (Completer(family=family, reference=_WITH_ARGUMENTS, argument="arg1", complete=_complete_word),)
