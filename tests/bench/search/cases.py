"""Filters of known width: that have nothing to do with the query's vector, or much."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from msgspec import Struct

from vmk_mcp.listings.filters import Filters, Near
from vmk_mcp.listings.model import ListingRecord
from vmk_mcp.listings.normalize import fold_name

ValueT = TypeVar("ValueT", str, int)

SHARES: Final = (0.5, 0.1, 0.01, 0.001)

HOME_CITY: Final = "Київ"
HOME_DISTRICT: Final = "Печерський"
_FLAT: Final = 1


class Case(Struct, frozen=True):
    """One filter: what it has to do with the queries, its share of the table as it was meant, and itself."""

    relation: str
    share: float
    filters: Filters

    @property
    def name(self) -> str:
        """As reports and tests call it."""
        return f"{self.relation} {self.share:.1%}"


def find_home(listings: Sequence[ListingRecord]) -> ListingRecord:
    """Give the listing whose like all queries look for: a flat for sale in a district of the capital."""
    return next(
        listing
        for listing in listings
        if listing.city == HOME_CITY
        and listing.district == HOME_DISTRICT
        and listing.property_type_id == _FLAT
        and listing.deal_type == "sale"
        and listing.rooms_count == 2
    )


def make_cases(listings: Sequence[ListingRecord]) -> list[Case]:
    """Give the filters, widest first.

    `any time` knows nothing of vectors. `at home` keeps listings around the queries, `elsewhere` only such as
    are far from them: where an index that is asked for the nearest finds nothing that passes. `everyday` ones
    join columns that depend on each other, which a planner takes for independent.
    """
    active = [listing for listing in listings if listing.listing_status == "active"]
    return [
        Case("no filter", 1.0, Filters()),
        *(Case("any time", share, _since(listings, share)) for share in SHARES),
        *(Case("at home", share, _at_home(active, int(share * len(listings)))) for share in SHARES),
        *(Case("elsewhere", share, _elsewhere(active, int(share * len(listings)))) for share in SHARES),
        *_everyday(active, len(listings)),
    ]


def _since(listings: Sequence[ListingRecord], share: float) -> Filters:
    days = sorted(
        (listing.publish_date for listing in listings if listing.publish_date and _is_active(listing)),
        reverse=True,
    )
    return Filters(published_since=days[min(int(share * len(listings)), len(days) - 1)])


def _at_home(active: Sequence[ListingRecord], wanted: int) -> Filters:
    cities = Counter(fold_name(listing.city) for listing in active if listing.city)
    in_city = [listing for listing in active if fold_name(listing.city or "") == fold_name(HOME_CITY)]
    if wanted > len(in_city):
        others = _add_up(cities, wanted - len(in_city), without=fold_name(HOME_CITY))
        return Filters(city=[HOME_CITY, *others])
    districts = Counter(listing.district for listing in in_city if listing.district)
    if wanted > districts[HOME_DISTRICT]:
        nearby = _add_up(districts, wanted - districts[HOME_DISTRICT], without=HOME_DISTRICT)
        return Filters(city=[HOME_CITY], district=[HOME_DISTRICT, *nearby])
    at_home = [listing for listing in in_city if listing.district == HOME_DISTRICT]
    floors = Counter(listing.floor for listing in at_home if listing.floor is not None)
    return Filters(city=[HOME_CITY], district=[HOME_DISTRICT], floor=_add_up(floors, wanted))


def _elsewhere(active: Sequence[ListingRecord], wanted: int) -> Filters:
    others = [one for one in active if one.property_type_id not in {None, _FLAT}]
    kinds = sorted({one.property_type_id for one in others if one.property_type_id is not None})
    away = [one for one in others if fold_name(one.city or "") != fold_name(HOME_CITY)]
    if wanted > len(away):
        return Filters(property_type=list(kinds))
    cities = list({one.city for one in away if one.city})
    districts = Counter(one.district for one in away if one.district)
    return Filters(property_type=list(kinds), city=cities, district=_add_up(districts, wanted))


def _everyday(active: Sequence[ListingRecord], rows: int) -> Iterable[Case]:
    wishes: tuple[tuple[str, Filters, Callable[[ListingRecord], bool]], ...] = (
        (
            "everyday: a station",
            Filters(city=["Київ"], district=["Печерський"], metro_station=["Арсенальна"]),
            lambda one: one.metro_station == "Арсенальна",
        ),
        (
            "everyday: a price",
            Filters(
                deal_type=["sale"], property_type=[1], max_price=60_000, rooms_count=[2], not_first_floor=True
            ),
            lambda one: one.deal_type == "sale" and one.property_type_id == _FLAT and one.rooms_count == 2,
        ),
        (
            "everyday: a size",
            Filters(rooms_count=[3], min_total_area=60, max_total_area=90, min_rooms=3),
            lambda one: one.rooms_count == 3 and one.total_area is not None and 60 <= one.total_area <= 90,
        ),
        (
            "everyday: rent",
            Filters(city=["Київ", "Львів", "Одеса"], deal_type=["rent_long"], property_type=[1, 2]),
            lambda one: (
                one.city in {"Київ", "Львів", "Одеса"}
                and one.deal_type == "rent_long"
                and one.property_type_id in {1, 2}
            ),
        ),
        (
            "everyday: around a place",
            Filters(near=Near(latitude=50.4501, longitude=30.5234, radius_m=3_000)),
            lambda one: (
                one.latitude is not None
                and abs(one.latitude - 50.4501) < 0.027
                and one.longitude is not None
                and abs(one.longitude - 30.5234) < 0.042
            ),
        ),
    )
    for name, filters, passes in wishes:
        yield Case(name, sum(map(passes, active)) / rows, filters)


def _add_up(counts: Counter[ValueT], wanted: int, *, without: ValueT | None = None) -> list[ValueT]:
    """Choose values whose counts make about `wanted` together, common ones first."""
    chosen: list[ValueT] = []
    left = wanted
    for value, count in counts.most_common():
        if value != without and count <= left * 1.05 and len(chosen) < 100:
            chosen.append(value)
            left -= count
    return chosen


def _is_active(listing: ListingRecord) -> bool:
    return listing.listing_status == "active"
