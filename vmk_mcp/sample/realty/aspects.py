"""What the text of a made-up listing speaks of: facts of its columns, and extras that only the text has.

An aspect is the name of a table in the phrase banks, a case one of its keys.
"""

from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple

from vmk_mcp.sample.realty.buildings import Building
from vmk_mcp.sample.realty.chance import draw_some, draw_weighted, happens
from vmk_mcp.sample.realty.places import Place
from vmk_mcp.sample.realty.premises import Premises
from vmk_mcp.sample.realty.scene import (
    Scene,
    say_appliances,
    say_balcony,
    say_building,
    say_field,
    say_floor,
    say_furniture,
    say_heating,
    say_house_plan,
    say_kind,
    say_layout,
    say_metro,
    say_nearby,
    say_one_of,
    say_plot,
    say_power,
    say_renovation,
    say_transit,
    say_view,
)


class Aspect(NamedTuple):
    """One thing to say."""

    name: str
    case: str


_CHEAP_ROOMS: Final = 2
_RECENT_YEAR: Final = 2014
_MOST_SENTENCES: Final = 9


def choose_aspects(
    rng: Random, place: Place, building: Building | None, premises: Premises
) -> tuple[Aspect, ...]:
    """Choose what is told, in the order in which it is told: opening, body, terms, closing."""
    scene = Scene(rng, place, building, premises)
    body = [
        Aspect(name, case)
        for name, (probability, choose) in _PLANS[premises.family].items()
        if happens(rng, probability) and (case := choose(scene)) is not None
    ]
    body = draw_some(rng, body, rng.randint(5, _MOST_SENTENCES))
    opening = Aspect(f"intro_{premises.family}", premises.deal)
    return (opening, *body, *_choose_terms(scene), Aspect("closing", _closing(premises)))


def _closing(premises: Premises) -> str:
    return {"flat": "any", "house": "house"}.get(premises.family, "plain")


def _choose_terms(scene: Scene) -> list[Aspect]:
    drawn = [
        Aspect(name, draw_weighted(scene.rng, cases))
        for name, (probability, families, cases) in _TERMS[scene.premises.deal].items()
        if scene.premises.family in families and happens(scene.rng, probability)
    ]
    return [term for term in drawn if _is_fitting(scene, term)]


def _is_fitting(scene: Scene, term: Aspect) -> bool:
    is_unfinished = scene.building is not None and scene.building.era == "construction"
    is_recent = scene.building is None or scene.building.year >= _RECENT_YEAR
    unfit = {
        Aspect("tenants", "student"): (scene.premises.rooms or 1) > _CHEAP_ROOMS,
        Aspect("documents", "state_loan"): scene.premises.family not in _LIVED_IN,
        Aspect("documents", "old"): is_recent or scene.premises.family not in _LIVED_IN,
        Aspect("documents", "developer"): not is_unfinished,
        Aspect("documents", "ready"): is_unfinished,
    }
    return not unfit.get(term, False)


_ANY: Final = {"any": 1.0}

_Plan = dict[str, tuple[float, Callable[[Scene], str | None]]]

_PLANS: Final[dict[str, _Plan]] = {
    "flat": {
        "metro": (0.9, say_metro),
        "renovation": (0.92, say_renovation),
        "layout": (0.55, say_layout),
        "size": (0.35, say_one_of({"flat": 1.0})),
        "view": (0.6, say_view),
        "appliances": (0.5, say_appliances),
        "furniture": (0.3, say_furniture),
        "building": (0.7, say_building),
        "floor": (0.6, say_floor),
        "bathroom": (0.4, say_field("bathroom")),
        "balcony": (0.4, say_balcony),
        "heating": (0.5, say_heating),
        "nearby": (0.75, say_nearby),
        "transit": (0.35, say_transit),
        "power": (0.4, say_power),
        "parking": (0.35, say_field("parking")),
    },
    "room": {
        "room_neighbours": (0.9, say_one_of(_ANY)),
        "metro": (0.9, say_metro),
        "renovation": (0.8, say_renovation),
        "floor": (0.4, say_floor),
        "heating": (0.3, say_heating),
        "nearby": (0.8, say_nearby),
        "transit": (0.5, say_transit),
        "view": (0.4, say_view),
        "bathroom": (0.3, say_field("bathroom")),
    },
    "house": {
        "house_plan": (0.75, say_house_plan),
        "plot": (0.85, say_plot),
        "renovation": (0.85, say_renovation),
        "building": (0.7, say_building),
        "utilities": (0.7, say_one_of({"full": 60, "partial": 20, "well": 20})),
        "heating": (0.6, say_heating),
        "size": (0.4, say_one_of({"house": 1.0})),
        "parking": (0.6, say_field("parking")),
        "view": (0.4, say_view),
        "nearby": (0.6, say_nearby),
        "power": (0.35, say_power),
        "bathroom": (0.4, say_field("bathroom")),
        "appliances": (0.3, say_appliances),
    },
    "business": {
        "business_use": (0.95, say_kind),
        "business_tech": (0.8, say_one_of(_ANY)),
        "business_renovation": (0.7, say_renovation),
        "metro": (0.8, say_metro),
        "transit": (0.5, say_transit),
        "parking": (0.5, say_field("parking")),
    },
    "land": {
        "land_use": (0.95, say_one_of({"building": 60, "garden": 22, "commercial": 18})),
        "land_utilities": (0.85, say_one_of({"near": 70, "none": 30})),
        "land_place": (0.85, say_one_of(_ANY)),
        "transit": (0.3, say_transit),
    },
    "car": {
        "garage_use": (0.95, say_kind),
        "metro": (0.4, say_metro),
    },
}  # fmt: skip

_HOMES: Final = frozenset({"flat", "room", "house"})
_LIVED_IN: Final = frozenset({"flat", "house"})
_ALL: Final = frozenset(_PLANS)

_Terms = dict[str, tuple[float, frozenset[str], dict[str, float]]]

_DOCUMENTS: Final = {"ready": 45.0, "state_loan": 25.0, "old": 20.0, "developer": 25.0}

_TERMS: Final[dict[str, _Terms]] = {
    "sale": {
        "documents": (0.5, _ALL - {"car"}, _DOCUMENTS),
        "bargain": (0.4, _ALL, {"yes": 60, "urgent": 20, "no": 20}),
        "seller": (0.45, _ALL, {"owner": 55, "agent": 45}),
    },
    "rent_long": {
        "pets": (0.5, _HOMES, {"allowed": 55, "forbidden": 45}),
        "tenants": (0.5, _HOMES, {"family": 30, "student": 25, "couple": 20, "displaced": 10, "any": 15}),
        "terms": (0.5, _HOMES, {"utilities_apart": 45, "utilities_included": 20, "deposit": 35}),
        "seller": (0.5, _ALL, {"owner": 55, "agent": 45}),
    },
    "rent_short": {
        "pets": (0.3, _HOMES, {"allowed": 55, "forbidden": 45}),
        "terms": (0.9, _HOMES, {"checkin": 1}),
    },
}
