"""Figures that the SQL files work out, played: rankings fused, prices by group, the state of the database."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from statistics import quantiles
from typing import Final

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from vmk_mcp.listings.model import Listing, ListingRecord
from vmk_mcp.listings.queries import MarketQuery, MarketRow, OverviewRow

_RANK_CONSTANT: Final = 60
_Prices = tuple[float | None, float | None]
"""The price of one listing, and that of its square metre."""


def summarize(records: Sequence[ListingRecord], query: MarketQuery) -> list[MarketRow]:
    """Give prices by group and currency, largest group first."""
    groups: defaultdict[tuple[str | None, str | None], list[_Prices]] = defaultdict(list)
    for record in records:
        value = getattr(record, query.group_by or "", None)
        groups[None if value is None else str(value), record.currency].append(_prices_of(record))
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), str(item[0])))
    values = len({value for value, _ in groups})
    return [_market_row(*key, figures, values, len(records)) for key, figures in ordered[: query.most]]


def overview(records: Sequence[ListingRecord]) -> list[OverviewRow]:
    """Give counts and price ranges by deal type and currency."""
    groups: defaultdict[tuple[str | None, str | None], list[ListingRecord]] = defaultdict(list)
    for record in records:
        groups[record.deal_type, record.currency].append(record)
    return [_overview_row(*key, group) for key, group in sorted(groups.items(), key=str)]


def _overview_row(
    deal_type: str | None, currency: str | None, records: Sequence[ListingRecord]
) -> OverviewRow:
    prices = sorted(float(record.price) for record in records if record.price is not None)
    days: list[date] = [record.publish_date for record in records if record.publish_date is not None]
    return OverviewRow(
        deal_type=deal_type,
        currency=currency,
        listings=len(records),
        lowest_price=min(prices, default=None),
        median_price=_quartiles(prices)[1],
        highest_price=max(prices, default=None),
        newest=max(days, default=None),
    )


def _prices_of(record: ListingRecord) -> _Prices:
    if record.price is None:
        return None, None
    price = float(record.price)
    return price, round(price / record.total_area, 2) if record.total_area else None


def fuse(by_meaning: Sequence[Listing], by_words: Sequence[Listing]) -> list[Listing]:
    """Fuse two rankings by reciprocal rank."""
    meaning = {listing.id: (place, listing) for place, listing in enumerate(by_meaning, start=1)}
    words = {listing.id: (place, listing) for place, listing in enumerate(by_words, start=1)}
    fused = []
    for key in meaning | words:
        near, near_listing = meaning.get(key, (None, None))
        worded, worded_listing = words.get(key, (None, None))
        score = sum(1 / (_RANK_CONSTANT + place) for place in (near, worded) if place is not None)
        listing = near_listing or worded_listing
        assert listing is not None
        fused.append(
            replace(
                listing,
                fusion_score=round(score, 6),
                meaning_rank=near,
                words_rank=worded,
                rank_score=worded_listing.rank_score if worded_listing else None,
            )
        )
    return sorted(fused, key=lambda listing: (-_known(listing.fusion_score), listing.id))


def _known(score: float | UnsetType | None) -> float:
    return 0.0 if score is None or score is UNSET else score


def _market_row(
    group: str | None,
    currency: str | None,
    figures: Sequence[_Prices],
    groups: int,
    total: int,
) -> MarketRow:
    prices = [price for price, _ in figures if price is not None]
    per_m2 = [price for _, price in figures if price is not None]
    lower, median, upper = _quartiles(prices)
    lower_per_m2, median_per_m2, upper_per_m2 = _quartiles(per_m2)
    return MarketRow(
        group_value=group,
        currency=currency,
        listings=len(figures),
        priced=len(prices),
        price_lower_quartile=lower,
        price_median=median,
        price_upper_quartile=upper,
        measured=len(per_m2),
        price_per_m2_lower_quartile=lower_per_m2,
        price_per_m2_median=median_per_m2,
        price_per_m2_upper_quartile=upper_per_m2,
        groups=groups,
        total=total,
    )


def _quartiles(values: Sequence[float]) -> Sequence[float | None]:
    if len(values) > 1:
        return [round(value, 2) for value in quantiles(values, method="inclusive")]
    return [*values] * 3 if values else [None] * 3
