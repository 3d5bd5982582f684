"""The county's database, played in memory over a handful of made-up records, one of them invalid."""

from tests.fake_spatial_store import FakeSpatialStore
from tests.spatial_rows import ROWS, YOUYANG
from vmk_mcp.spatial.queries import Unusable


class PlayedSpatialStore(FakeSpatialStore):
    """See `SpatialStore`: one burial ground of Youyang cannot be found."""

    def __init__(self) -> None:
        super().__init__(ROWS)
        self.unusable = [Unusable("burial_ground", YOUYANG, "Self-intersection", 1, [2])]
