"""An offer put into the columns of a listing, with the trace of its advert: dates, agent, web address."""

from datetime import date, timedelta
from random import Random
from typing import Final

from msgspec.structs import replace

from vmk_mcp.listings.model import ListingRecord
from vmk_mcp.sample.realty.buildings import Building
from vmk_mcp.sample.realty.chance import draw_weighted
from vmk_mcp.sample.realty.kinds import TYPE_IDS
from vmk_mcp.sample.realty.places import Place
from vmk_mcp.sample.realty.premises import Premises

_PERIOD_DAYS: Final = 730

_SOLD: Final = {"active": 85.0, "sold": 6.0, "removed": 4.0, "archived": 5.0}
_LET: Final = {"active": 85.0, "rented": 7.0, "removed": 3.0, "archived": 5.0}

_PORTALS: Final = ("oselya", "domivka", "rynok", "kvadrat")

_NAMES: Final = (
    "Олена", "Андрій", "Ірина", "Сергій", "Наталія", "Олександр", "Тетяна", "Михайло", "Оксана", "Віталій",
    "Марія", "Юрій", "Людмила", "Богдан", "Світлана", "Тарас", "Дар'я", "В'ячеслав", "Галина", "Роман",
)  # fmt: skip
_ROLES: Final = ("", "", "", ", власник", ", рієлтор", ", АН «Зразковий Дім»", ", АН «Перший Приклад»")

_PHONES: Final = ("+380 00 {0} {1} {2}", "+38000{0}{1}{2}", "0 (00) {0}-{1}-{2}", "+38 (000) {0} {1} {2}")
"""No Ukrainian area or operator code begins with 00, so such a number reaches nobody."""

_BASEMENT_HEATING: Final = frozenset({"garage", "parking"})


def put_place(rng: Random, listing: ListingRecord, place: Place, shows_house: bool) -> ListingRecord:
    """Set town, district, address, coordinates and the way to the underground."""
    address = f"{place.city.name}, {place.street}"
    metro_type = None
    if place.metro_m is not None:
        walks = draw_weighted(rng, {"walk": 70, "walking": 30})
        metro_type = walks if place.is_walkable else "transport"
    return replace(
        listing,
        city=place.city.name,
        district=place.district.name,
        address_raw=f"{address}, {place.house}" if shows_house else address,
        latitude=place.latitude,
        longitude=place.longitude,
        metro_station=place.station.name if place.station else None,
        metro_distance_type=metro_type,
        metro_distance_meters=place.metro_m,
    )


def put_building(listing: ListingRecord, building: Building | None) -> ListingRecord:
    """Set what is true of the whole house."""
    if building is None:
        return listing
    return replace(
        listing,
        floors_count=building.floors,
        building_type=building.building_type,
        building_year=building.year,
        heating_type=building.heating,
    )


def put_premises(listing: ListingRecord, premises: Premises) -> ListingRecord:
    """Set what is true of the premises alone."""
    if premises.kind in _BASEMENT_HEATING:
        listing = replace(listing, heating_type="none", floors_count=None, building_year=None)
    return replace(
        listing,
        deal_type=premises.deal,
        property_type_id=TYPE_IDS[premises.kind],
        rooms_count=premises.rooms,
        total_area=premises.total_area,
        living_area=premises.living_area,
        kitchen_area=premises.kitchen_area,
        floor=premises.floor,
        renovation_status=premises.renovation,
        balcony_count=premises.balconies,
        bathroom_type=premises.bathroom,
        parking_type=premises.parking,
        layout_type=premises.layout,
        window_view=premises.view,
    )


def put_trace(rng: Random, listing: ListingRecord, today: date) -> ListingRecord:
    """Set status, dates up to `today`, contacts and where it was found."""
    status = draw_weighted(rng, _SOLD if listing.deal_type == "sale" else _LET)
    # What is still on offer is mostly recent.
    age_days = int(_PERIOD_DAYS * rng.random() * (rng.random() if status == "active" else 1.0))
    published = today - timedelta(days=age_days)
    updated = published + timedelta(days=rng.randint(0, age_days))
    return replace(
        listing,
        listing_status=status,
        publish_date=published,
        created_at=published,
        updated_at=updated,
        archived_at=None if status == "active" else updated,
        images_count=rng.choice((0, 1, 3, 5, 6, 8, 10, 12, 15, 18, 24)),
        contact_name=rng.choice(_NAMES) + rng.choice(_ROLES),
        contact_phone=_draw_phone(rng),
        url_source=f"https://{rng.choice(_PORTALS)}.example.com/ogoloshennya/{listing.id:06d}",
        raw_data_id=500_000 + listing.id,
    )


def _draw_phone(rng: Random) -> str:
    parts = (f"{rng.randint(100, 999)}", f"{rng.randint(0, 99):02d}", f"{rng.randint(0, 99):02d}")
    return rng.choice(_PHONES).format(*parts)
