"""One run of the bench over the county of 100,000 points that the integration tests make."""

import asyncio
from pathlib import Path
from typing import Final

import pytest

from tests.bench.spatial.measure import Figure, measure_tools
from tests.bench.spatial.page import write_page
from tests.integration.conftest import county_template, postgis
from tests.integration.servers import Dsn
from tests.integration.spatial.conftest import crowded_county
from vmk_mcp.database.credentials import Role

__all__ = ["county_template", "crowded_county", "postgis"]

_RESULTS: Final = Path(__file__).parents[1] / "RESULTS-spatial.md"


@pytest.fixture(scope="session")
def spatial_figures(request: pytest.FixtureRequest) -> dict[str, Figure]:
    """The figures of this run; its page is written whatever the tests say of it."""
    dsn: Dsn = request.getfixturevalue("crowded_county")
    found = asyncio.run(measure_tools(dsn(Role.READER)))
    _RESULTS.write_text(write_page(found), "utf-8")
    return found
