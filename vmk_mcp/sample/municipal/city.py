"""The city itself: neighborhoods, departments, inspectors and properties."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from random import Random
from typing import Final

from vmk_mcp.sample.municipal.chance import LAST_DAY, draw_day, draw_sum
from vmk_mcp.sample.municipal.records import Department, Inspector, Neighborhood, Property
from vmk_mcp.sample.municipal.words import read_words
from vmk_mcp.sample.realty.chance import draw_weighted, happens

_WARDS: Final = 8
_INSPECTORS: Final = 24
_PROPERTIES: Final = 1_200
_SPECIALITIES: Final = ("building", "electrical", "plumbing", "mechanical", "fire", "housing")

_KINDS: Final = {
    "single_family": 50,
    "multi_family": 18,
    "commercial": 14,
    "mixed_use": 8,
    "industrial": 6,
    "vacant_land": 4,
}
_ZONES: Final = {
    "single_family": ("R-1", "R-2"),
    "multi_family": ("R-3", "R-4"),
    "commercial": ("C-1", "C-2"),
    "mixed_use": ("MX-1",),
    "industrial": ("M-1", "M-2"),
    "vacant_land": ("R-1", "C-1", "M-1"),
}
_WORTH: Final = {
    "single_family": (120_000, 780_000),
    "multi_family": (350_000, 4_200_000),
    "commercial": (300_000, 6_500_000),
    "mixed_use": (400_000, 5_000_000),
    "industrial": (500_000, 9_000_000),
    "vacant_land": (20_000, 400_000),
}


def make_neighborhoods(rng: Random) -> list[Neighborhood]:
    """Make the neighborhoods; of some the income is not known."""
    return [
        Neighborhood(
            name=name,
            type=kind,
            ward=place % _WARDS + 1,
            population=rng.randint(1_800, 24_000),
            median_income=None if happens(rng, 0.1) else draw_sum(rng, 28_000, 128_000, 100),
        )
        for place, (name, kind) in enumerate(read_words().neighborhoods.items())
    ]


def make_departments(rng: Random) -> list[Department]:
    """Make the departments."""
    departments = read_words().departments.items()
    return [
        Department(number, name, kind, draw_sum(rng, 900_000, 14_000_000, 1_000))
        for number, (name, kind) in enumerate(departments, 1)
    ]


def make_inspectors(rng: Random, departments: Sequence[Department]) -> list[Inspector]:
    """Make the inspectors, each with a name of their own, in departments that inspect or enforce."""
    words = read_words()
    employers = [one for one in departments if one.type in {"inspection", "enforcement"}]
    names = [f"{given} {surname}" for given in words.given_names for surname in words.surnames]
    return [
        Inspector(
            inspector_id=number,
            department_id=rng.choice(employers).department_id,
            name=name,
            type=_SPECIALITIES[number % len(_SPECIALITIES)],
            hired_date=draw_day(rng, date(2004, 1, 5), date(2025, 6, 30)),
            is_active=not happens(rng, 0.15),
        )
        for number, name in enumerate(rng.sample(names, _INSPECTORS), 1)
    ]


def make_properties(rng: Random, neighborhoods: Sequence[Neighborhood]) -> list[Property]:
    """Make the properties; land has no year, and some have not been assessed."""
    return [_make_property(rng, number, rng.choice(neighborhoods)) for number in range(1, _PROPERTIES + 1)]


def _make_property(rng: Random, number: int, place: Neighborhood) -> Property:
    words, kind = read_words(), draw_weighted(rng, _KINDS)
    has_year = kind != "vacant_land" and not happens(rng, 0.04)
    owner = f"{rng.choice(words.given_names)} {rng.choice(words.surnames)}"
    return Property(
        property_id=number,
        address=f"{rng.randint(1, 1999)} {rng.choice(words.streets)} {rng.choice(words.street_kinds)}",
        parcel_number=f"{place.ward:02d}-{number:05d}",
        neighborhood=place.name,
        ward=place.ward,
        zoning=rng.choice(_ZONES[kind]),
        property_type=kind,
        year_built=rng.randint(1888, LAST_DAY.year - 1) if has_year else None,
        lot_sqft=Decimal(rng.randint(16_000, 900_000)) / 10,
        assessed_value=None if happens(rng, 0.03) else draw_sum(rng, *_WORTH[kind], 100),
        owner_name=f"{owner.rpartition(' ')[2]} Holdings LLC" if happens(rng, 0.2) else owner,
    )
