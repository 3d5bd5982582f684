"""The families that this build can serve, and those among them that are served."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

from vmk_mcp.bootstrap.ask import ASK
from vmk_mcp.bootstrap.beside import opened_together
from vmk_mcp.bootstrap.knowledge import KNOWLEDGE
from vmk_mcp.bootstrap.listings import LISTINGS
from vmk_mcp.bootstrap.spatial import SPATIAL
from vmk_mcp.bootstrap.surroundings import Family, Room, Surroundings
from vmk_mcp.diagnostics.tools import OFFER as DIAGNOSTICS
from vmk_mcp.settings import Settings
from vmk_mcp.tool import Offer
from vmk_mcp.web.app import Lifespan

ROOMS: Final[Mapping[str, Room]] = {
    "listings": LISTINGS,
    "spatial": SPATIAL,
    "knowledge": KNOWLEDGE,
    "ask": ASK,
    "diagnostics": Room(lambda: DIAGNOSTICS, lambda _: Family(DIAGNOSTICS)),
}
"""Adding a family is adding its room, a line here and its word to `BUILT_FAMILIES`, as a test sees to."""


def show_offers(settings: Settings) -> Sequence[Offer]:
    """Give what the served families offer, to be looked at and not called; nothing is started."""
    return [room.show() for name, room in ROOMS.items() if name in settings.families]


def make_families(around: Surroundings) -> Sequence[Family]:
    """Make the families that the settings name, in a fixed order; raises what a room's `make` does."""
    rooms = {name: room for name, room in ROOMS.items() if name in around.settings.families}
    with ThreadPoolExecutor() as threads:
        apart = {name: threads.submit(room.make, around) for name, room in rooms.items() if room.is_apart}
        return [apart[name].result() if name in apart else room.make(around) for name, room in rooms.items()]


def open_families(families: Sequence[Family]) -> Lifespan:
    """Give the lifespan of all: none needs another to be open, and what most of them wait for is Postgres."""
    lifespans = [family.lifespan for family in families if family.lifespan is not None]
    return partial(opened_together, lifespans)
