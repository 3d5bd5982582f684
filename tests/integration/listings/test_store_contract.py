"""Postgres keeps the promises that the fake store is held to."""

import pytest

from tests.listing_store_contract import CHECKS
from vmk_mcp.listings.store import PostgresListingStore


@pytest.mark.parametrize("promise", CHECKS)
async def test_the_postgres_store_keeps_each_promise(rows_store: PostgresListingStore, promise: str) -> None:
    await CHECKS[promise](rows_store)
