"""The made-up listings: the same everywhere, consistent in themselves, and as messy as real ones."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from math import cos, hypot, radians

import msgspec
import pytest

from vmk_mcp.listings.model import ENUMERATIONS, ListingRecord
from vmk_mcp.sample.listings import PROPERTY_TYPES, REFERENCE_DATE, SAMPLE_COUNT, make_listings

LISTINGS = make_listings()
SLUGS = {row.id: row.slug for row in PROPERTY_TYPES}

DIGEST = "8462b5e59bb5ad8f5365c4690961093024530fce3069cd4d8730a91291c65487"

UNDERGROUND_CITIES = {"Київ", "Харків", "Дніпро"}
ROOM_WORDS = {
    1: ("однокімнатн", "однокомнатн", "однушк"),
    2: ("двокімнатн", "двухкомнатн", "двушк"),
    3: ("трикімнатн", "трёхкомнатн", "трьошк", "трёшк"),
    4: ("чотирикімнатн", "четырёхкомнатн"),
    5: ("п'ятикімнатн", "пятикомнатн"),
}


def clean(name: str | None) -> str | None:
    """Undo what carelessness does to a name."""
    return name and re.sub("[\u2019\u02bc`]", "'", name).translate(
        str.maketrans("aeiopcyxABEIKMHOPCTX", "аеіорсухАВЕІКМНОРСТХ")
    )


def texts(listing: ListingRecord) -> str:
    return " ".join(filter(None, (listing.title, listing.description, listing.generated_description)))


def is_written(pattern: str) -> Callable[[ListingRecord], bool]:
    return lambda listing: re.search(pattern, texts(listing)) is not None


def share(holds: Callable[[ListingRecord], bool]) -> float:
    return sum(map(holds, LISTINGS)) / len(LISTINGS)


def metres_between(one: tuple[float, float], other: tuple[float, float]) -> float:
    north = (one[0] - other[0]) * 111_320
    east = (one[1] - other[1]) * 111_320 * cos(radians(one[0]))
    return hypot(north, east)


def test_the_listings_are_the_same_on_every_machine_and_version() -> None:
    # A wanted change of the sample changes this digest, and the vectors' file with it.
    assert hashlib.sha256(msgspec.json.encode(LISTINGS)).hexdigest() == DIGEST


def test_fewer_listings_are_the_beginning_of_more() -> None:
    assert make_listings(150) == LISTINGS[:150]


def test_another_seed_gives_other_listings() -> None:
    assert make_listings(50, seed=7) != LISTINGS[:50]


def test_there_are_as_many_as_asked_for_with_ids_from_one() -> None:
    assert SAMPLE_COUNT >= 3_000
    assert [listing.id for listing in LISTINGS] == list(range(1, SAMPLE_COUNT + 1))


@pytest.mark.parametrize("column", ENUMERATIONS)
def test_every_enumerated_value_occurs_and_no_other(column: str) -> None:
    assert {getattr(listing, column) for listing in LISTINGS} - {None} == set(ENUMERATIONS[column])


def test_every_property_type_has_listings_and_a_name_in_ukrainian() -> None:
    assert {listing.property_type_id for listing in LISTINGS} - {None} == set(SLUGS)
    assert all(re.fullmatch(r"[А-ЯІЇЄҐа-яіїєґ' ]+", row.name) for row in PROPERTY_TYPES)


def test_the_whole_country_is_there_with_all_districts_of_the_capital() -> None:
    cities = Counter(clean(listing.city) for listing in LISTINGS)
    assert len(set(cities) - {None}) >= 25
    assert {"Львів", "Одеса", "Вінниця", "Ужгород", "Кам'янець-Подільський", "Слов'янськ"} <= set(cities)
    districts = {clean(listing.district) for listing in LISTINGS if clean(listing.city) == "Київ"}
    assert len(districts - {None}) == 10


def test_no_flat_is_above_its_house_or_smaller_than_its_rooms() -> None:
    for listing in LISTINGS:
        if listing.floor and listing.floors_count:
            assert listing.floor <= listing.floors_count, listing
        if listing.total_area and listing.living_area and listing.kitchen_area:
            assert listing.living_area + listing.kitchen_area < listing.total_area, listing


def test_only_towns_with_an_underground_have_stations_and_each_stands_in_one_district() -> None:
    districts: dict[tuple[str | None, str | None], set[str | None]] = defaultdict(set)
    for listing in LISTINGS:
        if listing.metro_station is None:
            assert listing.metro_distance_type is None
            assert listing.metro_distance_meters is None
        elif listing.city and listing.district:
            assert clean(listing.city) in UNDERGROUND_CITIES
            districts[clean(listing.city), clean(listing.metro_station)].add(clean(listing.district))
    assert len(districts) > 60
    assert all(len(found) == 1 for found in districts.values())


def test_a_long_way_to_the_underground_is_not_called_a_walk() -> None:
    for listing in LISTINGS:
        if listing.metro_distance_meters:
            is_walk = listing.metro_distance_type in {"walk", "walking"}
            assert is_walk == (listing.metro_distance_meters <= 1_800), listing


def test_listings_of_one_district_lie_near_each_other() -> None:
    by_district = defaultdict(list)
    for listing in LISTINGS:
        if listing.latitude and listing.longitude and listing.city and listing.district:
            point = (listing.latitude, listing.longitude)
            by_district[clean(listing.city), clean(listing.district)].append(point)
    assert len(by_district) > 100
    for neighbours in by_district.values():
        assert all(metres_between(one, other) < 25_000 for one, other in pairwise(neighbours))


def test_houses_are_of_a_time_that_built_so() -> None:
    for listing in LISTINGS:
        if listing.building_year and listing.building_type == "panel":
            assert 1958 <= listing.building_year <= 1996, listing
        if listing.building_year and listing.building_type in {"monolith", "gas_block"}:
            assert listing.building_year >= 2004, listing


def test_no_date_is_after_the_reference_date_or_before_its_two_years() -> None:
    for listing in LISTINGS:
        assert listing.publish_date
        assert listing.created_at
        assert listing.updated_at
        assert REFERENCE_DATE - timedelta(days=730) <= listing.publish_date
        assert listing.publish_date <= listing.created_at <= listing.updated_at <= REFERENCE_DATE
        assert (listing.archived_at is None) == (listing.listing_status == "active")


def test_flats_cost_what_flats_cost() -> None:
    def prices(deal: str, currency: str) -> list[float]:
        return sorted(
            float(listing.price) / listing.total_area
            for listing in LISTINGS
            if listing.price and listing.total_area and listing.deal_type == deal
            if listing.currency == currency and SLUGS.get(listing.property_type_id or 0) == "apartment"
        )

    sales, rents = prices("sale", "USD"), prices("rent_long", "UAH")
    assert 100 < sales[0] < sales[-1] < 5_500
    assert 500 < sales[len(sales) // 2] < 1_600
    assert 60 < rents[0] < rents[-1] < 1_300


def test_nobody_can_be_called_or_visited() -> None:
    for listing in LISTINGS:
        digits = re.sub(r"\D", "", listing.contact_phone or "")
        assert digits == "" or re.fullmatch(r"(38)?000\d{7}", digits), listing.contact_phone
        assert re.match(r"https://\w+\.example\.com/", listing.url_source or "")


def test_each_advert_has_an_address_of_its_own_on_the_web() -> None:
    assert len({listing.url_source for listing in LISTINGS}) == len(LISTINGS)


def test_no_slot_of_a_template_is_left_open() -> None:
    assert not [listing for listing in LISTINGS if re.search(r"[{}]|None|\s{2}|^\s| [.,]", texts(listing))]


@pytest.mark.parametrize(
    ("what", "least", "most", "holds"),
    [
        ("no longer on offer", 0.12, 0.18, lambda row: row.listing_status != "active"),
        ("Russian", 0.22, 0.28, is_written("(?i)[ыэъё]")),
        ("without a price", 0.015, 0.05, lambda row: row.price is None),
        ("without an area", 0.015, 0.05, lambda row: row.total_area is None),
        ("without a description", 0.01, 0.04, lambda row: row.description is None),
        ("without coordinates", 0.08, 0.16, lambda row: row.latitude is None),
        ("shouting", 0.03, 0.08, lambda row: row.title.isupper()),
        ("with mark-up", 0.02, 0.08, is_written(r"<\w+>|&nbsp;")),
        ("with look-alike letters", 0.01, 0.08, is_written(r"[а-яіїє][a-z]|[a-z][а-яіїє]")),
        ("with English", 0.01, 0.06, is_written(r"\b(owner|rent|ready|Smart|price)\b")),
        ("summed up by a model", 0.3, 0.4, lambda row: row.generated_description is not None),
    ],
)  # fmt: skip
def test_the_mess_of_real_listings_is_there_in_measure(
    what: str, least: float, most: float, holds: Callable[[ListingRecord], bool]
) -> None:
    assert least <= share(holds) <= most, what


@pytest.mark.parametrize(
    "spelling", ["Солом'янський", "Солом\u2019янський", "Солом\u02bcянський", "Солом`янський"]
)
def test_every_apostrophe_is_met_in_names(spelling: str) -> None:
    assert spelling in {listing.district for listing in LISTINGS}


@pytest.mark.parametrize(
    "spelling", [r"2к\b", r"2-кімн\.", "[Дд]вокімнатн", "Двушка", "2-комнатная", "2-х кімнатна"]
)
def test_two_rooms_are_written_in_every_way(spelling: str) -> None:
    assert any(re.search(spelling, listing.title) for listing in LISTINGS if listing.rooms_count == 2)


@pytest.mark.parametrize("spelling", [r"\dм2\b", r"\d м²", r"\d кв\.м\b", r"\d кв\. м\b", r"\d,\d м2"])
def test_areas_are_written_in_every_way(spelling: str) -> None:
    assert any(re.search(spelling, texts(listing)) for listing in LISTINGS)


def test_a_text_never_contradicts_the_number_of_rooms() -> None:
    for listing in LISTINGS:
        if (
            SLUGS.get(listing.property_type_id or 0) not in {"apartment", "new_building"}
            or not listing.rooms_count
        ):
            continue
        said = texts(listing).lower().replace("\u2019", "'").replace("\u02bc", "'").replace("`", "'")
        for rooms, words in ROOM_WORDS.items():
            if rooms != listing.rooms_count:
                assert not any(word in said for word in words), listing


@pytest.mark.parametrize(
    ("column", "value", "said", "unsaid"),
    [
        ("window_view", "park", r"[Вв]ид на парк|видно парк|на старий парк", r"[Вв]ид у двір|[Вв]ид на ліс"),
        (
            "renovation_status",
            "none",
            "[Бб]ез ремонту|потрібен капітальний ремонт",
            "євроремонт|[Дд]изайнерський ремонт",
        ),
        ("heating_type", "autonomous", "Автономне опалення|Індивідуальне опалення", "опалення центральне"),
        ("bathroom_type", "multiple", "Два санвузли|два санвузли", "Санвузол роздільний|Санвузол суміжний"),
    ],
)
def test_a_description_agrees_with_the_columns(column: str, value: str, said: str, unsaid: str) -> None:
    told = [row.description or "" for row in LISTINGS if getattr(row, column) == value]
    assert any(re.search(said, text) for text in told)
    assert not [text for text in told if re.search(unsaid, text)]


@pytest.mark.parametrize(
    ("is_sale", "unsaid"),
    [
        (True, r"(?i)\b(здам|оренда|сдам|аренда|подобово|посуточно|for rent)\b"),
        (False, r"(?i)\b(продам|продаж|продажа|продається|продаётся|for sale)\b"),
        (False, r"(?i)здача в \d|сдача в \d|після забудовника|від забудовника"),
    ],
)
def test_a_text_speaks_of_the_deal_that_is_offered(is_sale: bool, unsaid: str) -> None:
    told = [texts(row) for row in LISTINGS if (row.deal_type == "sale") == is_sale]
    assert not [text for text in told if re.search(unsaid, text)]


def test_the_same_flat_is_advertised_again_with_another_price_or_agent() -> None:
    by_flat = defaultdict(list)
    for listing in LISTINGS:
        if listing.latitude and listing.total_area:
            by_flat[listing.latitude, listing.longitude, listing.floor, listing.total_area].append(listing)
    again = [adverts for adverts in by_flat.values() if len(adverts) > 1]
    assert len(again) > 80
    assert any(len({advert.price for advert in adverts}) > 1 for adverts in again)
    assert any(len({advert.contact_phone for advert in adverts}) > 1 for adverts in again)


def test_different_flats_of_one_house_are_there_too() -> None:
    by_house = defaultdict(set)
    for listing in LISTINGS:
        if listing.latitude and listing.total_area and listing.floor:
            by_house[listing.latitude, listing.longitude].add((listing.floor, listing.total_area))
    assert sum(len(flats) > 1 for flats in by_house.values()) > 80


def test_only_adverts_of_the_same_flat_share_a_description() -> None:
    by_text = defaultdict(list)
    for listing in LISTINGS:
        if listing.description:
            by_text[clean(listing.description)].append(listing)
    shared = [adverts for adverts in by_text.values() if len(adverts) > 1]
    assert 0.02 < sum(map(len, shared)) / len(LISTINGS) < 0.08
    for adverts in shared:
        for column in ("city", "district", "total_area", "latitude", "building_year"):
            assert len({clean(str(value)) for row in adverts if (value := getattr(row, column))}) <= 1, column
