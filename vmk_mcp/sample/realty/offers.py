"""A made-up offer: place, building, premises and what its text speaks of."""

from random import Random
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from vmk_mcp.sample.realty.aspects import Aspect, choose_aspects
from vmk_mcp.sample.realty.buildings import Building, draw_building
from vmk_mcp.sample.realty.chance import draw_weighted
from vmk_mcp.sample.realty.kinds import KINDS
from vmk_mcp.sample.realty.places import Place, draw_place
from vmk_mcp.sample.realty.premises import Premises, draw_premises, set_view


class Offer(Struct, frozen=True):
    """One thing on offer, whoever advertises it."""

    place: Place
    building: Building | None
    premises: Premises
    aspects: tuple[Aspect, ...]


_OUT_OF_TOWN: Final = frozenset({"house", "dacha", "land", "warehouse"})
# Too far from any underground to speak of it.

_NEIGHBOURS_OF: Final = frozenset({"apartment", "new_building"})


def draw_offer(rng: Random) -> Offer:
    """Draw something new at a new address."""
    kind = draw_weighted(rng, {slug: kind.weight for slug, kind in KINDS.items()})
    place = draw_place(rng)
    if kind in _OUT_OF_TOWN:
        place = replace(place, station=None, metro_m=None)
    building = None if kind == "land" else draw_building(rng, kind)
    return _complete(rng, place, building, kind)


def draw_neighbour(rng: Random, offer: Offer) -> Offer:
    """Draw another flat in the same house.

    Raises:
        ValueError: `offer` is no flat.
    """
    if offer.premises.kind not in _NEIGHBOURS_OF:
        raise ValueError(f"only flats have neighbours, not {offer.premises.kind}")
    return _complete(rng, offer.place, offer.building, offer.premises.kind)


def has_neighbours(offer: Offer) -> bool:
    """Whether `draw_neighbour` takes it."""
    return offer.premises.kind in _NEIGHBOURS_OF


def _complete(rng: Random, place: Place, building: Building | None, kind: str) -> Offer:
    premises = set_view(rng, draw_premises(rng, kind, building), place.city.water)
    return Offer(place, building, premises, choose_aspects(rng, place, building, premises))
