"""The municipal sample with all that asking needs around it, and a drafter that says what it is told."""

from collections.abc import AsyncIterator

import pytest

from tests.integration.ask.asked import AskedCity, open_city
from tests.integration.servers import Dsn
from vmk_mcp.database.credentials import Role


@pytest.fixture
async def city(municipal: Dsn) -> AsyncIterator[AskedCity]:
    """The service over the municipal sample, its log kept in memory."""
    async with open_city(municipal(Role.ASK)) as opened:
        yield opened
