"""A `SpatialStore` in memory over boxes, which scopes, orders and counts as honestly as the SQL files do."""

import json
import re
from collections.abc import Callable, Sequence
from math import asin, cos, degrees, hypot, radians, sin, sqrt
from typing import Final, Literal, TypeVar

from tests.spatial_rows import Record
from vmk_mcp.errors import VmkError
from vmk_mcp.spatial.model import (
    GridRow,
    PlaceRow,
    PostRow,
    RiskRow,
    RouteRow,
    SquadronRow,
    WaterRow,
)
from vmk_mcp.spatial.queries import (
    LiveColumn,
    PlaceQuery,
    PointQuery,
    PostQuery,
    RiskQuery,
    RouteQuery,
    Scoped,
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
from vmk_mcp.spatial.tables import AREA, EVERY_KIND, LINE, SHARED_COLUMNS, TABLES, Kind

RowT = TypeVar("RowT")

_EARTH_M: Final = 6_371_008.8
_RANKS: Final = ("exact", "prefix", "similar")
_FIELDS: Final = ("name", "village", "town")


class FakeSpatialStore:
    """See `SpatialStore` and `AuditStore`.

    Attributes:
        columns: what `list_columns` gives.
        tables: what `audit_tables` gives.
        unusable: what `list_unusable` gives.
        failure: raised by each call while it is set.
        asked: every query that was asked, in order.
    """

    def __init__(self, rows: Sequence[Record]) -> None:
        self.rows = list(rows)
        self.columns = [
            LiveColumn(table.name, name, "geometry" if name == "geom" else "text", is_readable=True)
            for table in TABLES.values()
            for name in (*SHARED_COLUMNS, *table.columns)
        ]
        self.tables = [self._audit(kind) for kind in EVERY_KIND]
        self.unusable: list[Unusable] = []
        self.failure: VmkError | None = None
        self.asked: list[object] = []

    async def search_places(self, query: PlaceQuery) -> tuple[Total, list[PlaceRow]]:
        """See `SpatialStore.search_places`."""
        ranked = [
            (rank, row)
            for row in self._seen(query)
            if query.kind in (None, row.kind) and (query.spellings is None or row.town in query.spellings)
            if (rank := _rank(row, query)) is not None
        ]
        ranked.sort(key=lambda pair: (*pair[0], len(pair[1].name or ""), pair[1].kind, pair[1].id))
        rows = [PlaceRow(*_place(row), _RANKS[rank[0]], _FIELDS[rank[1]]) for rank, row in ranked]
        return Total(len(rows)), _page(rows, query)

    async def get_grid_context(self, query: PointQuery) -> tuple[Total, list[GridRow]]:
        """See `SpatialStore.get_grid_context`."""
        grids = sorted(self._covering(query), key=lambda row: (_area(row), row.id))
        rows = [
            GridRow(*_place(row), 0.0, row.own["code"], row.own["squadron"], row.own["area_ha"])
            for row in grids
        ]
        return Total(len(rows)), _page(rows, query)

    async def find_responsible_squadron(self, query: PointQuery) -> tuple[SquadronTotal, list[SquadronRow]]:
        """See `SpatialStore.find_responsible_squadron`."""
        covering = sorted(self._covering(query), key=lambda row: (_area(row), row.id))
        first = {row.own["squadron"]: row for row in reversed(covering) if row.own["squadron"]}
        rows = [self._squadron(row, 0.0, "covers") for row in covering if row in first.values()]
        if not covering:
            near = self._nearest(query, ("fire_grid",), lambda row: bool(row.own["squadron"]))[:1]
            rows = [self._squadron(row, metres, "nearest") for metres, row in near]
        return SquadronTotal(len(rows), len(covering)), _page(rows, query)

    async def find_water_sources(self, query: WaterQuery) -> tuple[Total, list[WaterRow]]:
        """See `SpatialStore.find_water_sources`."""

        def holds(row: Record) -> bool:
            least, capacity = query.min_capacity_m3, row.own["capacity_m3"]
            return query.kind in (None, row.kind) and (
                least is None or (isinstance(capacity, float) and capacity >= least)
            )

        found = self._nearest(query, ("water_source", "water_tank"), holds, query.radius_m)
        rows = [
            WaterRow(*_place(row), metres, row.own["type"], row.own["capacity_m3"]) for metres, row in found
        ]
        return Total(len(rows)), _page(rows, query)

    async def find_command_posts(self, query: PostQuery) -> tuple[Total, list[PostRow]]:
        """See `SpatialStore.find_command_posts`."""
        kinds: tuple[Kind, ...] = ("check_station", "lookout")
        found = self._nearest(query, kinds, lambda row: query.kind in (None, row.kind), query.radius_m)
        rows = [PostRow(*_place(row), metres, row.own.get("elevation_m")) for metres, row in found]
        return Total(len(rows)), _page(rows, query)

    async def find_access_routes(self, query: RouteQuery) -> tuple[Total, list[RouteRow]]:
        """See `SpatialStore.find_access_routes`; a passage is as near as its box."""

        def is_wide(row: Record) -> bool:
            width = row.own["width_m"]
            return query.min_width_m is None or (isinstance(width, float) and width >= query.min_width_m)

        found = self._nearest(query, ("fire_passage",), is_wide, query.radius_m)
        rows = [
            RouteRow(
                *_place(row), metres, row.own["type"], row.own["width_m"],
                distance_m((row.west, row.south), (row.east, row.north)), *_nearest_in(row, query),
            )
            for metres, row in found
        ]  # fmt: skip
        return Total(len(rows)), _page(rows, query)

    async def find_risk_areas(self, query: RiskQuery) -> tuple[Total, list[RiskRow]]:
        """See `SpatialStore.find_risk_areas`."""
        kinds: tuple[Kind, ...] = ("burial_ground", "forest_works")
        rows = [
            RiskRow(
                *_place(row), metres, "covers" if _covers(row, query) else "near",
                row.own.get("type"), row.own.get("area_ha"),
            )
            for metres, row in self._nearest(query, kinds, lambda _: True, query.radius_m)
        ]  # fmt: skip
        return Total(len(rows)), _page(rows, query)

    async def read_shapes(self, query: ShapeQuery) -> Sequence[ShapeRow]:
        """See `SpatialStore.read_shapes`; every text fits."""
        wanted = set(zip(query.kinds, query.ids, strict=True))
        return [
            ShapeRow(row.kind, row.id, "exact", json.dumps(_shape(row)))
            for row in self._seen(query)
            if (row.kind, row.id) in wanted
        ]

    async def list_columns(self, query: TableNames) -> Sequence[LiveColumn]:
        """See `AuditStore.list_columns`."""
        self._note(query)
        return [column for column in self.columns if column.table_name in query.tables]

    async def audit_tables(self) -> Sequence[TableAudit]:
        """See `AuditStore.audit_tables`."""
        self._note("audit_tables")
        return self.tables

    async def list_unusable(self) -> Sequence[Unusable]:
        """See `AuditStore.list_unusable`."""
        self._note("list_unusable")
        return self.unusable

    async def measure_towns(self) -> Sequence[TownExtent]:
        """See `AuditStore.measure_towns`."""
        self._note("measure_towns")
        towns = sorted({row.town for row in self.rows if row.town})
        return sorted(map(self._extent, towns), key=lambda one: (-one.records, one.town))

    def _note(self, query: object) -> None:
        self.asked.append(query)
        if self.failure is not None:
            raise self.failure

    def _seen(self, query: Scoped) -> list[Record]:
        self._note(query)
        return [row for row in self.rows if query.all_towns or row.town in query.towns]

    def _covering(self, query: PointQuery) -> list[Record]:
        return [row for row in self._seen(query) if row.kind == "fire_grid" and _covers(row, query)]

    def _nearest(
        self,
        query: PointQuery,
        kinds: Sequence[Kind],
        passes: Callable[[Record], bool],
        radius_m: float | None = None,
    ) -> list[tuple[float, Record]]:
        rows = [row for row in self._seen(query) if row.kind in kinds and passes(row)]
        here = (query.longitude, query.latitude)
        measured = [(distance_m(here, _nearest_in(row, query)), row) for row in rows]
        near = [pair for pair in measured if radius_m is None or pair[0] <= radius_m]
        return sorted(near, key=lambda pair: (pair[0], pair[1].kind, pair[1].id))

    @staticmethod
    def _squadron(row: Record, metres: float, relation: Literal["covers", "nearest"]) -> SquadronRow:
        return SquadronRow(*_place(row), metres, row.own["squadron"], row.own["code"], relation)

    def _audit(self, kind: Kind) -> TableAudit:
        count = sum(row.kind == kind for row in self.rows)
        return TableAudit(kind, count, [4326], [min(TABLES[kind].types)], 0, 0, 0, 0)

    def _extent(self, town: str) -> TownExtent:
        rows = [row for row in self.rows if row.town == town]
        return TownExtent(
            town, len(rows), min(row.west for row in rows), min(row.south for row in rows),
            max(row.east for row in rows), max(row.north for row in rows),
        )  # fmt: skip


def distance_m(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Give the metres between two places on a sphere; within half a per cent of those on the spheroid."""
    (x, y), (u, v) = (map(radians, place) for place in (one, other))
    return 2 * _EARTH_M * asin(sqrt(sin((v - y) / 2) ** 2 + cos(y) * cos(v) * sin((u - x) / 2) ** 2))


def _page(rows: list[RowT], query: PointQuery | PlaceQuery) -> list[RowT]:
    return rows[query.offset : query.offset + query.limit]


def _place(
    row: Record,
) -> tuple[int, str, str | None, str | None, str | None, float, float, str]:
    types = TABLES[row.kind].types
    kind = "representative_point" if types == AREA else "point"
    x, y = (row.west + row.east) / 2, (row.south + row.north) / 2
    if types == LINE:
        kind, x, y = "line_start", row.west, row.south
    return row.id, row.kind, row.name, row.town, row.village, x, y, kind


def _covers(row: Record, query: PointQuery) -> bool:
    return row.west <= query.longitude <= row.east and row.south <= query.latitude <= row.north


def _nearest_in(row: Record, query: PointQuery) -> tuple[float, float]:
    """Give the place of the box, or of the line through it, that is nearest on the map."""
    if TABLES[row.kind].types != LINE:
        return min(max(query.longitude, row.west), row.east), min(max(query.latitude, row.south), row.north)
    across, along = row.east - row.west, row.north - row.south
    done = ((query.longitude - row.west) * across + (query.latitude - row.south) * along) / hypot(
        across, along
    ) ** 2
    done = min(max(done, 0.0), 1.0)
    return row.west + done * across, row.south + done * along


def _area(row: Record) -> float:
    return degrees(row.east - row.west) * degrees(row.north - row.south)


def _rank(row: Record, query: PlaceQuery) -> tuple[int, int, float] | None:
    """Give how the word fits, what it was found in and minus how much of it, or None where it does not."""
    texts = [(getattr(row, name) or "").lower() for name in _FIELDS]
    if query.wanted in texts:
        return 0, texts.index(query.wanted), -1.0
    if begun := [place for place, text in enumerate(texts) if text.startswith(query.wanted)]:
        return 1, begun[0], -1.0
    pairs = [re.sub(r"\\(.)", r"\1", pattern[1:-1]) for pattern in query.pairs]
    share = sum(any(pair in text for text in texts) for pair in pairs) / len(pairs)
    share = 1.0 if any(query.wanted in text for text in texts) else share
    place = next((n for n, text in enumerate(texts) if any(pair in text for pair in pairs)), 2)
    return (2, place, -share) if share >= 0.5 else None


def _shape(row: Record) -> dict[str, object]:
    corner, other = [row.west, row.south], [row.east, row.north]
    types = TABLES[row.kind].types
    if types == LINE:
        return {"type": "LineString", "coordinates": [corner, other]}
    if types == AREA:
        ring = [corner, [row.east, row.south], other, [row.west, row.north], corner]
        return {"type": "MultiPolygon", "coordinates": [[ring]]}
    return {"type": "Point", "coordinates": corner}
