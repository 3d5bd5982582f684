"""Records as queries find them, and as answers show them."""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

GeoJson = dict[str, Any]
"""A geometry of RFC 7946, `type` and `coordinates`: WGS 84, longitude first, as deep as its type needs."""


class Placed(Struct, frozen=True, rename={"kind": "table"}):
    """A record of one of the tables, and where it is.

    Words are typed as plain text, for all that seven tools list is read by every model.

    Attributes:
        kind: a `Kind`; clients see it as `table`.
        longitude: degrees, WGS 84; see `location_kind`.
        location_kind: `point`, `line_start`, which is where a line begins, or `representative_point`, some
            point inside an area.
    """

    id: int
    kind: str
    name: str | None
    town: str | None
    village: str | None
    longitude: float
    latitude: float
    location_kind: str


class Measured(Placed, frozen=True, rename={"kind": "table"}):
    """A record and how far it is from the given point; metres on the WGS 84 spheroid, in two dimensions."""

    distance_m: float


class PlaceRow(Placed, frozen=True, rename={"kind": "table"}):
    """A record found by a word: how the word fits, and what it was found in."""

    match: Literal["exact", "prefix", "similar"]
    matched: Literal["name", "village", "town"]


class GridRow(Measured, frozen=True, rename={"kind": "table"}):
    """A fire grid that covers the point; `area_ha` as on record."""

    code: str | None
    squadron: str | None
    area_ha: float | None


class SquadronRow(Measured, frozen=True, rename={"kind": "table"}):
    """A squadron by a grid that it is responsible for."""

    squadron: str
    code: str | None
    relation: Literal["covers", "nearest"]


class WaterRow(Measured, frozen=True, rename={"kind": "table"}):
    """A water source or tank."""

    type: str | None
    capacity_m3: float | None


class PostRow(Measured, frozen=True, rename={"kind": "table"}):
    """A check station or lookout post; `elevation_m` above sea, of lookouts alone."""

    elevation_m: float | None


class RouteRow(Measured, frozen=True, rename={"kind": "table"}):
    """A fire passage, its length, and the point on it that is nearest to the given one."""

    type: str | None
    width_m: float | None
    length_m: float
    nearest_longitude: float
    nearest_latitude: float


class RiskRow(Measured, frozen=True, rename={"kind": "table"}):
    """A burial ground, with its area on record, or works, with their type."""

    relation: Literal["covers", "near"]
    type: str | None
    area_ha: float | None


class Place(PlaceRow, frozen=True, rename={"kind": "table"}):
    """See `PlaceRow`; `geometry_detail` is `exact`, `simplified` or `bounding_box`."""

    geometry: GeoJson | UnsetType = UNSET
    geometry_detail: str | UnsetType = UNSET


class Grid(GridRow, frozen=True, rename={"kind": "table"}):
    """See `GridRow`."""

    geometry: GeoJson | UnsetType = UNSET
    geometry_detail: str | UnsetType = UNSET


class Squadron(SquadronRow, frozen=True, rename={"kind": "table"}):
    """See `SquadronRow`; the geometry is the grid's."""

    geometry: GeoJson | UnsetType = UNSET
    geometry_detail: str | UnsetType = UNSET


class Water(WaterRow, frozen=True, rename={"kind": "table"}):
    """See `WaterRow`."""

    geometry: GeoJson | UnsetType = UNSET
    geometry_detail: str | UnsetType = UNSET


class Post(PostRow, frozen=True, rename={"kind": "table"}):
    """See `PostRow`."""

    geometry: GeoJson | UnsetType = UNSET
    geometry_detail: str | UnsetType = UNSET


class Route(RouteRow, frozen=True, rename={"kind": "table"}):
    """See `RouteRow`."""

    geometry: GeoJson | UnsetType = UNSET
    geometry_detail: str | UnsetType = UNSET


class Risk(RiskRow, frozen=True, rename={"kind": "table"}):
    """See `RiskRow`."""

    geometry: GeoJson | UnsetType = UNSET
    geometry_detail: str | UnsetType = UNSET
