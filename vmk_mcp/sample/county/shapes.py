"""Geometry of the made-up county: points, rings and lines, their areas, and how they are written."""

from collections.abc import Iterable, Sequence
from math import cos, hypot, pi, sin
from random import Random
from typing import Final

Point = tuple[float, float]
"""Longitude and latitude, degrees WGS 84."""

Ring = Sequence[Point]
"""Corners of an area, the first one not repeated at the end."""

DEGREE_M: Final = 111_000.0
"""Metres of a degree of latitude, near enough to place things by."""

LONGITUDE_SHRINKS: Final = 0.9036
# cos(25.36°), in the middle of the county, free of the machine's own cosine.

_SRID: Final = "SRID=4326;"
_HECTARE_M2: Final = 10_000.0


def shift(point: Point, east_m: float, north_m: float) -> Point:
    """Give the point so many metres away."""
    lon, lat = point
    return lon + east_m / (DEGREE_M * LONGITUDE_SHRINKS), lat + north_m / DEGREE_M


def distance_m(one: Point, other: Point) -> float:
    """Give the metres between two points of the county, on a plane."""
    east = (one[0] - other[0]) * DEGREE_M * LONGITUDE_SHRINKS
    return hypot(east, (one[1] - other[1]) * DEGREE_M)


def area_ha(ring: Ring) -> float:
    """Give a ring's area in hectares, to a hundredth, on a plane."""
    doubled = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, [*ring[1:], ring[0]], strict=True))
    return round(abs(doubled) / 2 * DEGREE_M**2 * LONGITUDE_SHRINKS / _HECTARE_M2, 2)


def is_inside(point: Point, ring: Ring) -> bool:
    """Say whether a ring goes round the point, by the parity of the edges east of it."""
    lon, lat = point
    crossed = False
    for (lon_a, lat_a), (lon_b, lat_b) in zip(ring, [*ring[1:], ring[0]], strict=True):
        if (lat_a > lat) != (lat_b > lat) and lon < (lon_b - lon_a) * (lat - lat_a) / (lat_b - lat_a) + lon_a:
            crossed = not crossed
    return crossed


def draw_blob(rng: Random, centre: Point, radius_m: float) -> list[Point]:
    """Draw an uneven round area; it sees all its corners from the centre, so it never crosses itself."""
    corners = rng.randint(8, 14)
    turn = rng.uniform(0, 2 * pi)
    ring = []
    for corner in range(corners):
        angle = turn + 2 * pi * corner / corners
        reach = radius_m * rng.uniform(0.65, 1.2)
        ring.append(shift(centre, reach * cos(angle), reach * sin(angle)))
    return ring


def draw_bow_tie(rng: Random, centre: Point, radius_m: float) -> list[Point]:
    """Draw an area whose edges cross, as one is that was surveyed in the wrong order: it is invalid."""
    wide, high = radius_m * rng.uniform(0.7, 1.2), radius_m * rng.uniform(0.7, 1.2)
    corners = [(-wide, -high), (wide, high), (wide, -high), (-wide, high)]
    return [shift(centre, east, north) for east, north in corners]


def write_point(point: Point) -> str:
    """Write a point."""
    return f"{_SRID}POINT({_write(point)})"


def write_area(*rings: Ring) -> str:
    """Write an area of one or more separate parts, none with a hole."""
    return f"{_SRID}MULTIPOLYGON({', '.join(f'(({_write_all([*ring, ring[0]])}))' for ring in rings)})"


def write_lines(lines: Sequence[Sequence[Point]], heights_m: Sequence[Sequence[float]] | None = None) -> str:
    """Write a line, or several as one; with heights above sea, each vertex carries its own as Z."""
    z = " Z" if heights_m is not None else ""
    texts = [
        _write_all(line) if heights_m is None else _write_high(line, heights_m[number])
        for number, line in enumerate(lines)
    ]
    if len(texts) == 1:
        return f"{_SRID}LINESTRING{z}({texts[0]})"
    return f"{_SRID}MULTILINESTRING{z}({', '.join(f'({text})' for text in texts)})"


def write_empty(kind: str) -> str:
    """Write a geometry that holds nothing; `kind` is such as `POINT`."""
    return f"{_SRID}{kind} EMPTY"


def _write(point: Point) -> str:
    # Seven digits are a centimetre, and hide the last bits, in which machines may differ.
    return f"{point[0]:.7f} {point[1]:.7f}"


def _write_all(points: Iterable[Point]) -> str:
    return ", ".join(map(_write, points))


def _write_high(points: Sequence[Point], heights_m: Sequence[float]) -> str:
    pairs = zip(points, heights_m, strict=True)
    return ", ".join(f"{_write(point)} {height:.1f}" for point, height in pairs)
