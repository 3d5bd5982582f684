"""What one run gives."""

from statistics import median

from msgspec import Struct

from tests.bench.calls import Ways
from tests.bench.load import Timing


class Cost(Struct, frozen=True):
    """CPU of the server's process for one call, in microseconds, by round.

    Attributes:
        others_us: the same of the peers that others built, by name, in the first rounds only.
    """

    call: str
    ours_us: list[float]
    bare_us: list[float]
    others_us: dict[str, list[float]]

    @property
    def ratio(self) -> float:
        """Ours to bare's, each round against itself; the middle one."""
        return median(ours / bare for ours, bare in zip(self.ours_us, self.bare_us, strict=True))

    def ratio_to(self, other: str) -> float:
        """Ours to that of the peer `other`, in the same way."""
        return median(
            ours / theirs for ours, theirs in zip(self.ours_us, self.others_us[other], strict=False)
        )


class Rate(Struct, frozen=True):
    """Calls a second that the service with two workers and MCP Toolbox answer, by round."""

    call: str
    ours: list[float]
    toolbox: list[float]

    @property
    def ratio(self) -> float:
        """Ours to Toolbox's, each round against itself; the middle one."""
        return median(ours / theirs for ours, theirs in zip(self.ours, self.toolbox, strict=True))


class Latency(Struct, frozen=True):
    """Times of one call when one client calls alone."""

    call: str
    ours: Timing
    bare: Timing
    others: dict[str, Timing]


class Idle(Struct, frozen=True):
    """Resident memory of an idle service, in bytes, and whether the local model is part of it."""

    resident_bytes: int
    has_model: bool


class Starts(Struct, frozen=True):
    """Seconds from start to ready, and memory.

    Attributes:
        with_model: after a search of listings and one of documents.
        filled_without_model: at the start that made and filled the servers.
        without_model: at the next one.
    """

    cold_s: float
    second_s: list[float]
    with_model: Idle
    filled_without_model: Idle
    without_model: Idle


class Figures(Struct, frozen=True):
    """All that one run gives.

    Attributes:
        rows: listings in the database.
        ways: the SQL files that page and search by meaning took.
        answered: call -> peer -> ids of the listings that it answers with.
        not_had: peer -> why it is not here.
        own_ms: of a search for 20 brief hits, what neither Postgres nor the embedder took; milliseconds.
        driver_us: CPU of asyncpg alone to fetch a listing by id, in microseconds, by round.
    """

    rows: int
    ways: Ways
    answered: dict[str, dict[str, list[int]]]
    not_had: dict[str, str]
    starts: Starts
    costs: list[Cost]
    driver_us: list[float]
    latencies: list[Latency]
    own_ms: float
    rates: list[Rate]
