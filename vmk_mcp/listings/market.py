"""Figures of the market out of grouped rows, and listings compared side by side."""

from collections.abc import Sequence
from typing import Final

from msgspec import UNSET, UnsetType

from vmk_mcp.listings.model import (
    Comparison,
    Figures,
    ListingCard,
    MarketGroup,
    MarketSummary,
    PriceBasis,
)
from vmk_mcp.listings.queries import MarketRow

MOST_GROUPS: Final = 200
"""Groups shown at most, the largest first."""

_NOT_COMPARED: Final = frozenset({"id", "url_source"})


def summarize(
    rows: Sequence[MarketRow], *, group_by: str | None, basis: PriceBasis | None, hints: list[str]
) -> MarketSummary:
    """Put grouped rows into a summary."""
    return MarketSummary(
        listings=sum(row.listings for row in rows),
        groups=[_group(row) for row in rows],
        group_by=group_by or UNSET,
        groups_left_out=max((row.groups for row in rows), default=0) - len(rows),
        price_basis=basis or UNSET,
        hints=hints or UNSET,
    )


def compare(listing_ids: Sequence[int], cards: Sequence[ListingCard]) -> Comparison:
    """Put listings side by side in the order asked for, each once, and name what is not alike."""
    by_id = {card.id: card for card in cards}
    wanted = list(dict.fromkeys(listing_ids))
    found = [by_id[number] for number in wanted if number in by_id]
    differing = [
        name
        for name in ListingCard.__struct_fields__
        if name not in _NOT_COMPARED and len({getattr(card, name) for card in found}) > 1
    ]
    return Comparison(found, [number for number in wanted if number not in by_id], differing)


def _group(row: MarketRow) -> MarketGroup:
    return MarketGroup(
        group=row.group_value,
        currency=row.currency,
        listings=row.listings,
        price=_figures(row.priced, row.price_lower_quartile, row.price_median, row.price_upper_quartile),
        price_per_m2=_figures(
            row.measured,
            row.price_per_m2_lower_quartile,
            row.price_per_m2_median,
            row.price_per_m2_upper_quartile,
        ),
    )


def _figures(
    count: int, lower: float | None, median: float | None, upper: float | None
) -> Figures | UnsetType:
    if lower is None or median is None or upper is None:
        return UNSET
    return Figures(count, lower, median, upper)
