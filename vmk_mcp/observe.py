"""Everything that can happen, as structs, and the Observer that is told; logs and metrics both feed on it."""

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Final, Protocol

from msgspec import Struct


class CallFinished(Struct, frozen=True, tag=True):
    """One JSON-RPC message was answered.

    Attributes:
        method: JSON-RPC method, or "" when it could not be told.
        tool: tool name, or "" when the method is not `tools/call` or the tool is unknown.
        code: "ok", a `VmkError` code, or the JSON-RPC error code as text.
        status: HTTP status.
        elapsed_s: wall time in seconds, body read to answer encoded.
        stages: seconds by stage (`embed`, `database`, `encode`).
        rows: rows fetched from Postgres.
        query: the question or query text; logged only when the operator asks for it.
        dropped: names of unknown arguments that the caller's profile drops.
    """

    request_id: str
    token: str
    method: str
    tool: str
    code: str
    status: int
    elapsed_s: float
    stages: dict[str, float]
    rows: int
    query: str = ""
    dropped: tuple[str, ...] = ()
    traceparent: str = ""


class Initialized(Struct, frozen=True, tag=True):
    """A client opened; `outcome` is `direct_success` or `compatibility_success`."""

    outcome: str


class RequestRefused(Struct, frozen=True, tag=True):
    """The door turned a request away before the protocol saw it."""

    request_id: str
    code: str
    status: int


class QueryFailed(Struct, frozen=True, tag=True):
    """A statement failed; `query` is the SQL file's name, never its parameters."""

    query: str
    code: str
    sqlstate: str


class StoreChanged(Struct, frozen=True, tag=True):
    """A pool became reachable or unreachable."""

    store: str
    reachable: bool


class Embedded(Struct, frozen=True, tag=True):
    """Texts were turned into vectors, or taken from the cache."""

    model: str
    texts: int
    cached: int
    elapsed_s: float


class EmbedderChanged(Struct, frozen=True, tag=True):
    """The embedder's breaker opened (`reachable` false) or closed."""

    model: str
    reachable: bool
    reason: str


class StatementJudged(Struct, frozen=True, tag=True):
    """The guard and Postgres decided on a statement; `code` is "ok", a reason code or a `VmkError` code."""

    tool: str
    source: str
    code: str


class Warned(Struct, frozen=True, tag=True):
    """Something an operator should know, in one sentence, with no secret and no person's data in it."""

    subject: str
    message: str


class Crashed(Struct, frozen=True, tag=True):
    """An exception that is our bug; the traceback goes to the log and nowhere else."""

    request_id: str
    error: BaseException


Event = (
    CallFinished
    | Initialized
    | RequestRefused
    | QueryFailed
    | StoreChanged
    | Embedded
    | EmbedderChanged
    | StatementJudged
    | Warned
    | Crashed
)


class Observer(Protocol):
    """Is told of every event, in the event loop, and must return at once."""

    def observe(self, event: Event) -> None:
        """Take note of `event`; never raises."""


class Observers:
    """Several observers as one."""

    def __init__(self, *observers: Observer) -> None:
        self._observers: Sequence[Observer] = observers

    def observe(self, event: Event) -> None:
        """Tell each of them in turn."""
        for observer in self._observers:
            observer.observe(event)


class Stages:
    """Where the time of one call went, and how many rows it fetched."""

    __slots__ = ("rows", "seconds")

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.rows = 0

    def add(self, stage: str, seconds: float) -> None:
        """Add `seconds` to `stage`."""
        self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds


current_stages: Final[ContextVar[Stages | None]] = ContextVar("current_stages", default=None)
