"""One running service for the journeys that only read from it."""

import hashlib
import re
from collections.abc import Iterator

import pytest

from tests.e2e.service import Service, fresh_service


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    """The service as `make run` starts it, with its embedded Postgres and the sample."""
    with fresh_service() as running:
        yield running
        assert_discreet(running)


def assert_discreet(service: Service) -> None:
    """Check that the log of all journeys holds no token, no contact and no words of a query."""
    lines = [line for line in service.log.splitlines() if line.startswith("{")]
    secrets = (service.token, hashlib.sha256(service.token.encode()).hexdigest(), "+380")
    # Every query, place and person of the journeys is written in Cyrillic, and nothing else in the log is.
    told = [
        line
        for line in lines
        if any(one in line for one in secrets) or re.search("[а-яіїєґ]", line, re.IGNORECASE)
    ]
    assert lines
    assert told == []
