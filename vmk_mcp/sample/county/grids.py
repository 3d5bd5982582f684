"""Fire grids: those that tile the county, some of which are watched more closely lie over them."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Final

from vmk_mcp.sample.county.land import Cell, Land, Village
from vmk_mcp.sample.county.people import draw_person
from vmk_mcp.sample.county.records import FireGrid
from vmk_mcp.sample.county.shapes import Ring, area_ha, draw_blob, draw_bow_tie, write_area

_PAIRED: Final = 0.25
_WATCHED_CLOSELY: Final = 0.2
# A grid for closer watching around a village's home, over those that tile the land there.
_INVALID: Final = 4


def draw_grids(land: Land, rng: Random) -> list[FireGrid]:
    """Draw the grids: valid ones tile the county without a gap, further ones lie over these."""
    tiles = [(village, rings) for village in land.villages for rings in _tile(land, village, rng)]
    watched = [village for village in land.villages if rng.random() < _WATCHED_CLOSELY]
    drafts: list[tuple[Village, Sequence[Ring]]] = [
        *tiles,
        *(
            (village, [draw_blob(rng, land.centre(village.home), rng.uniform(900, 2200))])
            for village in watched
        ),
        *(
            (village, [draw_bow_tie(rng, land.centre(village.home), 700)])
            for village in rng.sample(list(land.villages), _INVALID)
        ),
    ]
    counted: dict[Village, int] = {}
    grids = []
    for number, (village, rings) in enumerate(drafts, 1):
        counted[village] = counted.get(village, 0) + 1
        grids.append(_write_grid(number, village, counted[village], rings, rng))
    return grids


def _tile(land: Land, village: Village, rng: Random) -> Iterator[Sequence[Ring]]:
    """Give the parts of each grid: a cell, two side by side, or two of the village's that lie apart."""
    left = dict.fromkeys(village.cells)
    while left:
        cell = next(iter(left))
        del left[cell]
        east: Cell = (cell[0] + 1, cell[1])
        chance = rng.random()
        if chance < _PAIRED and east in left:
            del left[east]
            yield [land.trace_pair(cell)]
        elif chance > 1 - _PAIRED / 5 and (far := _find_apart(cell, left)):
            del left[far]
            yield [land.trace(cell), land.trace(far)]
        else:
            yield [land.trace(cell)]


def _find_apart(cell: Cell, left: Iterable[Cell]) -> Cell | None:
    """Give a cell that does not even touch this one's corners: parts of an area must not share an edge."""
    return next((c for c in left if max(abs(c[0] - cell[0]), abs(c[1] - cell[1])) > 1), None)


def _write_grid(number: int, village: Village, within: int, rings: Sequence[Ring], rng: Random) -> FireGrid:
    person, phone = draw_person(rng)
    squadron = "一二三"[village.number % (2 if village.town.endswith("乡") else 3)]
    return FireGrid(
        id=number,
        mingcheng=f"{village.name}村第{within}网格",
        xiangzhen=village.town,
        cun=f"{village.name}村",
        geom=write_area(*rings),
        bianhao=f"XY{village.town_number:02}{village.number:02}{within:03}",
        zhongdui=f"{village.town}森林消防第{squadron}中队",
        mianji_gongqing=round(sum(map(area_ha, rings)), 2),
        wanggeyuan=person,
        lianxidianhua=phone,
    )
