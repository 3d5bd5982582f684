"""The cases of the aspects that a made-up listing can speak of, read off the facts or drawn to fit them.

Each function gives the case of the aspect that it is named after, or None where there is nothing to say.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Final, NamedTuple

from vmk_mcp.sample.realty.buildings import Building
from vmk_mcp.sample.realty.chance import draw_weighted
from vmk_mcp.sample.realty.places import Place
from vmk_mcp.sample.realty.premises import Premises


class Scene(NamedTuple):
    """All facts, and where the draws come from."""

    rng: Random
    place: Place
    building: Building | None
    premises: Premises


_NEAR_M: Final = 600
_SMALL_PLOT: Final = 4
_LOW_FLOOR: Final = 4
_HIGH_FLOOR: Final = 9

_SAME: Final = {"euro_repair": "euro", "courtyard": "yard"}
"""Rarer spellings of a value that read the same."""

_NEARBY: Final = {
    "school": 30.0,
    "park": 18.0,
    "shop": 30.0,
    "hospital": 9.0,
    "university": 10.0,
    "sport": 10.0,
    "mall": 10.0,
}
_POWER: Final = {"generator": 40.0, "shelter": 35.0, "inverter": 25.0}
_LOW_HOUSE_POWER: Final = {"shelter": 25.0, "gas_stove": 45.0, "inverter": 30.0}
_HOUSE_POWER: Final = {"own_generator": 30.0, "solar": 30.0, "inverter": 40.0}


def say_building(scene: Scene) -> str | None:
    """Give the case: the age of the house."""
    return scene.building.era if scene.building else None


def say_floor(scene: Scene) -> str | None:
    """Give the case: how high it is."""
    floor, building = scene.premises.floor, scene.building
    if floor is None or building is None:
        return None
    if floor == 1:
        return "first"
    if floor == building.floors:
        return "last"
    if floor <= _LOW_FLOOR:
        return "low"
    return "middle" if floor < _HIGH_FLOOR else "high"


def say_balcony(scene: Scene) -> str | None:
    """Give the case: how many balconies."""
    count = scene.premises.balconies
    return None if count is None else ("none", "one", "many")[min(count, 2)]


def say_view(scene: Scene) -> str | None:
    """Give the case: what is seen from the windows."""
    view = scene.premises.view
    if view == "water" and "sea" in scene.place.city.nearby:
        return "sea"
    return None if view is None else _SAME.get(view, view)


def say_renovation(scene: Scene) -> str | None:
    """Give the case: in what state it is."""
    state = scene.premises.renovation
    return None if state is None else _SAME.get(state, state)


def say_metro(scene: Scene) -> str | None:
    """Give the case: how far the underground is."""
    metres = scene.place.metro_m
    if metres is None:
        return None
    if metres <= _NEAR_M:
        return "near"
    return "walk" if scene.place.is_walkable else "transport"


def say_transit(scene: Scene) -> str | None:
    """Give the case: other transport, where there is no underground."""
    return "city" if scene.place.station is None else None


def say_nearby(scene: Scene) -> str:
    """Give the case: one thing in the neighbourhood."""
    own = dict.fromkeys(scene.place.city.nearby, 30.0)
    return draw_weighted(scene.rng, own | _NEARBY)


def say_appliances(scene: Scene) -> str | None:
    """Give the case: what is plugged in, where somebody lives already."""
    if _is_bare(scene):
        return None
    full = 45 if scene.premises.renovation == "designer" else 22
    return draw_weighted(scene.rng, {"washer": 55, "full": full, "basic": 16})


def say_furniture(scene: Scene) -> str | None:
    """Give the case: what furniture stays."""
    if _is_bare(scene):
        return None
    empty = 0 if scene.premises.deal == "rent_short" else 15
    return draw_weighted(scene.rng, {"full": 60, "partial": empty, "empty": empty})


def _is_bare(scene: Scene) -> bool:
    return scene.premises.renovation in {"none", "construction"}


def say_power(scene: Scene) -> str | None:
    """Give the case: what helps when the power is cut."""
    if scene.building is None or scene.building.era == "construction":
        return None
    if scene.premises.family == "house":
        return draw_weighted(scene.rng, _HOUSE_POWER)
    return draw_weighted(scene.rng, _POWER if scene.building.floors >= _HIGH_FLOOR else _LOW_HOUSE_POWER)


def say_house_plan(scene: Scene) -> str | None:
    """Give the case: the storeys of a house."""
    return ("one", "two", "three")[scene.building.floors - 1] if scene.building else None


def say_plot(scene: Scene) -> str:
    """Give the case: what is on the ground around a house."""
    if (scene.premises.plot or 0) <= _SMALL_PLOT:
        return "small"
    leisure = 60 if scene.premises.deal == "rent_short" else 10
    return draw_weighted(scene.rng, {"garden": 45, "yard": 40, "leisure": leisure})


def say_kind(scene: Scene) -> str:
    """Give the case: the kind of property itself."""
    return scene.premises.kind


def say_field(attribute: str) -> Callable[[Scene], str | None]:
    """Make a reader of one field of the premises."""

    def read(scene: Scene) -> str | None:
        value: str | None = getattr(scene.premises, attribute)
        return value

    return read


def say_one_of(cases: Mapping[str, float]) -> Callable[[Scene], str]:
    """Make a draw that fits any facts."""
    return lambda scene: draw_weighted(scene.rng, cases)


def say_layout(scene: Scene) -> str | None:
    """Give the case: how the rooms lie."""
    if scene.premises.rooms == 1 and scene.premises.layout != "studio":
        return "single"
    return scene.premises.layout


def say_heating(scene: Scene) -> str | None:
    """Give the case: how it is heated."""
    return scene.building.heating if scene.building else None
