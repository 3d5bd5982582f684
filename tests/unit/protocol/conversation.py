"""A protocol over a made-up library and four tools for tests, and a way to talk to it."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from vmk_mcp.diagnostics.tools import OFFER
from vmk_mcp.errors import NotFound, StoreUnavailable
from vmk_mcp.protocol import Answer, Cancel, Protocol, load_profiles
from vmk_mcp.tool import (
    CallContext,
    Caller,
    Completer,
    Content,
    Offer,
    Prompt,
    PromptArgument,
    Resource,
    Tool,
)

PROFILES: Final = load_profiles(Path(__file__).parents[3] / "contracts" / "profiles")
RIGHTS: Final = frozenset({"library", "diagnostics"})
MAX_RESPONSE_BYTES: Final = 2 * 1024 * 1024
TOWNS: Final = tuple(f"Місто {number}" for number in range(150))


class Shelfmark(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a book stands."""

    room: Annotated[int, Meta(ge=1, le=9)]
    row: str = "A"


class BookFilters(Struct, frozen=True, forbid_unknown_fields=True):
    """Conditions on a book."""

    city: Annotated[tuple[str, ...], Meta(description="Cities.", examples=[["Львів"]])] | None = None
    kind: tuple[Literal["novel", "poem"], ...] | None = None
    min_pages: Annotated[int, Meta(ge=0, description="Pages.")] | None = None
    max_price: Annotated[float, Meta(gt=0)] | None = None
    in_print: bool | None = None
    since: str | None = None
    shelfmark: Shelfmark | None = None


class Pagination(Struct, frozen=True, forbid_unknown_fields=True):
    """A page of a list."""

    limit: Annotated[int, Meta(ge=1, le=100, description="Rows on a page.")] = 20
    offset: Annotated[int, Meta(ge=0)] = 0


class FindBooks(Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of `find_books`."""

    query: Annotated[str, Meta(min_length=1, max_length=200, description="Words, in Ukrainian.")]
    filters: Annotated[BookFilters, Meta(description="All optional.")] = BookFilters()
    pagination: Pagination = Pagination()
    sort_by: Literal["relevance", "price"] = "relevance"
    exact_total: bool = False
    weights: dict[str, float] | None = None

    def __post_init__(self) -> None:
        if self.query == "contradiction":
            raise ValueError("query contradicts itself")


class FoundBooks(Struct, frozen=True):
    """Result of `find_books`: what was asked."""

    asked: FindBooks
    next_offset: int | None = None


async def find_books(arguments: FindBooks, context: CallContext) -> FoundBooks:
    """Give back what was asked."""
    return FoundBooks(arguments)


async def read_book(variables: Mapping[str, str], context: CallContext) -> str:
    """Give a book's text; only book 7 exists, and the store of book 8 is down."""
    if variables["id"] == "8":
        raise StoreUnavailable("The store cannot be reached.", hint="Try again.")
    if variables["id"] != "7":
        raise NotFound("no such book")
    return "Кобзар"


async def read_rules(variables: Mapping[str, str], context: CallContext) -> str:
    """Give the library's rules."""
    return "Silence."


async def complete_town(text: str, context: CallContext) -> Sequence[str]:
    """Give the towns that begin like `text`."""
    return [town for town in TOWNS if town.startswith(text)]


def render_review(values: Mapping[str, str]) -> str:
    """Ask for a review."""
    return f"Review {values['title']} for {values.get('reader', 'anyone')}"


FIND_BOOKS: Final = Tool(
    family="library",
    name="find_books",
    title="Find books",
    description="Finds books.",
    arguments=FindBooks,
    result=FoundBooks,
    call=find_books,
    aliases={
        "query_text": "query",
        "limit": "pagination.limit",
        "filters.min_length": "filters.min_pages",
        "where": "filters",
    },
    also_called=("search_books",),
)
LIBRARY: Final = Offer(
    family="library",
    tools=(FIND_BOOKS,),
    resources=(
        Resource(
            family="library",
            uri="rules://library",
            name="rules",
            title="Rules",
            description="The rules.",
            mime_type="text/plain",
            read=read_rules,
        ),
        Resource(
            family="library",
            uri="book://{id}",
            name="book",
            title="Book",
            description="One book.",
            mime_type="text/plain",
            read=read_book,
        ),
    ),
    prompts=(
        Prompt(
            family="library",
            name="review",
            title="Review",
            description="Asks for a review.",
            arguments=(
                PromptArgument("title", "Its title.", required=True),
                PromptArgument("reader", "For whom."),
            ),
            render=render_review,
        ),
    ),
    completers=(
        Completer(family="library", reference="review", argument="reader", complete=complete_town),
        Completer(family="library", reference="book://{id}", argument="id", complete=complete_town),
    ),
    instructions="Put queries into Ukrainian.",
)

TRIALS: Final = Offer(family=OFFER.family, tools=[tool for tool in OFFER.tools if tool.result is not Content])
"""The diagnostics family without the fixtures of the conformance suite."""


def make_protocol(*offers: Offer, max_response_bytes: int = MAX_RESPONSE_BYTES) -> Protocol:
    """Make a protocol over `offers`; over the library and the trials where none are given."""
    return Protocol(
        server_name="vmk-mcp",
        server_version="1.2.3",
        instructions="Search.",
        offers=offers or (LIBRARY, TRIALS),
        profiles=PROFILES,
        max_response_bytes=max_response_bytes,
    )


PROTOCOL: Final = make_protocol()


class Reply(Struct, frozen=True):
    """One answer, and its body read; `message` is empty where there is no body."""

    answer: Answer
    message: dict[str, Any]

    @property
    def status(self) -> int:
        return self.answer.status

    @property
    def result(self) -> Any:
        return self.message["result"]

    @property
    def error(self) -> Any:
        return self.message["error"]

    @property
    def tool_error(self) -> dict[str, Any]:
        """The error that a tool result holds as its text."""
        assert self.result["isError"] is True
        assert "structuredContent" not in self.result
        error: dict[str, Any] = msgspec.json.decode(self.result["content"][0]["text"])
        return error


def caller(*rights: str, profile: str = "fixed") -> Caller:
    """Make a caller; with every right where none are named."""
    return Caller("tester", profile, frozenset(rights) or RIGHTS)


def say(
    message: bytes | Mapping[str, Any] | Sequence[Any],
    *,
    by: Caller | None = None,
    header: str | None = None,
    to: Protocol = PROTOCOL,
) -> Reply:
    """Send one message and await what it asks for."""
    body = message if isinstance(message, bytes) else msgspec.json.encode(message)
    work = to.read(body, by or caller(), header)
    if isinstance(work, Cancel):
        work = work.answer
    if not isinstance(work, Answer):
        work = to.write(work, asyncio.run(_outcome_of(work.begin())), "request-1")
    return Reply(work, msgspec.json.decode(work.body) if work.body else {})


async def _outcome_of(begun: Any) -> object:
    try:
        return await begun
    except Exception as problem:  # noqa: BLE001 - the protocol is given whatever a call raises
        return problem


def ask(method: str, params: object = None, **how: Any) -> Reply:
    """Send one request with id 1."""
    given = {} if params is None else {"params": params}
    return say({"jsonrpc": "2.0", "id": 1, "method": method, **given}, **how)


def call(tool: str, arguments: object, **how: Any) -> Reply:
    """Call one tool."""
    return ask("tools/call", {"name": tool, "arguments": arguments}, **how)
