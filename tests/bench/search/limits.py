"""What the search part of the bench is held against."""

from typing import Final

RECALL: Final = 0.97
"""Least recall@10 for every filter."""

RATIO: Final = 1.5
"""Most of the service's p95, as a multiple of the better of both ways forced."""

FLAT: Final = 2.0
"""Most that a call's cost grows by while the rows grow tenfold."""
