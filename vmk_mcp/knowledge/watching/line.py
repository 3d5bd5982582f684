"""The line to the service: its tools, called over MCP."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol, TypeVar

import msgspec
from msgspec import Struct

from vmk_mcp.client import ClientError, McpClient, NotLetIn, ServerUnreachable
from vmk_mcp.client_messages import ProgressParams
from vmk_mcp.knowledge.model import FileOutcome, IndexingResult, IndexStats
from vmk_mcp.knowledge.watching.model import Batch, IndexStanding, Operation, Standing, Verdict

TellDone = Callable[[float, float | None], Awaitable[None]]
"""Told how much of the call under way is done, of how much where that is known."""

ResultT = TypeVar("ResultT", bound=Struct)

_STATS: Final = "get_index_stats"
_REINDEX: Final = "reindex_vector"
NEEDED: Final = (*Operation, _REINDEX, _STATS)


class IndexLine(Protocol):
    """What the watcher wants of the service.

    Every method raises `ClientError` when it comes to nothing; what was asked may be done all the same.
    """

    async def open(self) -> None:
        """Make sure that the service is there and lets this watcher call all that it needs."""

    async def read_standing(self) -> IndexStanding:
        """Ask how the index stands."""

    async def send(self, batch: Batch, tell: TellDone) -> Sequence[Verdict]:
        """Have one batch done; gives what became of each file."""

    async def reindex(self, tell: TellDone) -> None:
        """Have the service go over its whole folder, and forget files that are gone."""

    async def close(self) -> None:
        """Let go of the connection."""


class NotDone(ClientError):
    """The service answers, but not all that it was asked to do is done."""


class McpIndexLine:
    """Speaks with a service over MCP; see `IndexLine`."""

    def __init__(self, connect: Callable[[], McpClient], user_id: int | None = None) -> None:
        """Describe the line; nothing is opened yet.

        Args:
            connect: gives a client; asked whenever the line is opened: a token may be replaced meanwhile.
            user_id: whose documents, or None for the shared ones.
        """
        self._connect = connect
        self._whose = {} if user_id is None else {"user_id": user_id}
        self._client: McpClient | None = None

    async def open(self) -> None:
        """See `IndexLine`."""
        await self.close()
        self._client = self._connect()
        health = await self._client.health()
        missing = [name for name in NEEDED if name not in health.tools]
        if missing:
            raise NotLetIn(
                f"The service does not offer {missing[0]} to this token.",
                hint="It needs the rights knowledge and knowledge.index; the service, VECTOR_SEARCH_ENABLED.",
            )

    async def read_standing(self) -> IndexStanding:
        """See `IndexLine`."""
        stats = self._convert(await self._opened.call_tool(_STATS, self._whose), IndexStats)
        if not stats.generation:
            raise NotDone("The service is still making its first index.")
        return IndexStanding(stats.generation, stats.files, stats.failed)

    async def send(self, batch: Batch, tell: TellDone) -> Sequence[Verdict]:
        """See `IndexLine`."""
        arguments = {"file_paths": list(batch.paths), **self._whose}
        answer = await self._opened.call_tool(batch.operation, arguments, _pass_on(tell))
        return [_judge(outcome) for outcome in self._convert(answer, IndexingResult).files]

    async def reindex(self, tell: TellDone) -> None:
        """See `IndexLine`."""
        await self._opened.call_tool(_REINDEX, {"force": False, **self._whose}, _pass_on(tell))

    async def close(self) -> None:
        """See `IndexLine`."""
        if self._client is not None:
            await self._client.__aexit__(None, None, None)
            self._client = None

    @property
    def _opened(self) -> McpClient:
        if self._client is None:
            raise ServerUnreachable("The line to the service is not open.")
        return self._client

    def _convert(self, answer: object, kind: type[ResultT]) -> ResultT:
        try:
            return msgspec.convert(answer, kind)
        except msgspec.ValidationError:
            raise ServerUnreachable("What answers is another service, or of another version.") from None


def _pass_on(tell: TellDone) -> Callable[[ProgressParams], Awaitable[None]]:
    async def tell_progress(progress: ProgressParams) -> None:
        await tell(progress.progress, progress.total)

    return tell_progress


def _judge(outcome: FileOutcome) -> Verdict:
    return Verdict(
        outcome.file_path,
        _standing_of(outcome),
        sha256=outcome.content_hash or "",
        reason=outcome.reason or "",
    )


def _standing_of(outcome: FileOutcome) -> Standing:
    if outcome.status == "skipped":
        return Standing.SKIPPED
    if outcome.status == "failed":
        return Standing.SENT if outcome.retryable else Standing.FAILED
    return Standing.INDEXED
