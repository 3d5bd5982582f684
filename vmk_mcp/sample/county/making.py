"""Makes the whole county, the same on every machine for the same seed."""

from random import Random
from typing import Final

from vmk_mcp.sample.county.grids import draw_grids
from vmk_mcp.sample.county.land import list_towns, make_land
from vmk_mcp.sample.county.passages import draw_passages, walk_routes
from vmk_mcp.sample.county.points import draw_lookouts, draw_sources, draw_stations, draw_tanks
from vmk_mcp.sample.county.records import County
from vmk_mcp.sample.county.risks import draw_burial_grounds, draw_works

COUNTY_SEED: Final = 42

CLOSED_TOWN: Final = "石苍乡"
"""The town that the token of this machine may not see, so that a scope can be watched at work."""

OPEN_TOWNS: Final = tuple(town.name for town in list_towns() if town.name != CLOSED_TOWN)
"""The towns that it may see."""


def make_county(seed: int = COUNTY_SEED) -> County:
    """Make the county's records, with what is wrong in live tables: invalid, empty and missing geometry."""
    land = make_land(seed)
    routes = walk_routes(land, _chance(seed, "routes"))
    return County(
        fire_grids=draw_grids(land, _chance(seed, "grids")),
        water_sources=draw_sources(routes, _chance(seed, "sources")),
        water_tanks=draw_tanks(routes, _chance(seed, "tanks")),
        check_stations=draw_stations(routes, _chance(seed, "stations")),
        lookouts=draw_lookouts(land, _chance(seed, "lookouts")),
        passages=draw_passages(routes, _chance(seed, "passages")),
        burial_grounds=draw_burial_grounds(land, _chance(seed, "burial grounds")),
        works=draw_works(land, _chance(seed, "works")),
    )


def _chance(seed: int, part: str) -> Random:
    return Random(f"{seed}/{part}")  # noqa: S311 -- made-up data, no secret
