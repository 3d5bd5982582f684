"""The store in memory keeps to the contract of stores."""

import pytest

from tests.fake_spatial_store import FakeSpatialStore
from tests.spatial_rows import ROWS
from tests.spatial_store_contract import CHECKS, Check


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_the_fake_store_keeps_the_contract(check: Check) -> None:
    await check(FakeSpatialStore(ROWS))
