"""What a family offers to a client: tools, resources, prompts, completions; and who calls (leaf)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Generic, TypeVar

from msgspec import UNSET, Struct, UnsetType, field

ArgumentsT = TypeVar("ArgumentsT", bound=Struct)
ResultT = TypeVar("ResultT", bound=Struct)

ALL: Final = "all"


TERSE: Final = {"terse": True}
"""`Meta(extra_json_schema=TERSE)`: another tool describes the argument; here its members have types alone."""


class Caller(Struct, frozen=True):
    """Who calls, and what that token may do. What a token does not name it has not.

    Attributes:
        name: the token's name, as logs show it.
        profile: name of the protocol profile.
        rights: families, `family.tool`, groups such as `knowledge.index`, and `metrics`.
        towns: spatial scope; the string "all" stands for every town.
        contacts: people's contacts in listings may be shown.
        user_ids: whose knowledge folders; the string "all" stands for every user.
        rate_per_minute: calls a minute in this process, or None for no limit.
    """

    name: str
    profile: str = "fixed"
    rights: frozenset[str] = frozenset()
    towns: frozenset[str] | str = frozenset()
    contacts: bool = False
    user_ids: frozenset[int] | str = frozenset()
    rate_per_minute: int | None = None


Progress = Callable[[float, float | None, str], Awaitable[None]]
"""Told `(done, total or None, message)`; `done` grows from call to call."""


async def ignore_progress(done: float, total: float | None, message: str) -> None:
    """Take progress that nobody asked for."""


class CallContext(Struct, frozen=True):
    """What a tool may know of the call beside its arguments."""

    caller: Caller
    progress: Progress = ignore_progress


class Annotations(Struct, frozen=True, rename="camel"):
    """MCP 2025-06-18 `ToolAnnotations`, without the title.

    Attributes:
        destructive_hint: means something of a tool that writes alone, as `idempotent_hint`; UNSET is absent.
    """

    read_only_hint: bool = True
    destructive_hint: bool | UnsetType = UNSET
    idempotent_hint: bool | UnsetType = UNSET
    open_world_hint: bool = False


READ_ONLY: Final = Annotations()


class ResourceText(Struct, frozen=True, rename="camel"):
    """MCP 2025-06-18 `TextResourceContents`."""

    uri: str
    mime_type: str
    text: str


class ResourceBlob(Struct, frozen=True, rename="camel"):
    """MCP 2025-06-18 `BlobResourceContents`; bytes are written in base64."""

    uri: str
    mime_type: str
    blob: bytes


class TextContent(Struct, frozen=True, tag_field="type", tag="text"):
    """MCP 2025-06-18 `TextContent`."""

    text: str


class ImageContent(Struct, frozen=True, tag_field="type", tag="image", rename="camel"):
    """MCP 2025-06-18 `ImageContent`; bytes are written in base64."""

    data: bytes
    mime_type: str


class AudioContent(Struct, frozen=True, tag_field="type", tag="audio", rename="camel"):
    """MCP 2025-06-18 `AudioContent`; bytes are written in base64."""

    data: bytes
    mime_type: str


class EmbeddedResource(Struct, frozen=True, tag_field="type", tag="resource"):
    """MCP 2025-06-18 `EmbeddedResource`."""

    resource: ResourceText | ResourceBlob


ContentBlock = TextContent | ImageContent | AudioContent | EmbeddedResource


class Content(Struct, frozen=True):
    """Result of a tool whose answer is no JSON object: it goes out as given, with nothing structured."""

    blocks: tuple[ContentBlock, ...]


class Tool(Struct, Generic[ArgumentsT, ResultT], frozen=True, kw_only=True):
    """One tool as a client sees it, and the call behind it.

    Attributes:
        family: the family's word, which is also the right that opens the tool.
        right: the right that opens it where that is not the family's: a group such as
            `knowledge.index`, or `ask.run_sql` for a tool that must be named; else None.
        further_rights: rights that open it too, for a tool that is of use to two groups.
        arguments: struct of the arguments; field descriptions stand in `Meta(description=...)`.
        result: struct of the result; `Content` for a tool whose answer is no JSON object.
        call: raises `VmkError` for what the caller can mend.
        aliases: accepted argument paths -> canonical ones, such as
            `{"limit": "pagination.limit", "filters.min_area": "filters.min_total_area"}`; in no schema.
        also_called: further names that a call may use; not listed.
        told_elsewhere: members of the result that another tool's output schema describes; this one's says
            no more of them than what they are.
        query_field: path of the argument that holds the caller's words, for the query log.
    """

    family: str
    name: str
    title: str
    description: str
    arguments: type[ArgumentsT]
    result: type[ResultT]
    call: Callable[[ArgumentsT, CallContext], Awaitable[ResultT]]
    annotations: Annotations = READ_ONLY
    right: str | None = None
    further_rights: Sequence[str] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    also_called: Sequence[str] = ()
    told_elsewhere: Sequence[str] = ()
    query_field: str | None = None

    def open_to(self, caller: Caller) -> bool:
        """Say whether `caller` may list and call this tool."""
        opening = (self.right or self.family, f"{self.family}.{self.name}", *self.further_rights)
        return not caller.rights.isdisjoint(opening)


AnyTool = Tool[Any, Any]


class Resource(Struct, frozen=True, kw_only=True):
    """A resource, or a template of resources when `uri` holds `{name}`.

    Attributes:
        uri: URI, or an RFC 6570 level 1 template such as `listing://{id}`.
        read: gives the text, or bytes where it is none, of the variables of the template; raises `NotFound`.
    """

    family: str
    uri: str
    name: str
    title: str
    description: str
    mime_type: str
    read: Callable[[Mapping[str, str], CallContext], Awaitable[str | bytes]]


class PromptArgument(Struct, frozen=True):
    """MCP 2025-06-18 `PromptArgument`."""

    name: str
    description: str
    required: bool = False


class Prompt(Struct, frozen=True, kw_only=True):
    """A prompt.

    Attributes:
        render: gives, of the argument values, the text of its one user message, or a block for each message.
    """

    family: str
    name: str
    title: str
    description: str
    arguments: Sequence[PromptArgument]
    render: Callable[[Mapping[str, str]], str | Sequence[ContentBlock]]


class Completer(Struct, frozen=True, kw_only=True):
    """Completes the argument `argument` of the prompt or resource template `reference`.

    `complete` gives all known values that begin like the text, best first; the protocol cuts at 100.
    """

    family: str
    reference: str
    argument: str
    complete: Callable[[str, CallContext], Awaitable[Sequence[str]]]


class Offer(Struct, frozen=True, kw_only=True):
    """All that one family shows to clients."""

    family: str
    tools: Sequence[AnyTool] = ()
    resources: Sequence[Resource] = ()
    prompts: Sequence[Prompt] = ()
    completers: Sequence[Completer] = ()
    instructions: str = ""


class Readiness(Struct, frozen=True, omit_defaults=True):
    """How a family stands: `ok`, `degraded` (answers, but not all or not fully) or `unavailable`.

    Attributes:
        reasons: for operators, with all names and counts.
        told: for whoever else has a token, where the reasons tell more than every token may see; None: the
            reasons themselves.
    """

    status: str
    reasons: tuple[str, ...] = ()
    told: tuple[str, ...] | None = None
