"""The rule language: what wishes hold, and which grade they make."""

from decimal import Decimal

import pytest
from msgspec.structs import replace

from tests.bench.eval.facts import Facts, read_facts
from tests.bench.eval.rules import LabelledQuery, Wanted, Wishes, contradicts, grade, holds
from vmk_mcp.listings.model import ListingRecord

FLAT = ListingRecord(
    id=1,
    title="Продам 2к квартиру",
    description="Вид на парк, зранку співають птахи. Генератор на весь під'їзд, світло не зникає.",
    price=Decimal(50_000),
    currency="USD",
    deal_type="sale",
    property_type_id=1,
    city="Київ",
    district="Солом’янський",
    rooms_count=2,
    total_area=54.0,
    floor=3,
    floors_count=9,
    renovation_status="euro_repair",
)


def of(**changes: object) -> Facts:
    return read_facts(replace(FLAT, **changes))


def graded(must: Wishes, facts: Facts, *, should: Wishes | None = None, near: Wishes | None = None) -> int:
    return grade(LabelledQuery("", must, should or {}, near or {}), facts)


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        ("rooms_count", 2),
        ("rooms_count", [1, 2]),
        ("family", "flat"),
        ("property_type", "apartment"),
        ("renovation_status", "euro"),
        ("district", "Солом'янський"),
        ("total_area", {"min": 54, "max": 60}),
        ("price", {"max": 50_000}),
        ("price", {"max": 2_175_000, "currency": "UAH"}),
        ("not_first_floor", True),
        ("not_last_floor", True),
        ("says", ["power.shelter|power.generator", "view.park"]),
        ("text", ["генератор", "парк|ліс"]),
        ("lacks", ["pets.forbidden", "ліс"]),
    ],
)
def test_a_wish_that_the_listing_meets_holds(key: str, wanted: Wanted) -> None:
    assert holds(key, wanted, of()) is True


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        ("rooms_count", [1, 3]),
        ("district", "Печерський"),
        ("total_area", {"min": 55}),
        ("price", {"max": 2_174_999, "currency": "UAH"}),
        ("metro_station", "Шулявська"),
        ("metro_distance_meters", {"max": 1000}),
        ("says", ["view.park", "power.shelter"]),
        ("text", ["генератор", "ліс"]),
        ("lacks", ["power.generator"]),
        ("lacks", ["генератор"]),
    ],
)
def test_a_wish_that_the_listing_fails_does_not_hold(key: str, wanted: Wanted) -> None:
    assert holds(key, wanted, of()) is False


def test_what_nobody_can_know_neither_holds_nor_fails() -> None:
    unknown = of(price=None, district=None)
    assert holds("price", {"max": 1}, unknown) is None
    assert holds("district", "Печерський", unknown) is None


def test_an_empty_column_is_filled_from_the_text() -> None:
    known = of(rooms_count=None, window_view=None, floor=None, floors_count=None, title="Двушка")
    assert (known.fields["rooms_count"], known.fields["window_view"]) == (2, "park")
    last = of(floor=None, description="Верхній поверх, над квартирою лише дах і небо.")
    assert (last.fields["not_first_floor"], last.fields["not_last_floor"]) == (True, False)


def test_phrases_are_found_in_russian_and_through_markup_and_look_alikes() -> None:
    text = "<b>Вид на паpк, по утрам поют птицы.</b><br>Можно с животными."
    assert of(description=text).phrases == {"view.park", "pets.allowed"}


def test_all_wishes_met_make_a_three_and_the_hard_ones_alone_a_two() -> None:
    assert graded({"rooms_count": 2}, of(), should={"city": "Київ"}) == 3
    assert graded({"rooms_count": 2}, of(), should={"city": "Львів"}) == 2


def test_a_bound_missed_by_a_tenth_is_a_near_miss_and_by_more_is_none() -> None:
    assert [graded({"city": "Київ", "price": {"max": most}}, of()) for most in (50_000, 46_000, 45_000)] == [
        3,
        1,
        0,
    ]


def test_one_unknown_column_is_a_near_miss_and_two_are_none() -> None:
    wishes: Wishes = {"city": "Київ", "district": "Печерський", "rooms_count": 2}
    assert graded(wishes, of(district=None)) == 1
    assert graded(wishes, of(district=None, city=None)) == 0


def test_an_unknown_that_no_filter_knows_and_a_text_that_is_silent_are_no_near_miss() -> None:
    assert graded({"city": "Київ", "bathroom_type": "combined"}, of(bathroom_type=None)) == 0
    assert graded({"city": "Київ", "says": ["pets.allowed"]}, of()) == 0


def test_a_near_wish_takes_the_place_of_the_hard_one() -> None:
    must: Wishes = {"city": "Київ", "says": ["power.shelter"]}
    near: Wishes = {"says": ["power.generator"]}
    assert graded(must, of(), near=near) == 1
    assert graded(must, of(city="Львів"), near=near) == 0
    assert graded(must, of(description=None), near=near) == 0


def test_only_what_is_known_and_what_a_filter_can_say_contradicts() -> None:
    query = LabelledQuery("", {"rooms_count": 2, "says": ["pets.allowed"], "window_view": "forest"})
    assert not contradicts(query, of())
    assert contradicts(query, of(rooms_count=3))
    assert not contradicts(query, of(rooms_count=None, title="Квартира"))
