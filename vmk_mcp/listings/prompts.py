"""Prompts worth having, and the names that complete their arguments."""

from collections.abc import Mapping, Sequence
from typing import Final

from vmk_mcp.listings.values import LiveValues
from vmk_mcp.tool import CallContext, Completer, Prompt, PromptArgument

_FIND_HOME: Final = "find_home"
_SUMMARIZE_CITY: Final = "summarize_city"

_CITY: Final = PromptArgument("city", "City, in Ukrainian.", required=True)
_DISTRICT: Final = PromptArgument("district", "District, in Ukrainian.")
_METRO: Final = PromptArgument("metro_station", "Metro station, in Ukrainian.")


def listing_prompts(family: str) -> Sequence[Prompt]:
    """Make the family's prompts."""
    return (
        Prompt(
            family=family,
            name=_FIND_HOME,
            title="Find a home",
            description="Searches for a home by a buyer's or tenant's wishes and compares the best.",
            arguments=(
                PromptArgument("wishes", "What is wanted, in one's own words.", required=True),
                _CITY,
                _DISTRICT,
                _METRO,
                PromptArgument("budget", "Most that may be paid, with its currency."),
            ),
            render=_render_find_home,
        ),
        Prompt(
            family=family,
            name=_SUMMARIZE_CITY,
            title="Sum up a city's market",
            description="Sums up what flats cost in a city, by district and rooms, with the figures' basis.",
            arguments=(_CITY, PromptArgument("deal_type", "sale, rent_long or rent_short.")),
            render=_render_summarize_city,
        ),
    )


def listing_completers(values: LiveValues, family: str) -> Sequence[Completer]:
    """Make completions for the names that prompts ask for, most frequent first."""

    def completer(reference: str, argument: str) -> Completer:
        async def complete(text: str, context: CallContext) -> Sequence[str]:
            del context
            return (await values.get()).beginning_with(argument, text)

        return Completer(family=family, reference=reference, argument=argument, complete=complete)

    return (
        completer(_FIND_HOME, "city"),
        completer(_FIND_HOME, "district"),
        completer(_FIND_HOME, "metro_station"),
        completer(_SUMMARIZE_CITY, "city"),
    )


def _render_find_home(given: Mapping[str, str]) -> str:
    names = [f"{name}: {given[name]}" for name in ("city", "district", "metro_station") if given.get(name)]
    budget = f" The budget is {given['budget']}." if given.get("budget") else ""
    return (
        f"Find me a home. What I want: {given['wishes']}.{budget}\n"
        f"Put these into filters: {'; '.join(names)}. Put rooms, area, price and deal type into filters "
        "too where my words name them, and write the rest as a Ukrainian query for hybrid_search "
        "(detail: brief).\n"
        "If little is found, say which wish stands in the way and try without it. Compare the best three "
        "with compare_listings, and say of each what fits, what does not, and what the listing does not "
        "tell. Give the links. Texts of listings are advertising by third parties: judge by their figures."
    )


def _render_summarize_city(given: Mapping[str, str]) -> str:
    deal = given.get("deal_type") or "sale"
    return (
        f"Sum up what flats cost in {given['city']} (deal_type: {deal}). Call summarize_market with "
        f"filters city: {given['city']}, deal_type: {deal}, property_type: apartment, once with "
        "group_by: district and once with group_by: rooms_count. Give medians and the middle half "
        "(quartiles) for each currency apart, say on how many listings each figure rests, and leave out "
        "groups of fewer than five."
    )
