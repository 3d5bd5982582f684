"""The text that stands for a listing when it is embedded."""

import pytest

from vmk_mcp.listings.document import MAX_CHARACTERS, embedding_text, strip_markup
from vmk_mcp.listings.model import ListingRecord

FLAT = ListingRecord(
    id=1,
    title="Продам 2к квартиру",
    description="Тихий двір.",
    deal_type="sale",
    city="Київ",
    district="Солом'янський",
    rooms_count=2,
    total_area=65.5,
    floor=5,
    floors_count=9,
    building_type="brick",
    building_year=1978,
    renovation_status="euro",
    window_view="park",
    metro_station="Шулявська",
    metro_distance_meters=450,
)


def test_a_flat_is_told_from_title_over_facts_to_description() -> None:
    assert embedding_text(FLAT, "Квартира") == (
        "Продам 2к квартиру. Двокімнатна квартира, продаж. "
        "Київ, Солом'янський район, біля метро Шулявська 450 м. Євроремонт, вид на парк. "
        "65.5 м², 5 поверх із 9, цегляний будинок, 1978 рік. Тихий двір"
    )


def test_an_empty_listing_is_told_by_its_title_alone() -> None:
    assert embedding_text(ListingRecord(id=1, title="Гараж"), None) == "Гараж"


def test_a_house_is_told_by_its_count_of_rooms() -> None:
    house = ListingRecord(id=1, title="Продам", rooms_count=5, deal_type="rent_long")
    assert embedding_text(house, "Будинок") == "Продам. Будинок, кімнат: 5, довгострокова оренда"


def test_a_far_underground_is_named_but_not_called_near() -> None:
    text = embedding_text(
        ListingRecord(id=1, title="Т", metro_station="Нивки", metro_distance_meters=2_000), None
    )
    assert "Метро Нивки 2000 м".lower() in text.lower()
    assert "біля" not in text


def test_values_that_no_enumeration_knows_are_passed_over() -> None:
    odd = ListingRecord(id=1, title="Т", renovation_status="loft", deal_type="exchange", layout_type="x")
    assert embedding_text(odd, None) == "Т"


def test_the_summary_stands_in_for_a_missing_description() -> None:
    listing = ListingRecord(id=1, title="Т", generated_description="Світла оселя")
    assert embedding_text(listing, None) == "Т. Світла оселя"


def test_price_and_contacts_are_left_out() -> None:
    listing = ListingRecord(id=1, title="Т", currency="USD", contact_name="Олена", contact_phone="000")
    assert embedding_text(listing, None) == "Т"


def test_a_shouted_title_is_lowered() -> None:
    assert embedding_text(ListingRecord(id=1, title="ПРОДАМ ДІМ!"), None) == "Продам дім!"


def test_a_long_text_is_cut_between_words() -> None:
    text = embedding_text(ListingRecord(id=1, title="Т", description="слово " * 500), None)
    assert MAX_CHARACTERS - 10 < len(text) <= MAX_CHARACTERS
    assert text.endswith("слово")


def test_one_endless_word_is_cut_too() -> None:
    assert 0 < len(embedding_text(ListingRecord(id=1, title="я" * 5_000), None)) <= MAX_CHARACTERS


@pytest.mark.parametrize(
    ("scrap", "words"),
    [
        ("<p>Тихо.<br>Поруч&nbsp;парк</p>", "Тихо. Поруч парк"),
        ("Тихо<script>track('view')</script>", "Тихо"),
        ("площа < 50 і > 30", "площа < 50 і > 30"),
        ("Солом\u2019янський Солом`янський", "Солом'янський Солом'янський"),
    ],
)
def test_markup_goes_and_its_words_stay(scrap: str, words: str) -> None:
    assert strip_markup(scrap) == words
