"""What the figures are held against: where they have to come, and what holds today."""

from typing import Final

from msgspec import Struct

from tests.bench.others import FASTMCP, SDK, TOOLBOX


class Limit(Struct, frozen=True):
    """Most CPU of a call, as a multiple of the bare peer's.

    Attributes:
        goal: where it has to come; the report says whether it is met.
        today: what fails the bench, and `reason` says why it is not the goal.
    """

    goal: float
    today: float
    reason: str = ""


_ROWS_REASON: Final = (
    "the door costs what the rows' shorter way to JSON does not win back yet; measured at 1.1 to 1.4, so "
    "that one more round trip or pass over the rows shows"
)

_VECTOR_REASON: Final = (
    "reading wishes and resolving filters take some 150 microseconds, which the bare peer does not do; "
    "measured at 1.2 to 1.65 before tasks and foldings of each call were saved"
)

LIMITS: Final = {
    "ping": Limit(goal=1.5, today=1.5),
    "by id": Limit(goal=1.0, today=1.7, reason=_ROWS_REASON),
    "page of 20": Limit(goal=1.0, today=1.7, reason=_ROWS_REASON),
    "vector top 10": Limit(goal=1.0, today=2.0, reason=_VECTOR_REASON),
}
"""By call, against the bare peer."""

GOALS_BESIDE_OTHERS: Final = {
    ("ping", SDK): 1 / 6,
    ("ping", FASTMCP): 1 / 7,
    ("by id", TOOLBOX): 1.0,
    ("page of 20", TOOLBOX): 0.6,
    ("vector top 10", TOOLBOX): 0.5,
}
"""Most CPU of a call as a multiple of that of a peer that others built."""

RATE_GOAL: Final = 1.0
"""Least calls a second of two workers, as a multiple of MCP Toolbox's."""

OWN_SHARE_MS: Final = 0.5
"""Most that is added to a search for 20 brief hits by all that is neither Postgres nor the embedder, p50."""

SECOND_START_S: Final = 3.0
"""From start to ready, where the data is there already."""

IDLE_BYTES: Final = 90_000_000
"""Without the local model."""
