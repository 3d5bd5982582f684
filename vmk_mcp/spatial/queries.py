"""What goes into the SQL files, and the rows that are not shown to clients as they are."""

from msgspec import Struct

from vmk_mcp.spatial.tables import Kind


class Total(Struct, frozen=True):
    """What is said of a whole list: how many records match, after scope and all filters."""

    total: int


class SquadronTotal(Struct, frozen=True):
    """The same of squadrons, and how many grids cover the point."""

    total: int
    covering: int


class Scoped(Struct, frozen=True, kw_only=True):
    """A query within the caller's towns."""

    all_towns: bool
    towns: list[str]


class PlaceQuery(Scoped, frozen=True, kw_only=True):
    """A page of records by a word; `pairs` are LIKE patterns, at least one."""

    wanted: str
    pairs: list[str]
    spellings: list[str] | None
    kind: Kind | None
    limit: int
    offset: int


class PointQuery(Scoped, frozen=True, kw_only=True):
    """A page of records around a point; degrees, WGS 84."""

    longitude: float
    latitude: float
    limit: int
    offset: int


class WaterQuery(PointQuery, frozen=True, kw_only=True):
    """See `find_water_sources.sql`."""

    radius_m: float | None
    kind: str | None
    min_capacity_m3: float | None


class PostQuery(PointQuery, frozen=True, kw_only=True):
    """See `find_command_posts.sql`."""

    radius_m: float | None
    kind: str | None


class RouteQuery(PointQuery, frozen=True, kw_only=True):
    """See `find_access_routes.sql`."""

    radius_m: float | None
    min_width_m: float | None


class RiskQuery(PointQuery, frozen=True, kw_only=True):
    """See `find_risk_areas.sql`."""

    radius_m: float


class ShapeQuery(Scoped, frozen=True, kw_only=True):
    """Outlines of records, each named by its table and id; texts of at most `most` bytes."""

    kinds: list[str]
    ids: list[int]
    most: int


class ShapeRow(Struct, frozen=True):
    """The outline of one record; `shape` is GeoJSON, `detail` says how much of it is left."""

    kind: str
    id: int
    detail: str
    shape: str


class TableNames(Struct, frozen=True):
    """Which tables to look at."""

    tables: list[str]


class LiveColumn(Struct, frozen=True):
    """One column of a live table."""

    table_name: str
    name: str
    type: str
    is_readable: bool


class TableAudit(Struct, frozen=True):
    """What the geometry of one table is like; see `audit_tables.sql`."""

    kind: Kind
    records: int
    srids: list[int]
    types: list[str]
    with_z: int
    empty: int
    invalid: int
    out_of_range: int


class Unusable(Struct, frozen=True):
    """Records of one town that no query answers with, for one reason."""

    kind: Kind
    town: str | None
    reason: str
    records: int
    some_ids: list[int]


class TownExtent(Struct, frozen=True):
    """A town's records and the box that holds them; degrees, WGS 84."""

    town: str
    records: int
    west: float
    south: float
    east: float
    north: float
