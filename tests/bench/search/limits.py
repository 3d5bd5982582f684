"""What the search part of the bench is held against."""

from typing import Final

RECALL: Final = 0.97
"""Least recall@10 for every filter."""

RATIO: Final = 1.5
"""Most of the service's p95, as a multiple of the better of both ways forced."""

FLAT: Final = 2.0
"""Where the growth of a call's cost has to come while the rows grow tenfold."""

STEEP: Final = {
    "by meaning": 5.0,
    "like a listing": 4.0,
    "fused": 8.0,
    "by meaning, flats to rent in a district": 3.5,
    "newest, flats to rent in a district": 3.5,
    "by a part of a word": 4.5,
}
"""Calls that are not flat yet, and what fails the bench. The index of 100,000 vectors no longer lies in the
caches; tenfold rows are tenfold matches to measure, to fuse and to sort."""
