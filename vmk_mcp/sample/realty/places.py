"""Where a made-up listing stands: town, district, street, point and the way to the underground."""

from functools import cache
from importlib.resources import files
from math import sqrt
from random import Random
from typing import Final

import msgspec
from msgspec import Struct

from vmk_mcp.sample.realty.chance import draw_weighted, happens

METRES_A_DEGREE: Final = 111_320
"""Along a meridian."""

_LONGITUDE_SHRINKS: Final = 0.65
# cos(49.5°): near enough for the whole country, and free of the machine's own cosine.

_WALK_IS_LONGER: Final = 1.25
# A way through streets against the straight line.

_WALKABLE_M: Final = 1_800


class Station(Struct, frozen=True):
    """A station of the underground, degrees WGS 84."""

    name: str
    ru: str
    lat: float
    lon: float


class District(Struct, frozen=True):
    """A part of a town; `level` is a factor on the town's prices."""

    name: str
    ru: str
    lat: float
    lon: float
    level: float
    where: str | None = None
    ru_where: str | None = None
    streets: tuple[str, ...] = ()
    stations: tuple[Station, ...] = ()


class City(Struct, frozen=True, rename={"locative": "in", "ru_locative": "ru_in"}):
    """A town; `level` is dollars per square metre of an average flat."""

    name: str
    locative: str
    ru: str
    ru_locative: str
    weight: float
    level: float
    districts: tuple[District, ...]
    nearby: tuple[str, ...] = ()
    water: bool = True


class Place(Struct, frozen=True):
    """One address; `metro_m` is the way along the streets."""

    city: City
    district: District
    street: str
    house: str
    latitude: float
    longitude: float
    station: Station | None = None
    metro_m: int | None = None

    @property
    def level(self) -> float:
        """Dollars per square metre of an average flat here."""
        return self.city.level * self.district.level

    @property
    def is_walkable(self) -> bool:
        """Whether one would walk to the underground."""
        return self.metro_m is not None and self.metro_m <= _WALKABLE_M


class _Country(Struct, frozen=True):
    city: tuple[City, ...]
    streets: tuple[str, ...]


def draw_place(rng: Random) -> Place:
    """Draw an address: busy towns and districts with an underground more often."""
    country = _read_country()
    city = country.city[draw_weighted(rng, {n: city.weight for n, city in enumerate(country.city)})]
    weights = {n: 1.0 + 0.25 * len(district.stations) for n, district in enumerate(city.districts)}
    district = city.districts[draw_weighted(rng, weights)]
    street = rng.choice(district.streets or country.streets)
    house = f"{rng.randint(1, 140)}{rng.choice(('', '', '', '', 'А', 'Б', '/2', ' корп. 3'))}"
    if district.stations and happens(rng, 0.85):
        return _near_station(rng, Place(city, district, street, house, 0.0, 0.0))
    latitude, longitude, _ = _move(rng, (district.lat, district.lon), 1_500)
    return Place(city, district, street, house, latitude, longitude)


@cache
def _read_country() -> _Country:
    text = files("vmk_mcp.sample.realty").joinpath("cities.toml").read_text("utf-8")
    return msgspec.toml.decode(text, type=_Country)


def _near_station(rng: Random, place: Place) -> Place:
    station = rng.choice(place.district.stations)
    reach = rng.choice((400, 700, 1_100, 1_500, 2_600))
    latitude, longitude, straight = _move(rng, (station.lat, station.lon), reach)
    metro_m = max(100, round(straight * _WALK_IS_LONGER / 50) * 50)
    return msgspec.structs.replace(
        place, latitude=latitude, longitude=longitude, station=station, metro_m=metro_m
    )


def _move(rng: Random, origin: tuple[float, float], reach_m: int) -> tuple[float, float, float]:
    north, east = rng.uniform(-reach_m, reach_m), rng.uniform(-reach_m, reach_m)
    latitude = origin[0] + north / METRES_A_DEGREE
    longitude = origin[1] + east / (METRES_A_DEGREE * _LONGITUDE_SHRINKS)
    return round(latitude, 5), round(longitude, 5), sqrt(north * north + east * east)
