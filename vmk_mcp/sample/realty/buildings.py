"""What house the made-up premises are in: its age and what follows from it."""

from random import Random
from typing import Final

from msgspec import Struct

from vmk_mcp.sample.realty.chance import draw_count, draw_weighted, happens


class Era(Struct, frozen=True):
    """What houses of one age have in common: bounds are inclusive, heights in metres."""

    types: dict[str, float]
    years: tuple[int, int]
    storeys: tuple[int, ...]
    ceilings: tuple[float, ...]
    heating: dict[str, float]


class Building(Struct, frozen=True):
    """One house; `era` names the wording, `complex_name` the estate of a new one."""

    era: str
    building_type: str
    year: int
    floors: int
    ceiling: float
    heating: str
    complex_name: str | None = None


_TOWN_HEATING: Final = {"central": 90.0, "autonomous": 10.0}
_NEW_HEATING: Final = {"central": 42.0, "autonomous": 48.0, "floor": 10.0}
_OWN_HEATING: Final = {"autonomous": 70.0, "floor": 22.0, "none": 8.0}

_ERAS: Final = {
    "stalinka": Era({"brick": 1}, (1936, 1957), (3, 4, 5, 6), (3.0, 3.1, 3.2, 3.3), _TOWN_HEATING),
    "khrushchovka": Era({"brick": 45, "panel": 55}, (1958, 1970), (5,), (2.5,), _TOWN_HEATING),
    "panel": Era({"panel": 1}, (1971, 1996), (9, 9, 9, 10, 12, 16), (2.5, 2.6), _TOWN_HEATING),
    "brick": Era({"brick": 1}, (1968, 2020), (4, 5, 6, 9, 9, 10, 14), (2.6, 2.7, 2.8), _TOWN_HEATING),
    "monolith": Era(
        {"monolith": 1}, (2004, 2025), (9, 10, 12, 16, 18, 22, 25, 27), (2.7, 2.8, 3.0), _NEW_HEATING
    ),
    "gas_block": Era({"gas_block": 1}, (2010, 2025), (3, 4, 5), (2.7, 2.8), _NEW_HEATING),
    "construction": Era(
        {"monolith": 75, "brick": 25}, (2026, 2028), (9, 12, 16, 20, 25), (2.7, 2.8, 3.0), _NEW_HEATING
    ),
    "house_brick": Era({"brick": 1}, (1955, 2024), (1, 1, 2, 2, 3), (2.6, 2.8, 3.0), _OWN_HEATING),
    "house_gas_block": Era({"gas_block": 1}, (2009, 2025), (1, 2, 2, 3), (2.7, 2.8, 3.0), _OWN_HEATING),
    "house_wood": Era({"wood": 1}, (1950, 2024), (1, 1, 2), (2.5, 2.6, 2.8), _OWN_HEATING),
}

_ERAS_OF_KIND: Final[dict[str, dict[str, float]]] = {
    "apartment": {
        "stalinka": 8,
        "khrushchovka": 20,
        "panel": 28,
        "brick": 20,
        "monolith": 21,
        "gas_block": 3,
    },
    "new_building": {"monolith": 72, "gas_block": 10, "construction": 18},
    "room": {"stalinka": 15, "khrushchovka": 30, "panel": 35, "brick": 20},
    "house": {"house_brick": 46, "house_gas_block": 34, "house_wood": 20},
    "townhouse": {"house_brick": 35, "house_gas_block": 65},
    "dacha": {"house_brick": 30, "house_gas_block": 15, "house_wood": 55},
    "commercial": {"stalinka": 12, "brick": 38, "panel": 15, "monolith": 35},
    "office": {"stalinka": 10, "brick": 30, "monolith": 60},
    "warehouse": {"house_brick": 60, "house_gas_block": 40},
    "garage": {"house_brick": 1},
    "parking": {"monolith": 1},
}

_COMPLEXES: Final = (
    "Липовий Гай", "Сонячна Брама", "Дзеркальний", "Яблуневий Двір", "Срібні Роси", "Каштанова Алея",
    "Північне Сяйво", "Панорама Парк", "Бурштиновий", "Два Мости", "Зоряний Квартал", "Вишневий Сад", "Обрій",
    "Тиха Гавань", "Сімейний Затишок",
)  # fmt: skip
"""Made up."""

_DACHA_FLOORS: Final = 2
_NEW_SINCE: Final = (2018, 2025)


def draw_building(rng: Random, kind: str) -> Building:
    """Draw a house that fits premises of `kind` (any but land)."""
    era_name = draw_weighted(rng, _ERAS_OF_KIND[kind])
    era = _ERAS[era_name]
    year = draw_count(rng, era.years)
    if kind in {"new_building", "townhouse"}:
        year = max(year, draw_count(rng, _NEW_SINCE))
    is_new = era_name in {"monolith", "construction", "gas_block"}
    return Building(
        era=era_name,
        building_type=draw_weighted(rng, era.types),
        year=year,
        floors=min(rng.choice(era.storeys), _DACHA_FLOORS if kind == "dacha" else max(era.storeys)),
        ceiling=rng.choice(era.ceilings),
        heating=draw_weighted(rng, era.heating),
        complex_name=rng.choice(_COMPLEXES) if is_new and happens(rng, 0.6) else None,
    )
