"""The land of the made-up county: its cells, which village each belongs to, and how high it lies."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import exp, sin
from random import Random
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.sample.county.shapes import Point, distance_m, is_inside

Cell = tuple[int, int]
"""Column from the west and row from the south of one cell of the lattice."""

_WEST, _SOUTH = 118.36, 25.12
_COLUMNS, _ROWS = 48, 54
_WIDE, _HIGH = 0.0125, 0.0115
# Some 1.3 km each way.

_CORNER_STRAYS: Final = 0.15
_EDGE_STRAYS: Final = 0.04
# Shares of a cell: at most so far that two edges of a corner, 44° apart at the least, never meet again.
_EDGE_STEPS: Final = (0.25, 0.5, 0.75)


class Town(Struct, frozen=True):
    """A town with the names of its villages; the point is its middle."""

    name: str
    longitude: float
    latitude: float
    villages: tuple[str, ...]

    @property
    def centre(self) -> Point:
        """The middle of the town."""
        return self.longitude, self.latitude


class _Gazetteer(Struct, frozen=True):
    outline: tuple[Point, ...]
    towns: tuple[Town, ...]


class Village(Struct, frozen=True):
    """A village: its town, its number within the town, its first cell and all its cells."""

    name: str
    town: str
    town_number: int
    number: int
    home: Cell
    cells: tuple[Cell, ...]


class Land(Struct, frozen=True):
    """The county's villages, whose cells tile it: two neighbours share the whole edge between them."""

    seed: int
    villages: Sequence[Village]

    def trace(self, cell: Cell) -> list[Point]:
        """Give the ring round a cell, counter-clockwise from its south-western corner."""
        column, row = cell
        corners = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)]
        ring: list[Point] = []
        for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
            ring += self._trace_edge(start, end)
        return ring

    def trace_pair(self, cell: Cell) -> list[Point]:
        """Give the ring round a cell and its eastern neighbour together."""
        column, row = cell
        west, east = self.trace(cell), self.trace((column + 1, row))
        side = len(_EDGE_STEPS) + 1
        # The shared edge is the second of the western ring and the last of the eastern one.
        return [*west[:side], *east[: 3 * side], *west[2 * side :]]

    def centre(self, cell: Cell) -> Point:
        """Give the middle of a cell."""
        return _middle(cell)

    def _trace_edge(self, start: Cell, end: Cell) -> list[Point]:
        """Give an edge's points without its end; both cells beside it get the same ones."""
        low, high = min(start, end), max(start, end)
        rng = Random(f"{self.seed}/edge/{low}/{high}")  # noqa: S311 -- made-up data, no secret
        a, b = _corner(self.seed, low), _corner(self.seed, high)
        between = [
            (
                a[0] + (b[0] - a[0]) * step + rng.uniform(-_EDGE_STRAYS, _EDGE_STRAYS) * _WIDE,
                a[1] + (b[1] - a[1]) * step + rng.uniform(-_EDGE_STRAYS, _EDGE_STRAYS) * _HIGH,
            )
            for step in _EDGE_STEPS
        ]
        points = [a, *between, b]
        return points[:-1] if start == low else points[:0:-1]


def make_land(seed: int) -> Land:
    """Divide the county among its towns and villages: each cell goes to the nearest middle."""
    cells_of: dict[str, list[Cell]] = {town.name: [] for town in list_towns()}
    for cell in _list_cells():
        nearest = min(list_towns(), key=lambda town: distance_m(town.centre, _middle(cell)))
        cells_of[nearest.name].append(cell)
    return Land(seed, list(_divide(seed, cells_of)))


def list_towns() -> Sequence[Town]:
    """Give the county's towns."""
    return _read_gazetteer().towns


def height_m(point: Point) -> float:
    """Give the metres above sea: hills in the north, plains by the sea in the south-east, valleys between."""
    lon, lat = point
    rise = 1 / (1 + exp(-((lat - 25.44) * 16 - (lon - 118.66) * 5)))
    ridges = 1 + 0.35 * sin(lon * 95 + lat * 40) + 0.25 * sin(lat * 130 - lon * 60)
    return round(15 + 60 * ridges + 780 * rise * ridges, 1)


def _divide(seed: int, cells_of: Mapping[str, Sequence[Cell]]) -> Iterator[Village]:
    for town_number, town in enumerate(list_towns(), 1):
        cells = cells_of[town.name]
        rng = Random(f"{seed}/villages/{town.name}")  # noqa: S311 -- made-up data, no secret
        homes = sorted(rng.sample(cells, len(town.villages)))
        for number, (name, home) in enumerate(zip(town.villages, homes, strict=True), 1):
            own = tuple(cell for cell in cells if _find_home(homes, cell) == home)
            yield Village(name, town.name, town_number, number, home, own)


def _find_home(homes: Sequence[Cell], cell: Cell) -> Cell:
    return min(homes, key=lambda home: (home[0] - cell[0]) ** 2 + (home[1] - cell[1]) ** 2)


def _list_cells() -> Iterator[Cell]:
    outline = _read_gazetteer().outline
    for row in range(_ROWS):
        for column in range(_COLUMNS):
            if is_inside(_middle((column, row)), outline):
                yield column, row


def _middle(cell: Cell) -> Point:
    return _WEST + (cell[0] + 0.5) * _WIDE, _SOUTH + (cell[1] + 0.5) * _HIGH


@cache
def _corner(seed: int, corner: Cell) -> Point:
    rng = Random(f"{seed}/corner/{corner}")  # noqa: S311 -- made-up data, no secret
    return (
        _WEST + (corner[0] + rng.uniform(-_CORNER_STRAYS, _CORNER_STRAYS)) * _WIDE,
        _SOUTH + (corner[1] + rng.uniform(-_CORNER_STRAYS, _CORNER_STRAYS)) * _HIGH,
    )


@cache
def _read_gazetteer() -> _Gazetteer:
    text = files("vmk_mcp.sample.county").joinpath("county.json").read_bytes()
    return msgspec.json.decode(text, type=_Gazetteer)
