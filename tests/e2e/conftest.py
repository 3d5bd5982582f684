"""One running service for the journeys that only read from it."""

from collections.abc import Iterator

import pytest

from tests.e2e.service import Service, fresh_service


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    """The service as `make run` starts it, with its embedded Postgres and the sample."""
    with fresh_service() as running:
        yield running
