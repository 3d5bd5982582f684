"""What is offered: rooms, areas, floor and state of made-up premises, each consistent with its house."""

from collections.abc import Mapping
from random import Random
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from vmk_mcp.sample.realty.buildings import Building
from vmk_mcp.sample.realty.chance import draw_count, draw_weighted, draw_within, happens
from vmk_mcp.sample.realty.kinds import KINDS


class Premises(Struct, frozen=True, kw_only=True):
    """One flat, house, plot or the like; areas in square metres, `plot` in hundreds of them."""

    kind: str
    deal: str
    total_area: float
    rooms: int | None = None
    living_area: float | None = None
    kitchen_area: float | None = None
    plot: int | None = None
    floor: int | None = None
    renovation: str | None = None
    bathroom: str | None = None
    balconies: int | None = None
    layout: str | None = None
    view: str | None = None
    parking: str | None = None

    @property
    def family(self) -> str:
        """In whose words it is described."""
        return KINDS[self.kind].family

    @property
    def is_studio(self) -> bool:
        """Whether it is a flat of one room and a kitchen in it."""
        return self.family == "flat" and self.layout == "studio" and self.rooms == 1


_ROOMS: Final = {1: 30.0, 2: 36.0, 3: 24.0, 4: 7.0, 5: 2.5, 6: 0.5}

_FLAT_AREAS: Final[Mapping[int, tuple[float, float]]] = {
    1: (29, 44), 2: (43, 68), 3: (58, 96), 4: (80, 140), 5: (115, 200), 6: (150, 260),
}  # fmt: skip
_TYPICAL_AREAS: Final[Mapping[str, Mapping[int, tuple[float, float]]]] = {
    "khrushchovka": {1: (28, 33), 2: (40, 46), 3: (54, 60), 4: (60, 66)},
    "panel": {1: (31, 39), 2: (45, 56), 3: (60, 74), 4: (76, 92)},
}
"""Of houses built in series."""

_KITCHENS: Final[Mapping[str, tuple[float, float]]] = {
    "stalinka": (7, 11), "khrushchovka": (5, 6.5), "panel": (7, 9.5), "brick": (7.5, 12),
}  # fmt: skip
_LARGE_KITCHEN: Final = (10.0, 21.0)

_STATES: Final = {"cosmetic": 31.0, "euro": 24.0, "euro_repair": 10.0, "designer": 12.0, "none": 14.0}
_RENTED_STATES: Final = {"cosmetic": 42.0, "euro": 29.0, "euro_repair": 12.0, "designer": 15.0, "none": 2.0}
_NEW_STATES: Final = {"euro": 28.0, "euro_repair": 10.0, "designer": 20.0, "construction": 42.0}
_VIEWS: Final = {"yard": 36.0, "courtyard": 11.0, "street": 23.0, "park": 15.0, "water": 8.0, "forest": 7.0}
_DRY_VIEWS: Final = {view: weight for view, weight in _VIEWS.items() if view != "water"}
_LARGE_ROOMS: Final = 3
_OLD: Final = frozenset({"stalinka", "khrushchovka", "panel"})


def draw_premises(rng: Random, kind: str, building: Building | None) -> Premises:
    """Draw premises of `kind`; only land stands in no building."""
    deal = draw_weighted(rng, KINDS[kind].deals)
    if building is None:
        plot = 2 * draw_count(rng, (2, 12) if happens(rng, 0.85) else (13, 40))
        return Premises(kind=kind, deal=deal, total_area=float(plot * 100), plot=plot)
    if building.era == "construction":
        deal = "sale"
    draw = {"flat": _draw_flat, "room": _draw_room, "house": _draw_house, "business": _draw_business}
    return draw.get(KINDS[kind].family, _draw_car_place)(
        rng, Premises(kind=kind, deal=deal, total_area=0), building
    )


def set_view(rng: Random, premises: Premises, has_water: bool) -> Premises:
    """Give the premises a view that the town can offer; garages and the like get none."""
    if premises.family in {"car", "land"}:
        return premises
    return replace(premises, view=draw_weighted(rng, _VIEWS if has_water else _DRY_VIEWS))


def _draw_flat(rng: Random, start: Premises, building: Building) -> Premises:
    areas = _TYPICAL_AREAS.get(building.era, _FLAT_AREAS)
    rooms = min(draw_weighted(rng, _ROOMS), max(areas))
    total = draw_within(rng, areas[rooms])
    if building.era not in _OLD and building.era != "brick":
        total = round(total * 1.12, 1)
    layout = _draw_layout(rng, rooms, building)
    kitchen = min(draw_within(rng, _KITCHENS.get(building.era, _LARGE_KITCHEN)), round(total * 0.34, 1))
    return replace(
        start,
        rooms=rooms,
        total_area=total,
        kitchen_area=kitchen,
        living_area=_living_area(rng, total, kitchen),
        floor=draw_count(rng, (1, building.floors)),
        renovation=_draw_state(rng, start.deal, building),
        bathroom=_draw_bathroom(rng, rooms, building),
        balconies=draw_weighted(rng, {0: 18, 1: 60, 2: 18, 3: 4} if rooms > 1 else {0: 25, 1: 75}),
        layout=layout,
        parking=_draw_parking(rng, building),
    )


def _draw_layout(rng: Random, rooms: int, building: Building) -> str:
    if rooms == 1:
        studio = 6 if building.era in _OLD else 45
        return draw_weighted(rng, {"studio": studio, "separate": 40, "standard": 30})
    adjacent = 45 if building.era == "khrushchovka" else 10
    return draw_weighted(rng, {"separate": 62, "adjacent": adjacent, "standard": 22})


def _draw_state(rng: Random, deal: str, building: Building) -> str:
    if building.era == "construction":
        return "construction"
    if deal != "sale":
        return draw_weighted(rng, _RENTED_STATES)
    return draw_weighted(rng, _NEW_STATES if building.year >= _NEW_HOUSE_YEAR else _STATES)


_NEW_HOUSE_YEAR: Final = 2018


def _draw_bathroom(rng: Random, rooms: int, building: Building) -> str:
    if rooms >= _LARGE_ROOMS and building.era not in _OLD and happens(rng, 0.6):
        return "multiple"
    return draw_weighted(rng, {"combined": 70 if rooms == 1 else 35, "separate": 30 if rooms == 1 else 65})


def _draw_parking(rng: Random, building: Building) -> str:
    if building.era in {"monolith", "construction"}:
        return draw_weighted(rng, {"underground": 50, "ground": 45, "none": 5})
    return draw_weighted(rng, {"ground": 60, "none": 30, "garage": 10})


def _living_area(rng: Random, total: float, kitchen: float) -> float:
    return round(min(total * rng.uniform(0.48, 0.6), total - kitchen - 6), 1)


def _draw_room(rng: Random, start: Premises, building: Building) -> Premises:
    area = draw_within(rng, (9, 22))
    return replace(
        start,
        rooms=1,
        total_area=area,
        living_area=area,
        floor=draw_count(rng, (1, building.floors)),
        renovation=draw_weighted(rng, {"cosmetic": 70, "euro": 15, "none": 15}),
        bathroom=draw_weighted(rng, {"combined": 50, "separate": 50}),
    )


def _draw_house(rng: Random, start: Premises, building: Building) -> Premises:
    is_dacha = start.kind == "dacha"
    rooms = draw_count(rng, (2, 4) if is_dacha else (2, 7))
    total = round(rooms * draw_within(rng, (11, 21) if is_dacha else (24, 38)) + 10, 1)
    kitchen = min(draw_within(rng, (6, 12) if is_dacha else (10, 34)), round(total * 0.3, 1))
    return replace(
        start,
        rooms=rooms,
        total_area=total,
        kitchen_area=kitchen,
        living_area=_living_area(rng, total, kitchen),
        plot=draw_count(rng, (2, 3)) if start.kind == "townhouse" else 2 * draw_count(rng, (2, 10)),
        renovation=_draw_state(rng, start.deal, building),
        bathroom=draw_weighted(rng, {"combined": 40, "separate": 25, "multiple": 0 if is_dacha else 35}),
        balconies=draw_weighted(rng, {0: 60, 1: 30, 2: 10}) if building.floors > 1 else 0,
        parking=draw_weighted(rng, {"garage": 45, "ground": 45, "none": 10}),
    )


_BUSINESS_AREAS: Final = {"commercial": (18, 320), "office": (15, 260), "warehouse": (90, 1_800)}


def _draw_business(rng: Random, start: Premises, building: Building) -> Premises:
    total = draw_within(rng, _BUSINESS_AREAS[start.kind])
    is_street_level = start.kind != "office"
    designer = 0 if start.kind == "warehouse" else 10
    return replace(
        start,
        rooms=max(1, round(total / 32)) if start.kind == "office" else None,
        total_area=total,
        floor=1 if is_street_level else draw_count(rng, (1, building.floors)),
        renovation=draw_weighted(rng, {"cosmetic": 35, "euro": 40, "designer": designer, "none": 15}),
        bathroom=draw_weighted(rng, {"combined": 60, "multiple": 40}),
        parking=draw_weighted(rng, {"ground": 60, "underground": 15, "none": 25}),
    )


def _draw_car_place(rng: Random, start: Premises, building: Building) -> Premises:
    is_garage = start.kind == "garage"
    return replace(
        start,
        total_area=draw_within(rng, (16, 36) if is_garage else (12, 18)),
        parking="garage" if is_garage else "underground",
        floor=1 if is_garage else None,
    )
