"""A prompt for the briefing of a drill, and what completes its arguments."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final, get_args

from vmk_mcp.errors import InvalidArguments
from vmk_mcp.spatial.crs import Crs
from vmk_mcp.spatial.points import EXAMPLE, MOST_DEGREES, is_within
from vmk_mcp.spatial.scope import Scope
from vmk_mcp.spatial.service import SpatialService
from vmk_mcp.tool import CallContext, Completer, Prompt, PromptArgument

_DRILL_BRIEFING: Final = "drill_briefing"


def spatial_prompts(family: str) -> Sequence[Prompt]:
    """Make the family's prompts."""
    return (
        Prompt(
            family=family,
            name=_DRILL_BRIEFING,
            title="Brief a fire drill",
            description="Gathers what is on record around a point for the briefing of a forest-fire drill.",
            arguments=(
                PromptArgument("longitude", "Degrees east, such as 118.69.", required=True),
                PromptArgument("latitude", "Degrees north, such as 25.36.", required=True),
                PromptArgument("crs", "What the pair was read from: wgs84, gcj02, bd09 or cgcs2000."),
                PromptArgument("town", "The town in which the drill is, in Chinese."),
                PromptArgument("place", "The record at which the drill is, by its name in Chinese."),
            ),
            render=_render_drill_briefing,
        ),
    )


def spatial_completers(service: SpatialService, family: str) -> Sequence[Completer]:
    """Make completions; of towns only those that the caller may see."""

    async def complete_town(text: str, context: CallContext) -> Sequence[str]:
        towns = await service.list_towns(Scope.of(context.caller))
        return [town for town in towns if town.startswith(text.strip())]

    async def complete_place(text: str, context: CallContext) -> Sequence[str]:
        try:
            return await service.list_names(text, Scope.of(context.caller))
        except InvalidArguments:
            return []  # what is typed so far is no name yet

    async def complete_crs(text: str, context: CallContext) -> Sequence[str]:
        del context
        return [name for name in get_args(Crs) if name.startswith(text.strip().lower())]

    return (
        Completer(family=family, reference=_DRILL_BRIEFING, argument="town", complete=complete_town),
        Completer(family=family, reference=_DRILL_BRIEFING, argument="place", complete=complete_place),
        Completer(family=family, reference=_DRILL_BRIEFING, argument="crs", complete=complete_crs),
    )


def _render_drill_briefing(given: Mapping[str, str]) -> str:
    longitude, latitude = (_read_degrees(given, name) for name in MOST_DEGREES)
    town, place = given.get("town"), given.get("place")
    named = f" The drill is in {town}: say so if a record of another town is nearer." if town else ""
    found = (
        f"First call search_places (name: {place}) and say which of its records is meant and how far from "
        "the point it is; if that is not clear, ask the user.\n"
        if place
        else ""
    )
    return (
        f"Write the briefing of a forest-fire drill at longitude {longitude}, latitude {latitude} "
        f"(crs: {_read_crs(given)}).{named}\n{found}"
        "With that point and crs call, in this order: get_grid_context and find_responsible_squadron; "
        "find_risk_areas (radius_m: 2000); find_water_sources (limit: 5) and again with min_capacity_m3: "
        "100; find_access_routes (radius_m: 3000); find_command_posts (limit: 5).\n"
        "Write one section each: place and responsibility, risks nearby, water, access, places for a command "
        "post. Give name, town and village, and the distance in metres of each record, and the total where "
        "there are more than you name. Say where nothing is on record. Repeat every warning of the answers.\n"
        "Distances are as the crow flies: draw no route and promise no time of arrival, and say that roads, "
        "terrain, fire, weather and traffic are not known. A squadron with relation: nearest is not "
        "established as responsible. Name no person and no telephone number. End with what the user has to "
        "confirm on the ground, the drill point first."
    )


def _read_degrees(given: Mapping[str, str], name: str) -> str:
    """Give the number as it was written.

    Raises:
        InvalidArguments: it is none, or lies on no map.
    """
    text = given[name].strip()
    with suppress(ValueError):
        if is_within(name, float(text)):
            return text
    most = MOST_DEGREES[name]
    raise InvalidArguments(
        f"{name.capitalize()} must be a number from -{most} to {most}, in degrees.", hint=EXAMPLE, field=name
    )


def _read_crs(given: Mapping[str, str]) -> str:
    crs = given.get("crs") or "wgs84"
    if crs not in get_args(Crs):
        raise InvalidArguments(
            f"Crs must be one of {', '.join(get_args(Crs))}.",
            hint="Leave crs out for WGS 84.",
            field="crs",
        )
    return crs
