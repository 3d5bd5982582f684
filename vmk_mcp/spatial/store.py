"""The family's ports onto SQL files: one method per file."""

from collections.abc import Sequence
from typing import Final

from vmk_mcp.database.pool import Database
from vmk_mcp.database.query import load_page_query, load_query
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

_SEARCH_PLACES: Final = load_page_query("spatial/search_places", head=Total, row=PlaceRow)
_GET_GRID_CONTEXT: Final = load_page_query("spatial/get_grid_context", head=Total, row=GridRow)
_FIND_RESPONSIBLE_SQUADRON: Final = load_page_query(
    "spatial/find_responsible_squadron", head=SquadronTotal, row=SquadronRow
)
_FIND_WATER_SOURCES: Final = load_page_query("spatial/find_water_sources", head=Total, row=WaterRow)
_FIND_COMMAND_POSTS: Final = load_page_query("spatial/find_command_posts", head=Total, row=PostRow)
_FIND_ACCESS_ROUTES: Final = load_page_query("spatial/find_access_routes", head=Total, row=RouteRow)
_FIND_RISK_AREAS: Final = load_page_query("spatial/find_risk_areas", head=Total, row=RiskRow)
_READ_SHAPES: Final = load_query("spatial/read_shapes", row=ShapeRow)
_LIST_COLUMNS: Final = load_query("spatial/list_columns", row=LiveColumn)
_AUDIT_TABLES: Final = load_query("spatial/audit_tables", row=TableAudit)
_LIST_UNUSABLE: Final = load_query("spatial/list_unusable", row=Unusable)
_MEASURE_TOWNS: Final = load_query("spatial/measure_towns", row=TownExtent)


class PostgisStore:
    """See `SpatialStore` and `AuditStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def search_places(self, query: PlaceQuery) -> tuple[Total, list[PlaceRow]]:
        """See `SpatialStore.search_places`."""
        return await self._database.fetch_page(_SEARCH_PLACES, query)

    async def get_grid_context(self, query: PointQuery) -> tuple[Total, list[GridRow]]:
        """See `SpatialStore.get_grid_context`."""
        return await self._database.fetch_page(_GET_GRID_CONTEXT, query)

    async def find_responsible_squadron(self, query: PointQuery) -> tuple[SquadronTotal, list[SquadronRow]]:
        """See `SpatialStore.find_responsible_squadron`."""
        return await self._database.fetch_page(_FIND_RESPONSIBLE_SQUADRON, query)

    async def find_water_sources(self, query: WaterQuery) -> tuple[Total, list[WaterRow]]:
        """See `SpatialStore.find_water_sources`."""
        return await self._database.fetch_page(_FIND_WATER_SOURCES, query)

    async def find_command_posts(self, query: PostQuery) -> tuple[Total, list[PostRow]]:
        """See `SpatialStore.find_command_posts`."""
        return await self._database.fetch_page(_FIND_COMMAND_POSTS, query)

    async def find_access_routes(self, query: RouteQuery) -> tuple[Total, list[RouteRow]]:
        """See `SpatialStore.find_access_routes`."""
        return await self._database.fetch_page(_FIND_ACCESS_ROUTES, query)

    async def find_risk_areas(self, query: RiskQuery) -> tuple[Total, list[RiskRow]]:
        """See `SpatialStore.find_risk_areas`."""
        return await self._database.fetch_page(_FIND_RISK_AREAS, query)

    async def read_shapes(self, query: ShapeQuery) -> Sequence[ShapeRow]:
        """See `SpatialStore.read_shapes`."""
        return await self._database.fetch_all(_READ_SHAPES, query)

    async def list_columns(self, query: TableNames) -> Sequence[LiveColumn]:
        """See `AuditStore.list_columns`."""
        return await self._database.fetch_all(_LIST_COLUMNS, query)

    async def audit_tables(self) -> Sequence[TableAudit]:
        """See `AuditStore.audit_tables`."""
        return await self._database.fetch_all(_AUDIT_TABLES)

    async def list_unusable(self) -> Sequence[Unusable]:
        """See `AuditStore.list_unusable`."""
        return await self._database.fetch_all(_LIST_UNUSABLE)

    async def measure_towns(self) -> Sequence[TownExtent]:
        """See `AuditStore.measure_towns`."""
        return await self._database.fetch_all(_MEASURE_TOWNS)
