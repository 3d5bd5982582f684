"""The fake store does what Postgres does: both are held to one contract."""

import pytest

from tests.fake_listing_store import FakeListingStore
from tests.listing_rows import ROWS
from tests.listing_store_contract import CHECKS


@pytest.mark.parametrize("promise", CHECKS)
async def test_the_fake_store_keeps_each_promise(promise: str) -> None:
    await CHECKS[promise](FakeListingStore(ROWS))
