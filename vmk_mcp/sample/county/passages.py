"""Fire passages: ways that keep to the valleys, from village to village."""

from collections.abc import Sequence
from math import atan2, cos, pi, sin
from random import Random
from typing import Final

from msgspec import Struct

from vmk_mcp.sample.county.land import Land, Village, height_m
from vmk_mcp.sample.county.records import Passage
from vmk_mcp.sample.county.shapes import (
    LONGITUDE_SHRINKS,
    Point,
    distance_m,
    shift,
    write_empty,
    write_lines,
)
from vmk_mcp.sample.realty.chance import draw_weighted

_STRIDE_M: Final = (110.0, 240.0)
_ARRIVED_M: Final = 260.0
_LONGEST: Final = 60
_TURNS: Final = (-0.9, -0.45, 0.0, 0.45, 0.9)
_WITH_HEIGHT: Final = 0.35
_MEASURED: Final = 0.95
_BROKEN: Final = 0.12
_BROKEN_FROM: Final = 6

_KINDS: Final = {"防火通道": 5.0, "林区道路": 3.0, "防火隔离带": 1.5, "巡护步道": 1.5}
_WIDTHS_M: Final = {
    "防火通道": (3.5, 6.0),
    "林区道路": (4.0, 8.0),
    "防火隔离带": (8.0, 20.0),
    "巡护步道": (0.8, 1.8),
}


class Route(Struct, frozen=True):
    """A way as it was walked: where it begins, and its vertices."""

    village: Village
    goal: Village
    points: Sequence[Point]


def walk_routes(land: Land, rng: Random) -> list[Route]:
    """Walk from each village to two or three of its town's others, and on to the next town's first."""
    routes = []
    for village in land.villages:
        others = [other for other in land.villages if other.town == village.town and other != village]
        near = sorted(
            others, key=lambda other: distance_m(land.centre(village.home), land.centre(other.home))
        )
        for goal in near[: rng.randint(1, 3)]:
            points = _walk(land.centre(village.home), land.centre(goal.home), rng)
            routes.append(Route(village, goal, points))
    return routes


def draw_passages(routes: Sequence[Route], rng: Random) -> list[Passage]:
    """Make passages of the routes, some of two parts or with heights; the last two are empty and invalid."""
    passages = []
    for number, route in enumerate(routes, 1):
        kind = draw_weighted(rng, _KINDS)
        width = round(rng.uniform(*_WIDTHS_M[kind]), 1) if rng.random() < _MEASURED else None
        passages.append(_name_passage(number, route, kind, width, _draw_lines(route.points, rng)))
    last = routes[-1]
    without_length = write_lines([[last.points[0], last.points[0]]])
    for geom in (write_empty("LINESTRING"), without_length):
        passages.append(_name_passage(len(passages) + 1, last, "防火通道", 4.0, geom))
    return passages


def _name_passage(number: int, route: Route, kind: str, width: float | None, geom: str) -> Passage:
    return Passage(
        id=number,
        mingcheng=f"{route.village.name}至{route.goal.name}{kind}",
        xiangzhen=route.village.town,
        cun=f"{route.village.name}村",
        geom=geom,
        leixing=kind,
        kuandu_m=width,
    )


def _draw_lines(points: Sequence[Point], rng: Random) -> str:
    lines: list[Sequence[Point]] = [points]
    if rng.random() < _BROKEN and len(points) >= _BROKEN_FROM:
        middle = len(points) // 2
        lines = [points[:middle], points[middle:]]
    if rng.random() < _WITH_HEIGHT:
        return write_lines(lines, [[height_m(point) for point in line] for line in lines])
    return write_lines(lines)


def _walk(start: Point, goal: Point, rng: Random) -> list[Point]:
    """Go towards the goal, each stride where the ground is lowest of what does not lead away from it."""
    points = [start]
    while distance_m(points[-1], goal) > _ARRIVED_M and len(points) < _LONGEST:
        here = points[-1]
        ahead = atan2(goal[1] - here[1], (goal[0] - here[0]) * LONGITUDE_SHRINKS)
        stride = rng.uniform(*_STRIDE_M)
        tried = []
        for turn in _TURNS:
            angle = ahead + turn + rng.uniform(-0.08, 0.08) * pi
            step = shift(here, stride * cos(angle), stride * sin(angle))
            tried.append((height_m(step) + 12 * abs(turn), step))
        points.append(min(tried)[1])
    return [*points, goal]
