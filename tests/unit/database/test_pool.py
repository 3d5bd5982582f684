"""What of the pool needs no server."""

import pytest

from tests.fakes import RecordingObserver
from vmk_mcp.database.pool import Database, PoolLimits, reading_session
from vmk_mcp.listings.store import WARM_TEXT_SEARCH


def test_a_reading_session_cannot_write_and_ends_long_statements() -> None:
    session = reading_session(PoolLimits(query_timeout_s=2.5))
    assert session["default_transaction_read_only"] == "on"
    assert session["statement_timeout"] == "2500"
    assert session["plan_cache_mode"] == "force_custom_plan"
    assert int(session["hnsw.ef_search"]) >= 100
    assert session["hnsw.iterative_scan"] == "relaxed_order"


async def test_a_pool_that_is_not_open_is_a_bug_and_no_failure_of_the_store() -> None:
    database = Database(
        "listings", "", limits=PoolLimits(), session={}, warm_up=(), observer=RecordingObserver()
    )
    with pytest.raises(RuntimeError, match=r"before open\(\)"):
        await database.fetch_all(WARM_TEXT_SEARCH)
    assert (database.open_connections, database.idle_connections) == (0, 0)
    await database.close()
