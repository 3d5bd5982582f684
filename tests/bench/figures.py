"""What one run gives."""

from statistics import median

from msgspec import Struct

from tests.bench.calls import Ways
from tests.bench.load import Timing


class Cost(Struct, frozen=True):
    """CPU of the server's process for one call, in microseconds, by round."""

    call: str
    ours_us: list[float]
    bare_us: list[float]

    @property
    def ratio(self) -> float:
        """Ours to bare's, each round against itself; the middle one."""
        return median(ours / bare for ours, bare in zip(self.ours_us, self.bare_us, strict=True))


class Latency(Struct, frozen=True):
    """Times of one call when one client calls alone."""

    call: str
    ours: Timing
    bare: Timing


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
        answered: call -> ids of the listings that we and the bare peer answer with.
        driver_us: CPU of asyncpg alone to fetch a listing by id, in microseconds, by round.
    """

    rows: int
    ways: Ways
    answered: dict[str, tuple[list[int], list[int]]]
    starts: Starts
    costs: list[Cost]
    driver_us: list[float]
    latencies: list[Latency]
