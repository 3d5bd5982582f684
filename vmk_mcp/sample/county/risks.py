"""Where a fire may start: burial grounds, and works and mines in the forest."""

from collections.abc import Sequence
from random import Random
from typing import Final

from vmk_mcp.sample.county.land import Land, Village
from vmk_mcp.sample.county.records import BurialGround, Works
from vmk_mcp.sample.county.shapes import (
    Point,
    Ring,
    area_ha,
    draw_blob,
    draw_bow_tie,
    shift,
    write_area,
    write_empty,
)
from vmk_mcp.sample.realty.chance import draw_weighted

BURIAL_GROUNDS: Final = 480
WORKS: Final = 220
INVALID_BURIAL_GROUNDS: Final = 27
INVALID_WORKS: Final = 4
# As many as live tables had.

_GROUND_RADIUS_M: Final = (25.0, 130.0)
_WORKS_RADIUS_M: Final = (40.0, 260.0)
_IN_TWO_PARTS: Final = 0.1
_GROUND_WORDS: Final = ("公墓", "墓地", "坟区", "生态公墓", "安息堂墓区")
_WORKS_KINDS: Final = {
    "采石场": 3.0, "矿山": 2.0, "木材加工厂": 3.0, "水电站": 2.0, "砖瓦厂": 1.5, "养殖场": 2.5, "茶厂": 1.0,
}  # fmt: skip
_SIDES: Final = ("", "东", "西", "南", "北", "后山", "岭头")


def draw_burial_grounds(land: Land, rng: Random) -> list[BurialGround]:
    """Draw burial grounds; the last of them are invalid, and the very last is empty."""
    grounds = []
    for number in range(1, BURIAL_GROUNDS + 1):
        village, centre = _find_site(land, rng)
        rings: list[Ring] = _draw_parts(centre, rng)
        if number >= BURIAL_GROUNDS - INVALID_BURIAL_GROUNDS:
            rings = [draw_bow_tie(rng, centre, rng.uniform(*_GROUND_RADIUS_M))]
        is_last = number == BURIAL_GROUNDS
        grounds.append(
            BurialGround(
                id=number,
                mingcheng=f"{village.name}{rng.choice(_SIDES)}{rng.choice(_GROUND_WORDS)}",
                xiangzhen=village.town,
                cun=f"{village.name}村",
                geom=write_empty("MULTIPOLYGON") if is_last else write_area(*rings),
                mianji_gongqing=None if is_last else round(sum(map(area_ha, rings)), 2),
            )
        )
    return grounds


def draw_works(land: Land, rng: Random) -> list[Works]:
    """Draw works and mines; the last of them are invalid."""
    works = []
    for number in range(1, WORKS + 1):
        village, centre = _find_site(land, rng)
        kind, radius = draw_weighted(rng, _WORKS_KINDS), rng.uniform(*_WORKS_RADIUS_M)
        draw = draw_bow_tie if number > WORKS - INVALID_WORKS else draw_blob
        works.append(
            Works(
                id=number,
                mingcheng=f"{village.name}{rng.choice(_SIDES)}{kind}",
                xiangzhen=village.town,
                cun=f"{village.name}村",
                geom=write_area(draw(rng, centre, radius)),
                leixing=kind,
            )
        )
    return works


def _draw_parts(centre: Point, rng: Random) -> list[Ring]:
    radius = rng.uniform(*_GROUND_RADIUS_M)
    parts: list[Ring] = [draw_blob(rng, centre, radius)]
    if rng.random() < _IN_TWO_PARTS:
        parts.append(draw_blob(rng, shift(centre, 3 * radius, radius), radius))
    return parts


def _find_site(land: Land, rng: Random) -> tuple[Village, Point]:
    villages: Sequence[Village] = land.villages
    village = rng.choice(villages)
    return village, shift(
        land.centre(rng.choice(village.cells)), rng.uniform(-450, 450), rng.uniform(-450, 450)
    )
