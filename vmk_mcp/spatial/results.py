"""What the family's tools answer with."""

from collections.abc import Sequence
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from vmk_mcp.spatial.model import Grid, Place, Placed, Post, Risk, Route, Squadron, Water


class Point(Struct, frozen=True):
    """The point that was looked around, in WGS 84; `given_crs` is what it was converted from."""

    longitude: float
    latitude: float
    given_crs: str


class Answer(Struct, frozen=True, kw_only=True):
    """One page of records; nothing found is `ok` with empty `data`.

    Attributes:
        total_count: records that match, on all pages.
        next_offset: absent at the end, and where the next page lies beyond the largest offset.
        warnings: why the answer may be incomplete, or the question wrong.
        notes: what the answer means and does not mean.
    """

    status: Literal["ok"] = "ok"
    data: Sequence[Placed]
    result_count: int
    total_count: int
    has_more: bool
    next_offset: int | UnsetType = UNSET
    warnings: list[str]
    notes: list[str]


class PointAnswer(Answer, frozen=True, kw_only=True):
    """One page of records around a point."""

    point: Point


class PlaceAnswer(Answer, frozen=True, kw_only=True):
    """Of `search_places`."""

    data: list[Place]


class GridAnswer(PointAnswer, frozen=True, kw_only=True):
    """Of `get_grid_context`."""

    data: list[Grid]


class SquadronAnswer(PointAnswer, frozen=True, kw_only=True):
    """Of `find_responsible_squadron`."""

    data: list[Squadron]


class WaterAnswer(PointAnswer, frozen=True, kw_only=True):
    """Of `find_water_sources`."""

    data: list[Water]


class PostAnswer(PointAnswer, frozen=True, kw_only=True):
    """Of `find_command_posts`."""

    data: list[Post]


class RouteAnswer(PointAnswer, frozen=True, kw_only=True):
    """Of `find_access_routes`."""

    data: list[Route]


class RiskAnswer(PointAnswer, frozen=True, kw_only=True):
    """Of `find_risk_areas`."""

    data: list[Risk]
