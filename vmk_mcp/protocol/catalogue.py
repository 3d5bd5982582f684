"""What one set of rights can see: tools, resources, prompts, completers, and the bytes of their lists."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from vmk_mcp.protocol.arguments import ArgumentsReader
from vmk_mcp.protocol.envelope import encode
from vmk_mcp.protocol.resources import ResourceMap, is_template
from vmk_mcp.protocol.schema import JsonSchema, input_schema, output_schema
from vmk_mcp.tool import (
    Annotations,
    AnyTool,
    Caller,
    Completer,
    Content,
    Offer,
    Prompt,
    PromptArgument,
    Resource,
)

LISTS: Final = {
    "tools/list": "tools",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
    "prompts/list": "prompts",
}
"""List method -> the member of its result."""


class _ToolEntry(Struct, rename="camel"):
    """MCP 2025-06-18 `Tool`; without `outputSchema` where nothing structured comes back."""

    name: str
    title: str
    description: str
    input_schema: JsonSchema
    output_schema: JsonSchema | UnsetType
    annotations: Annotations


class _ResourceEntry(Struct, rename="camel"):
    """MCP 2025-06-18 `Resource` (`uri`) or `ResourceTemplate` (`uriTemplate`)."""

    name: str
    title: str
    description: str
    mime_type: str
    uri: str | UnsetType = UNSET
    uri_template: str | UnsetType = UNSET


class _PromptEntry(Struct):
    """MCP 2025-06-18 `Prompt`."""

    name: str
    title: str
    description: str
    arguments: Sequence[PromptArgument]


class OfferedTool:
    """A tool with the reader of its arguments and its entry in `tools/list`, both made once."""

    def __init__(self, tool: AnyTool) -> None:
        self.tool = tool
        self.reader = ArgumentsReader(tool)
        is_structured = tool.result is not Content
        self.entry = msgspec.Raw(
            encode(
                _ToolEntry(
                    name=tool.name,
                    title=tool.title,
                    description=tool.description,
                    input_schema=input_schema(tool.arguments),
                    output_schema=output_schema(tool.result, tool.told_elsewhere) if is_structured else UNSET,
                    annotations=tool.annotations,
                )
            )
        )


class Catalogue(Struct, frozen=True):
    """What a caller with certain rights can see.

    Attributes:
        tools: by every name that a call may use.
        tool_names: as listed.
        lists: list method -> its whole result as JSON.
        completers: by (reference, argument).
        instructions: of the families whose tools are open.
    """

    tools: Mapping[str, OfferedTool]
    tool_names: Sequence[str]
    lists: Mapping[str, bytes]
    resources: ResourceMap
    prompts: Mapping[str, Prompt]
    templates: Mapping[str, Resource]
    completers: Mapping[tuple[str, str], Completer]
    instructions: Sequence[str]


class Shelf:
    """All offers; makes the catalogue of a caller, once for each set of rights.

    Raises:
        ValueError: two offers use one name.
    """

    # Rights come from the tokens file; a reload may bring new sets, and old ones are never asked for again.
    _MOST_KEPT: Final = 256

    def __init__(self, offers: Sequence[Offer]) -> None:
        self._offers = offers
        self._tools = [OfferedTool(tool) for offer in offers for tool in offer.tools]
        self._kept: dict[frozenset[str], Catalogue] = {}
        _by_name((name, one) for one in self._tools for name in _names_of(one.tool))
        _by_name((prompt.name, prompt) for offer in offers for prompt in offer.prompts)
        _by_name((resource.uri, resource) for offer in offers for resource in offer.resources)

    def open_to(self, caller: Caller) -> Catalogue:
        """Give what `caller` can see."""
        catalogue = self._kept.get(caller.rights)
        if catalogue is None:
            if len(self._kept) >= self._MOST_KEPT:
                self._kept.clear()
            catalogue = self._kept[caller.rights] = self._catalogue(caller)
        return catalogue

    def _catalogue(self, caller: Caller) -> Catalogue:
        tools = [one for one in self._tools if one.tool.open_to(caller)]
        # A right to single tools opens no resource, prompt or completion of their family.
        offers = [offer for offer in self._offers if offer.family in caller.rights]
        resources = [resource for offer in offers for resource in offer.resources]
        prompts = [prompt for offer in offers for prompt in offer.prompts]
        shown = {one.tool.family for one in tools}
        entries: dict[str, Sequence[object]] = {
            "tools/list": [one.entry for one in tools],
            "resources/list": [_resource_entry(one) for one in resources if not is_template(one)],
            "resources/templates/list": [_resource_entry(one) for one in resources if is_template(one)],
            "prompts/list": [_prompt_entry(one) for one in prompts],
        }
        return Catalogue(
            tools=_by_name((name, one) for one in tools for name in _names_of(one.tool)),
            tool_names=[one.tool.name for one in tools],
            lists={method: encode({LISTS[method]: listed}) for method, listed in entries.items()},
            resources=ResourceMap(resources),
            prompts={prompt.name: prompt for prompt in prompts},
            templates={resource.uri: resource for resource in resources},
            completers={(one.reference, one.argument): one for offer in offers for one in offer.completers},
            instructions=[
                offer.instructions for offer in self._offers if offer.instructions and offer.family in shown
            ],
        )


_OfferedT = TypeVar("_OfferedT")


def _by_name(pairs: Iterable[tuple[str, _OfferedT]]) -> dict[str, _OfferedT]:
    named: dict[str, _OfferedT] = {}
    for name, offered in pairs:
        if name in named:
            raise ValueError(f"{name} is offered twice")
        named[name] = offered
    return named


def _names_of(tool: AnyTool) -> Sequence[str]:
    return (tool.name, *tool.also_called)


def _resource_entry(resource: Resource) -> _ResourceEntry:
    template = is_template(resource)
    return _ResourceEntry(
        name=resource.name,
        title=resource.title,
        description=resource.description,
        mime_type=resource.mime_type,
        uri=UNSET if template else resource.uri,
        uri_template=resource.uri if template else UNSET,
    )


def _prompt_entry(prompt: Prompt) -> _PromptEntry:
    return _PromptEntry(prompt.name, prompt.title, prompt.description, prompt.arguments)
