"""What the service needs from outside: a drafter, the asked database, a log."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from msgspec import Struct

from vmk_mcp.ask.guard import CheckedSelect
from vmk_mcp.ask.model import AskedSource, Draft, Refusal


class Drafter(Protocol):
    """Turns a question into SQL.

    Attributes:
        backend: its name in results and in the log.
    """

    backend: str

    async def draft(
        self, question: str, source: AskedSource, refused: tuple[Draft, Refusal] | None
    ) -> Draft | Refusal:
        """Propose one statement, or say why there is none; never raises `VmkError`, and ends in bounded time.

        Args:
            question: as the caller put it.
            source: what may be asked.
            refused: the draft before and why it was not run, where this is another try.
        """


class SelectedColumn(Struct, frozen=True):
    """A column of an answer; `type` as `format_type` writes it."""

    name: str
    type: str


class Selected(Struct, frozen=True):
    """What a statement gave.

    Attributes:
        rows: values by place, each of a JSON type.
        truncated: there were more rows, or a text was cut.
    """

    columns: Sequence[SelectedColumn]
    rows: Sequence[Sequence[Any]]
    truncated: bool


class AskStore(Protocol):
    """The asked database; every method raises `StoreUnavailable`."""

    async def explain(self, checked: CheckedSelect, within_s: float) -> object | Refusal:
        """Give the decoded JSON of the plan, or why there is none."""

    async def run(self, checked: CheckedSelect, within_s: float) -> Selected | Refusal:
        """Give the first rows, or why there are none: `timeout` where they did not come within `within_s`."""


class Snapshot(Struct, frozen=True):
    """A source as it is now.

    Attributes:
        behind: relations that open ones are made of: partitions, and what views read.
    """

    asked: AskedSource
    behind: frozenset[str] = frozenset()


class SnapshotReader(Protocol):
    """Reads what may be asked."""

    async def get(self) -> Snapshot:
        """Give the source as it was a little while ago at most.

        Raises:
            StoreUnavailable: the database cannot be reached.
            NotOffered: its login may not ask, or nothing in it is open.
        """

    async def check(self) -> None:
        """Reach the database right now; raises as `get` does."""


class AskedQuery(Struct, frozen=True):
    """A call on record; never its rows.

    Attributes:
        token: name of the token.
        tool: the tool that was called.
        reason_code: of a refusal, else "".
    """

    asked_at: datetime
    token: str
    source: str
    tool: str
    question: str
    sql: str
    backend: str
    rejected: bool
    reason_code: str
    row_count: int
    elapsed_ms: float


class QueryRecorder(Protocol):
    """Keeps what was asked."""

    async def record(self, query: AskedQuery) -> None:
        """Take `query`; it may wait while many others are being written, never fails, and writes later."""
