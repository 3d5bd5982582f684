"""How many rows a generated series has."""

import math
from collections.abc import Sequence
from typing import Final

from vmk_mcp.ask.guard.extents import Extent, number, read_day, read_number, read_span
from vmk_mcp.ask.guard.limits import GuardLimits
from vmk_mcp.ask.guard.refusing import Refused

_READERS: Final = (read_number, read_day, read_span)


def count_series(arguments: Sequence[Extent], limits: GuardLimits) -> float:
    """Count the rows of `generate_series` at the most.

    Raises:
        Refused: `too_expensive`, where they may pass the limit or nobody knows.
    """
    start, stop = _read(arguments[0]), _read(arguments[1])
    step = _read(arguments[2]) if arguments[2:] else number(1)
    rows = _count(start, stop, step)
    if rows <= limits.series_rows:
        return rows
    raise Refused(
        "too_expensive",
        f"The function generate_series may make {limits.series_rows} rows, and its ends and "
        "step must be seen to stay within: write out dates as DATE '2024-01-31' and steps as "
        "INTERVAL '1 month', or use LEAST(...).",
    )


def _count(start: Extent, stop: Extent, step: Extent) -> float:
    if step.low > 0:
        distance = stop.high - start.low
    elif step.high < 0:
        distance = start.high - stop.low
    else:
        return math.inf
    stride = min(abs(step.low), abs(step.high))
    return math.inf if math.isnan(distance) else max(distance, 0.0) / stride + 1


def _read(extent: Extent) -> Extent:
    """Read a bare text as the number, date or interval that it is."""
    if extent.text is None:
        return extent
    return next((read for reader in _READERS if (read := reader(extent.text)).is_known), Extent())
