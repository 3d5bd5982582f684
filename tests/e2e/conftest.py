"""One running service for the journeys that only read from it."""

import hashlib
import re
import time
from collections.abc import Iterator
from typing import Final

import pytest

from tests.e2e.service import Service, fresh_service

_LOGGED_WITHIN_S: Final = 10


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    """The service as `make run` starts it, with its embedded Postgres and the sample."""
    with fresh_service() as running:
        yield running
        assert_discreet(running)


def assert_discreet(service: Service) -> None:
    """Check that the log of all journeys holds no token, no contact and no words of a query."""
    # Where few journeys were asked for, there is a line all the same; it is written with a delay.
    service.call("search_by_metadata", {"query": "квартира"})
    deadline = time.monotonic() + _LOGGED_WITHIN_S
    while not (lines := [line for line in service.log.splitlines() if line.startswith("{")]):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    secrets = (service.token, hashlib.sha256(service.token.encode()).hexdigest(), "+380")
    # Every query, place and person of the journeys is written in Cyrillic, and nothing else in the log is.
    told = [
        line
        for line in lines
        if any(one in line for one in secrets) or re.search("[а-яіїєґ]", line, re.IGNORECASE)
    ]
    assert told == []
