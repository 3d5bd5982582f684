"""Words for the slots of the templates, in the right number and case, of one offer in one language."""

from random import Random
from typing import Final

from vmk_mcp.sample.realty.buildings import Building
from vmk_mcp.sample.realty.offers import Offer
from vmk_mcp.sample.realty.phrases import Bank
from vmk_mcp.sample.realty.places import Place
from vmk_mcp.sample.realty.premises import Premises

_METRES_A_MINUTE: Final = 80
_ROUNDED_MINUTES: Final = 10
_VOWELS: Final = frozenset("АЕИІОУЮЯЄЇЭ")
_ADJECTIVE_ENDING: Final = len("ий")
_TEENS: Final = range(11, 15)
_FEW: Final = range(2, 5)
_RIDE_M: Final = 1_300
# About five minutes in traffic.


def fill_slots(rng: Random, offer: Offer, language: str, bank: Bank) -> dict[str, str]:
    """Give the text of every slot that the offer can fill."""
    slots = _place_slots(offer.place, language, bank)
    slots |= _metro_slots(offer.place, language, bank)
    slots |= _noun_slots(offer.premises, bank)
    slots |= _room_slots(rng, offer.premises, bank)
    slots |= _area_slots(rng, offer.premises, bank)
    slots |= _building_slots(offer.premises, offer.building, bank)
    return slots | _tag_slots(rng, offer.premises, bank)


def count_noun(count: int, forms: tuple[str, ...]) -> str:
    """Give `count` with the right one of its noun's forms: for 1, for 2-4, for the rest."""
    last, last_two = count % 10, count % 100
    if last_two in _TEENS:
        form = forms[2]
    elif last == 1:
        form = forms[0]
    else:
        form = forms[1] if last in _FEW else forms[2]
    return f"{count} {form}"


def _place_slots(place: Place, language: str, bank: Bank) -> dict[str, str]:
    city, district = place.city, place.district
    if language == "ru":
        names = {"city": city.ru, "city_in": city.ru_locative}
        return names | {"where": district.ru_where or _where(district.ru, bank)}
    names = {"city": city.name, "city_in": city.locative, "street": place.street}
    return names | {"where": district.where or _where(district.name, bank)}


def _where(adjective: str, bank: Bank) -> str:
    """Put the name of a district into the locative, with its preposition."""
    spelling = bank["spelling"]
    before_consonant, before_vowel = spelling["in"]
    preposition = before_vowel if adjective[0] in _VOWELS else before_consonant
    name = adjective[:-_ADJECTIVE_ENDING] + spelling["locative"][0]
    return spelling["where"][0].format_map({"in": preposition, "name": name})


def _metro_slots(place: Place, language: str, bank: Bank) -> dict[str, str]:
    if place.station is None or place.metro_m is None:
        return {}
    minutes = max(2, round(place.metro_m / _METRES_A_MINUTE))
    if minutes > _ROUNDED_MINUTES:
        minutes = round(minutes / 5) * 5
    ride = max(1, round(place.metro_m / _RIDE_M)) * 5
    forms = bank["unit"]["minutes"]
    return {
        "metro": place.station.ru if language == "ru" else place.station.name,
        "minutes": count_noun(minutes, forms),
        "meters": str(place.metro_m),
        "ride": count_noun(ride, forms),
    }


def _noun_slots(premises: Premises, bank: Bank) -> dict[str, str]:
    nominative, accusative, genitive = bank["noun"]["studio" if premises.is_studio else premises.kind]
    return {
        "noun_nom": nominative,
        "Noun_nom": nominative.capitalize(),
        "noun_acc": accusative,
        "noun_gen": genitive,
    }


def _room_slots(rng: Random, premises: Premises, bank: Bank) -> dict[str, str]:
    if premises.rooms is None:
        return {}
    rooms, spelling = premises.rooms, bank["spelling"]
    tags = [tag for tag in spelling["rooms_tag"] if rooms > 1 or "-х" not in tag]
    shorts = [short for short in spelling["rooms_short"] if rooms > 1 or "-х" not in short]
    slots = {
        "rooms_cnt": count_noun(rooms, bank["unit"]["rooms"]),
        "k_flat": rng.choice(spelling["room_flat"]).format(k=rng.randint(2, 4)),
        "rooms_tag": rng.choice(tags).format(k=rooms),
        "rooms_short": rng.choice(shorts).format(k=rooms),
    }
    if rooms > 1:
        slots["k_offices"] = count_noun(rooms, bank["unit"]["offices"])
    if str(rooms) in bank["rooms"]:
        nominative, accusative, genitive = bank["rooms"][str(rooms)]
        slots |= {"rooms_nom": nominative, "rooms_acc": accusative, "rooms_gen": genitive}
        slots["rooms_Nom"] = nominative.capitalize()
    if str(rooms) in bank["rooms_slang"]:
        slots["rooms_slang"] = rng.choice(bank["rooms_slang"][str(rooms)])
    return slots


def _area_slots(rng: Random, premises: Premises, bank: Bank) -> dict[str, str]:
    spelling = bank["spelling"]
    slots = {"area": rng.choice(spelling["area"]).format(n=_number(premises.total_area))}
    if premises.kitchen_area is not None:
        slots["kitchen"] = spelling["metres"][0].format(n=_number(premises.kitchen_area))
    if premises.living_area is not None:
        slots["living"] = spelling["metres"][0].format(n=_number(premises.living_area))
    if premises.plot is not None:
        slots["plot"] = count_noun(premises.plot, bank["unit"]["plot"])
    return slots


def _building_slots(premises: Premises, building: Building | None, bank: Bank) -> dict[str, str]:
    if building is None:
        return {}
    slots = {
        "year": str(building.year),
        "floors": str(building.floors),
        "floors_cnt": count_noun(building.floors, bank["unit"]["floors"]),
        "ceiling": bank["spelling"]["ceiling"][0].format(n=_number(building.ceiling)),
    }
    if premises.floor is not None:
        slots["floor"] = str(premises.floor)
    if building.complex_name is not None:
        slots["complex"] = f"ЖК «{building.complex_name}»"
    return slots


def _tag_slots(rng: Random, premises: Premises, bank: Bank) -> dict[str, str]:
    state = {"euro_repair": "euro"}.get(premises.renovation or "", premises.renovation)
    tags = bank["sentence"].get(f"tag_{state}")
    return {"renovation_tag": rng.choice(tags)} if tags else {}


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0").replace(".", ",")
