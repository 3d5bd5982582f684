"""What stands at a point: water, check stations, lookouts; along the passages or on the heights."""

from collections.abc import Sequence
from random import Random
from typing import Final

from msgspec import Struct

from vmk_mcp.sample.county.land import Land, Village, height_m
from vmk_mcp.sample.county.passages import Route
from vmk_mcp.sample.county.people import draw_person
from vmk_mcp.sample.county.records import CheckStation, Lookout, WaterSource, WaterTank
from vmk_mcp.sample.county.shapes import Point, shift, write_empty, write_point
from vmk_mcp.sample.realty.chance import draw_weighted

WATER_SOURCES: Final = 1_000
WATER_TANKS: Final = 600
_UNNAMED: Final = 0.01
_WITHOUT_VILLAGE: Final = 0.02
_UNMEASURED: Final = 0.08

_SOURCES: Final = {"山塘": 4.0, "水库": 2.0, "河道取水点": 2.0, "溪流取水点": 2.0, "池塘": 1.5}
_SOURCE_M3: Final = {"山塘": (500, 30_000), "水库": (50_000, 2_000_000), "池塘": (100, 3_000)}
_TANKS: Final = {"蓄水池": 5.0, "消防水池": 3.0, "蓄水罐": 1.5}
_TANK_M3: Final = {"蓄水池": (30, 500), "消防水池": (50, 300), "蓄水罐": (5, 30)}
_FEATURES: Final = ("", "", "上", "下", "东", "西", "后山", "前溪", "大坑", "石壁", "岭头", "水尾")


class _Site(Struct, frozen=True):
    village: Village
    point: Point


def draw_sources(routes: Sequence[Route], rng: Random) -> list[WaterSource]:
    """Draw water sources beside the passages; the last two are empty points."""
    sources = []
    for number in range(1, WATER_SOURCES + 1):
        site, kind = _find_site(routes, rng), draw_weighted(rng, _SOURCES)
        person, phone = draw_person(rng)
        sources.append(
            WaterSource(
                id=number,
                mingcheng=_name(site, kind, rng),
                xiangzhen=site.village.town,
                cun=_name_village(site, rng),
                geom=write_point(site.point) if number <= WATER_SOURCES - 2 else write_empty("POINT"),
                leixing=kind,
                rongliang_m3=_measure(_SOURCE_M3.get(kind), rng),
                zerenren=person,
                dianhua=phone,
            )
        )
    return sources


def draw_tanks(routes: Sequence[Route], rng: Random) -> list[WaterTank]:
    """Draw tanks and pools beside the passages; the last one has no geometry."""
    tanks = []
    for number in range(1, WATER_TANKS + 1):
        site, kind = _find_site(routes, rng), draw_weighted(rng, _TANKS)
        tanks.append(
            WaterTank(
                id=number,
                mingcheng=_name(site, kind, rng),
                xiangzhen=site.village.town,
                cun=_name_village(site, rng),
                geom=write_point(site.point) if number < WATER_TANKS else None,
                leixing=kind,
                rongji_m3=_measure(_TANK_M3[kind], rng),
            )
        )
    return tanks


def draw_stations(routes: Sequence[Route], rng: Random) -> list[CheckStation]:
    """Draw a check station at the beginning of every second passage."""
    stations = []
    for number, route in enumerate(routes[::2], 1):
        person, phone = draw_person(rng)
        point = shift(route.points[0], rng.uniform(-60, 60), rng.uniform(-60, 60))
        stations.append(
            CheckStation(
                id=number,
                mingcheng=f"{route.village.name}往{route.goal.name}防火检查站",
                xiangzhen=route.village.town,
                cun=f"{route.village.name}村",
                geom=write_point(point),
                zhibanrenyuan=person,
                dianhua=phone,
            )
        )
    return stations


def draw_lookouts(land: Land, rng: Random) -> list[Lookout]:
    """Draw a lookout post in every third village, on the highest of some places there."""
    posts = []
    for number, village in enumerate(land.villages[::3], 1):
        tried = [
            shift(land.centre(cell), rng.uniform(-400, 400), rng.uniform(-400, 400))
            for cell in village.cells
            for _ in range(4)
        ]
        point = max(tried, key=height_m)
        posts.append(
            Lookout(
                id=number,
                mingcheng=f"{village.name}{rng.choice(('瞭望哨', '瞭望台', '山顶瞭望哨'))}",
                xiangzhen=village.town,
                cun=f"{village.name}村",
                geom=write_point(point),
                haiba_m=height_m(point),
            )
        )
    return posts


def _find_site(routes: Sequence[Route], rng: Random) -> _Site:
    """Give a place up to 350 m off a passage, nearer its beginning, whose village it counts to."""
    route = rng.choice(routes)
    nearer = route.points[: len(route.points) // 2 + 1]
    return _Site(route.village, shift(rng.choice(nearer), rng.uniform(-350, 350), rng.uniform(-350, 350)))


def _name(site: _Site, kind: str, rng: Random) -> str | None:
    if rng.random() < _UNNAMED:
        return None
    return f"{site.village.name}{rng.choice(_FEATURES)}{kind}"


def _name_village(site: _Site, rng: Random) -> str | None:
    return None if rng.random() < _WITHOUT_VILLAGE else f"{site.village.name}村"


def _measure(bounds: tuple[int, int] | None, rng: Random) -> float | None:
    if bounds is None or rng.random() < _UNMEASURED:
        return None
    low, high = bounds
    # Most are small: the cube of the share.
    return float(round(low + (high - low) * rng.random() ** 3))
