"""The labelled queries as they stand in `queries.toml`, by category."""

from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from tests.bench.eval.rules import LabelledQuery

_FILE: Final = Path(__file__).with_name("queries.toml")


@cache
def read_queries() -> dict[str, list[LabelledQuery]]:
    """Give the queries of each category, in the order of the file."""
    return msgspec.toml.decode(_FILE.read_text("utf-8"), type=dict[str, list[LabelledQuery]])
