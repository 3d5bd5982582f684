"""What the bench of the spatial tools found, as a page."""

import os
from collections.abc import Mapping
from typing import Final

from tests.bench.spatial.measure import CALLS, Figure
from tests.integration.spatial.conftest import MANY

MOST: Final = 3.0
"""Times the bare statement's 95th percentile."""

_OPENING: Final = """\
# What the spatial tools cost

Written by `make bench` on {cores} cores: the made-up county with {many:,} water sources more, {calls} random
points for each tool, one call at a time, within all towns but one. `ours` is the tool from its arguments to
the bytes of its answer, without HTTP; `bare` the same statement with the same values by asyncpg alone, in
turns with it. Milliseconds, 95th percentiles; the ratio has to stay below {most:g}.

| tool | bare | ours | ratio |
| --- | --- | --- | --- |
"""


def write_page(figures: Mapping[str, Figure]) -> str:
    """Give the text of the page."""
    opening = _OPENING.format(cores=os.cpu_count(), many=MANY, calls=CALLS, most=MOST)
    rows = [
        f"| {name} | {one.bare_ms:.2f} | {one.ours_ms:.2f} | {one.ours_ms / one.bare_ms:.2f} |"
        for name, one in figures.items()
    ]
    return opening + "\n".join(rows) + "\n"
