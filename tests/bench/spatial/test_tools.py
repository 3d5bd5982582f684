"""What the spatial tools promise among 100,000 points: little more time than their bare statements."""

import pytest

from tests.bench.spatial.measure import TOOLS, Figure
from tests.bench.spatial.page import MOST

pytestmark = pytest.mark.bench


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_takes_little_more_than_its_bare_statement(
    spatial_figures: dict[str, Figure], name: str
) -> None:
    figure = spatial_figures[name]
    assert figure.ours_ms < MOST * figure.bare_ms
