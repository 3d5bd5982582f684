"""What every question around a point begins and ends with."""

from collections.abc import Collection, Sequence
from typing import TypedDict

from msgspec import Struct, UnsetType

from vmk_mcp.spatial.answers import (
    MAX_SHAPE_BYTES,
    NEARNESS,
    REPRESENTATIVE,
    Shapes,
    note_limits,
    page_of,
    warn_of_audit,
)
from vmk_mcp.spatial.arguments import Place, PlaceSearch
from vmk_mcp.spatial.audit import Audit
from vmk_mcp.spatial.model import Placed
from vmk_mcp.spatial.points import read_point, warn_of_point
from vmk_mcp.spatial.ports import SpatialStore
from vmk_mcp.spatial.queries import ShapeQuery
from vmk_mcp.spatial.results import Point
from vmk_mcp.spatial.scope import Scope
from vmk_mcp.spatial.standing import LiveAudit
from vmk_mcp.spatial.tables import Kind


class PointPart(TypedDict):
    """The members of a `PointQuery`."""

    all_towns: bool
    towns: list[str]
    longitude: float
    latitude: float
    limit: int
    offset: int


class Telling(TypedDict):
    """The members of an `Answer` beside its rows."""

    result_count: int
    total_count: int
    has_more: bool
    next_offset: int | UnsetType
    warnings: list[str]
    notes: list[str]


class PointTelling(Telling):
    """The members of a `PointAnswer` beside its rows."""

    point: Point


class Around(Struct, frozen=True):
    """A question around a point, checked, and what there is to search."""

    place: Place
    scope: Scope
    audit: Audit
    point: Point

    @property
    def part(self) -> PointPart:
        """What every query around a point takes."""
        return PointPart(
            all_towns=self.scope.all_towns,
            towns=sorted(self.scope.towns),
            longitude=self.point.longitude,
            latitude=self.point.latitude,
            limit=self.place.limit,
            offset=self.place.offset,
        )

    def tell(
        self, rows: Sequence[Placed], total: int, kinds: Collection[Kind], notes: Sequence[str] = ()
    ) -> PointTelling:
        """Give all of the answer but its rows."""
        warnings = warn_of_audit(self.audit, kinds, self.scope)
        return PointTelling(
            **page_of(len(rows), total, self.place.offset),
            warnings=[*warn_of_point(self.place, self.audit, self.scope), *warnings],
            notes=[
                NEARNESS,
                *notes,
                *_note_rows(rows),
                *note_limits(self.scope, draws=bool(self.place.geometry)),
            ],
            point=self.point,
        )


async def look_around(place: Place, scope: Scope, audit: LiveAudit) -> Around:
    """Check the point and the tables.

    Raises:
        InvalidArguments: the pair is no place on earth; said before anything is waited for.
        NotOffered: the tables cannot be searched as they are.
    """
    point = read_point(place, audit.latest, scope)
    found = await audit.get()
    found.require_open()
    return Around(place, scope, found, point)


async def read_shapes(
    store: SpatialStore, asked: Place | PlaceSearch, rows: Sequence[Placed], scope: Scope
) -> Shapes:
    """Give the outlines of `rows`, where they were asked for."""
    if not (asked.geometry and rows):
        return {}
    query = ShapeQuery(
        all_towns=scope.all_towns,
        towns=sorted(scope.towns),
        kinds=[row.kind for row in rows],
        ids=[row.id for row in rows],
        most=MAX_SHAPE_BYTES,
    )
    return {(shape.kind, shape.id): shape for shape in await store.read_shapes(query)}


def _note_rows(rows: Sequence[Placed]) -> list[str]:
    return [REPRESENTATIVE] if any(row.location_kind == "representative_point" for row in rows) else []
