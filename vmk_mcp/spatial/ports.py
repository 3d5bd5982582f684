"""What the spatial service needs from the world."""

from collections.abc import Sequence
from typing import Protocol

from vmk_mcp.spatial.model import GridRow, PlaceRow, PostRow, RiskRow, RouteRow, SquadronRow, WaterRow
from vmk_mcp.spatial.queries import (
    LiveColumn,
    PlaceQuery,
    PointQuery,
    PostQuery,
    RiskQuery,
    RouteQuery,
    ShapeQuery,
    ShapeRow,
    SquadronTotal,
    TableAudit,
    TableNames,
    Total,
    TownExtent,
    Unusable,
    WaterQuery,
)


class AuditStore(Protocol):
    """The database as the audit looks at it.

    Every method raises `StoreUnavailable`, `TooSlow` or `NotOffered`; all but the first need every table.
    """

    async def list_columns(self, query: TableNames) -> Sequence[LiveColumn]:
        """Give the columns of the tables that are there."""

    async def audit_tables(self) -> Sequence[TableAudit]:
        """Say what the geometry of each table that has records is like."""

    async def list_unusable(self) -> Sequence[Unusable]:
        """Say which records no query answers with, by table, town and reason."""

    async def measure_towns(self) -> Sequence[TownExtent]:
        """Give the towns, the one with most records first."""


class SpatialStore(Protocol):
    """The database as the service needs it: records with usable geometry within the caller's towns.

    Every method raises `StoreUnavailable`, `TooSlow` or `NotOffered`. Distances are metres on the spheroid;
    equals are in the order of table and id.
    """

    async def search_places(self, query: PlaceQuery) -> tuple[Total, list[PlaceRow]]:
        """Give records by name, village or town: exact, then prefix, then similar."""

    async def get_grid_context(self, query: PointQuery) -> tuple[Total, list[GridRow]]:
        """Give the grids that cover the point, smallest first."""

    async def find_responsible_squadron(self, query: PointQuery) -> tuple[SquadronTotal, list[SquadronRow]]:
        """Give the squadrons of those grids, or where there are none, of the nearest grid that has one."""

    async def find_water_sources(self, query: WaterQuery) -> tuple[Total, list[WaterRow]]:
        """Give water sources and tanks, nearest first."""

    async def find_command_posts(self, query: PostQuery) -> tuple[Total, list[PostRow]]:
        """Give check stations and lookout posts, nearest first."""

    async def find_access_routes(self, query: RouteQuery) -> tuple[Total, list[RouteRow]]:
        """Give passages, nearest first."""

    async def find_risk_areas(self, query: RiskQuery) -> tuple[Total, list[RiskRow]]:
        """Give burial grounds and works that cover the point or lie within the radius, nearest first."""

    async def read_shapes(self, query: ShapeQuery) -> Sequence[ShapeRow]:
        """Give the outlines of those of the records that there are."""
