"""Arguments of the family's tools, as clients send them."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from vmk_mcp.spatial.crs import Crs
from vmk_mcp.spatial.tables import Kind, PostKind, WaterKind

MAX_LIMIT: Final = 20
MAX_OFFSET: Final = 10_000
MAX_RADIUS_M: Final = 50_000
NAME_MAX_LENGTH: Final = 100

Limit = Annotated[int, Meta(ge=1, le=MAX_LIMIT)]
Offset = Annotated[int, Meta(ge=0, le=MAX_OFFSET, description="next_offset of the page before.")]
Geometry = Annotated[Literal["geojson"] | None, Meta(description="geojson: the whole geometry too.")]
Radius = Annotated[
    Annotated[float, Meta(ge=1, le=MAX_RADIUS_M)] | None, Meta(description="Metres; else no limit.")
]


class Place(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The point that a tool looks around.

    Ranges are checked by the service, which can tell a swapped pair.
    """

    longitude: Annotated[float, Meta(description="Degrees east, -180..180.")]
    latitude: Annotated[float, Meta(description="Degrees north, -90..90.")]
    crs: Annotated[Crs, Meta(description="gcj02: from Amap or Tencent; bd09: from Baidu.")] = "wgs84"
    limit: Limit = 5
    offset: Offset = 0
    geometry: Geometry = None


class PlaceSearch(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `search_places`."""

    name: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=NAME_MAX_LENGTH,
            description="Name, village or town in Chinese, whole or in part.",
            examples=["九鲤湖"],
        ),
    ]
    town: Annotated[
        Annotated[str, Meta(min_length=1, max_length=NAME_MAX_LENGTH)] | None,
        Meta(description="Only in this town, in Chinese.", examples=["榜头镇"]),
    ] = None
    kind: Kind | None = None
    limit: Limit = 10
    offset: Offset = 0
    geometry: Geometry = None


class GridQuestion(Place, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `get_grid_context`."""


class SquadronQuestion(Place, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `find_responsible_squadron`."""


class WaterSearch(Place, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `find_water_sources`."""

    radius_m: Radius = None
    min_capacity_m3: Annotated[
        Annotated[float, Meta(ge=0, le=1e12)] | None, Meta(description="Leaves out what is unknown.")
    ] = None
    kind: WaterKind | None = None


class PostSearch(Place, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `find_command_posts`."""

    radius_m: Radius = None
    kind: PostKind | None = None


class RouteSearch(Place, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `find_access_routes`."""

    radius_m: Radius = None
    min_width_m: Annotated[
        Annotated[float, Meta(ge=0, le=1000)] | None, Meta(description="Leaves out what is unknown.")
    ] = None


class RiskSearch(Place, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Arguments of `find_risk_areas`."""

    radius_m: Annotated[float, Meta(ge=1, le=MAX_RADIUS_M)] = 1000.0
