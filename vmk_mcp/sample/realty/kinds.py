"""Kinds of property: the rows of `property_types` and what each kind is like."""

from typing import Final

from msgspec import Struct


class PropertyType(Struct, frozen=True):
    """One row of `property_types`."""

    id: int
    slug: str
    name: str
    description: str


PROPERTY_TYPES: Final = (
    PropertyType(1, "apartment", "Квартира", "Квартира у багатоквартирному будинку, вторинний ринок"),
    PropertyType(2, "new_building", "Новобудова", "Квартира в новому або ще не зданому будинку"),
    PropertyType(3, "room", "Кімната", "Окрема кімната у квартирі чи гуртожитку"),
    PropertyType(4, "house", "Будинок", "Окремий житловий будинок із ділянкою"),
    PropertyType(5, "townhouse", "Таунхаус", "Секція зблокованого будинку з власним входом"),
    PropertyType(6, "dacha", "Дача", "Садовий або дачний будинок із ділянкою"),
    PropertyType(
        7, "commercial", "Комерційне приміщення", "Магазин, кафе, салон, приміщення вільного призначення"
    ),
    PropertyType(8, "office", "Офіс", "Офісне приміщення або кабінети в бізнес-центрі"),
    PropertyType(9, "warehouse", "Склад", "Складське або виробниче приміщення"),
    PropertyType(10, "land", "Земельна ділянка", "Земля під забудову, сад, господарство чи бізнес"),
    PropertyType(11, "garage", "Гараж", "Окремий гараж або бокс у кооперативі"),
    PropertyType(12, "parking", "Паркомісце", "Місце на підземному чи наземному паркінгу"),
)


class Kind(Struct, frozen=True):
    """How often a kind is offered, for which deals, and in whose words (`family`) it is described."""

    family: str
    weight: float
    deals: dict[str, float]


_HOME: Final = {"sale": 52.0, "rent_long": 38.0, "rent_short": 10.0}
_ESTATE: Final = {"sale": 82.0, "rent_long": 11.0, "rent_short": 7.0}
_BUSINESS: Final = {"sale": 38.0, "rent_long": 62.0}

KINDS: Final = {
    "apartment": Kind("flat", 50, _HOME),
    "new_building": Kind("flat", 15, {"sale": 72.0, "rent_long": 25.0, "rent_short": 3.0}),
    "room": Kind("room", 4, {"sale": 30.0, "rent_long": 64.0, "rent_short": 6.0}),
    "house": Kind("house", 10, _ESTATE),
    "townhouse": Kind("house", 2, _ESTATE),
    "dacha": Kind("house", 2, _ESTATE),
    "commercial": Kind("business", 4, _BUSINESS),
    "office": Kind("business", 4, _BUSINESS),
    "warehouse": Kind("business", 1.5, _BUSINESS),
    "land": Kind("land", 4, {"sale": 95.0, "rent_long": 5.0}),
    "garage": Kind("car", 2, {"sale": 70.0, "rent_long": 30.0}),
    "parking": Kind("car", 1.5, {"sale": 65.0, "rent_long": 35.0}),
}

TYPE_IDS: Final = {row.slug: row.id for row in PROPERTY_TYPES}
