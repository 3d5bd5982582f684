"""Figures of the market and of the whole database out of grouped rows; listings side by side."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from msgspec import UNSET, UnsetType

from vmk_mcp.listings.arguments import MarketQuestion
from vmk_mcp.listings.model import ListingCard, PriceBasis
from vmk_mcp.listings.normalize import fold_name
from vmk_mcp.listings.queries import MarketRow, OverviewRow
from vmk_mcp.listings.results import (
    Comparison,
    DatabaseOverview,
    Figures,
    MarketGroup,
    MarketSummary,
    PriceRange,
)
from vmk_mcp.listings.values import StoredValue

MOST_GROUPS: Final = 200
"""Groups shown at most, the largest first."""

_TOP_CITIES: Final = 10
_NOT_COMPARED: Final = frozenset({"id", "url_source"})


def summarize(
    rows: Sequence[MarketRow], *, group_by: str | None, basis: PriceBasis | None, hints: list[str]
) -> MarketSummary:
    """Put grouped rows into a summary."""
    return MarketSummary(
        listings=max((row.total for row in rows), default=0),
        groups=[_group(row) for row in rows],
        group_by=group_by or UNSET,
        groups_left_out=max((row.groups for row in rows), default=0) - len(rows),
        price_basis=basis or UNSET,
        hints=hints or UNSET,
    )


def mixture_hints(question: MarketQuestion) -> list[str]:
    """Warn of figures in which sales and rents are one."""
    if question.filters.deal_type or question.group_by == "deal_type":
        return []
    return ["sales and rents are mixed in these figures: give filters.deal_type, or group_by deal_type"]


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


def overview(values: Sequence[StoredValue], rows: Sequence[OverviewRow]) -> DatabaseOverview:
    """Sum up what the database holds; `values` are the distinct stored values with their counts."""
    by_status = {value.value: value.listings for value in values if value.field == "listing_status"}
    cities: Counter[str] = Counter()
    spelling: dict[str, str] = {}
    for value in values:
        if value.field == "city":
            key = fold_name(value.value)
            cities[spelling.setdefault(key, value.value)] += value.listings
    return DatabaseOverview(
        listings=sum(by_status.values()),
        by_status=by_status,
        price_ranges=[
            PriceRange(
                row.deal_type,
                row.currency,
                row.listings,
                row.lowest_price,
                row.median_price,
                row.highest_price,
            )
            for row in rows
        ],
        top_cities=dict(cities.most_common(_TOP_CITIES)),
        newest=max((row.newest for row in rows if row.newest is not None), default=None),
    )


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
