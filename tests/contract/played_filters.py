"""The filters of the listings, played: what the SQL files let pass, by the same rules on a row in memory."""

from vmk_mcp.listings.filters import Criteria
from vmk_mcp.listings.model import ListingRecord


def passes(row: ListingRecord, criteria: Criteria) -> bool:
    """Say whether `row` passes, as the SQL files have it; a null passes no filter."""
    return (
        _is_one_of(row, criteria)
        and _is_within(row, criteria)
        and _is_priced(row, criteria)
        and _is_placed(row, criteria)
    )


def _is_one_of(row: ListingRecord, criteria: Criteria) -> bool:
    return all(
        wanted is None or value in wanted
        for wanted, value in (
            (criteria.deal_types, row.deal_type),
            (criteria.cities, row.city),
            (criteria.districts, row.district),
            (criteria.metro_stations, row.metro_station),
            (criteria.building_types, row.building_type),
            (criteria.renovation_statuses, row.renovation_status),
            (criteria.property_type_ids, row.property_type_id),
            (criteria.rooms_counts, row.rooms_count),
            (criteria.floors, row.floor),
            (criteria.listing_statuses, row.listing_status),
        )
    )


def _is_within(row: ListingRecord, criteria: Criteria) -> bool:
    bounds = (
        (criteria.min_rooms, row.rooms_count, criteria.max_rooms),
        (criteria.min_total_area, row.total_area, criteria.max_total_area),
        (criteria.min_floor, row.floor, criteria.max_floor),
        (criteria.min_building_year, row.building_year, None),
        (None, row.metro_distance_meters, criteria.max_metro_distance_meters),
    )
    published = criteria.published_since is None or (
        row.publish_date is not None and row.publish_date >= criteria.published_since
    )
    return published and all(
        (low is None or (value is not None and value >= low))
        and (high is None or (value is not None and value <= high))
        for low, value, high in bounds
    )


def _is_priced(row: ListingRecord, criteria: Criteria) -> bool:
    if criteria.currency is not None and row.currency != criteria.currency:
        return False
    if criteria.price_currencies is None:
        return True
    bounds = zip(
        criteria.price_currencies, criteria.price_minima or (), criteria.price_maxima or (), strict=True
    )
    price = row.price
    return price is not None and any(
        row.currency == currency and low <= price <= high for currency, low, high in bounds
    )


def _is_placed(row: ListingRecord, criteria: Criteria) -> bool:
    floor, top = row.floor, row.floors_count
    above = not criteria.not_first_floor or (floor is not None and floor > 1)
    below = not criteria.not_last_floor or (floor is not None and top is not None and floor < top)
    balcony = criteria.has_balcony is None or criteria.has_balcony == bool(row.balcony_count)
    return above and below and balcony
