"""One way of writing for stored text, queries and names."""

import sys
import unicodedata
from itertools import groupby
from typing import Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from vmk_mcp.listings.normalize import APOSTROPHE, drop_unreadable, fold_name, like_pattern, normalize_query

PIECES = (
    "2", "к", "кв", "м", "м2", "m2", "двушка", "3-х", "комн.", "5", "п'ять", "ти", "кімнатна", " ", "'", "’",
    "-", ",", ".", "65,5", "A", "a", "і", "i", "ї", "x", "\u0306", "\u0308", "\u0301", "дво", "х", "комнат",
    "у", "y", "²", "«", "»", "\0", "\u200b", "\ud800", "Ё", "с", "c", "\u00b4", "ŉ", "\u0f73", "\u0591" * 5,
    "\u05b4" * 7, "\ufb1d", "\u1100", "\u1161", "\u3099", "か", "ﷺ" * 12, "\U0001d160", "ß" * 150,
)  # fmt: skip
ANY_TEXT = st.text(max_size=40) | st.lists(st.sampled_from(PIECES), max_size=9).map("".join)
APOSTROPHES = "'\u2019\u2018\u02bc`\u00b4\u2032"


@given(ANY_TEXT)
@example("A'2к")
@example("2м2м2")
@example("2М2’A")
@example("Їy\u0306A")
@example("2к\u0306")
@example("двушка2'к")
@example("\u1100\u0301\u1161")
@example("\ufb1d" + "\u0591" * 8)
def test_normalising_twice_is_normalising_once(text: str) -> None:
    once = normalize_query(text)
    assert normalize_query(once) == once


@given(ANY_TEXT)
@example("Ї\u0308")
@example("İ")
@example("ß" * 150)
@example("ﷺ" * 200)
@example("а" * 199 + " б")
def test_folding_twice_is_folding_once(text: str) -> None:
    once = fold_name(text)
    assert fold_name(once) == once


@given(ANY_TEXT)
def test_whatever_comes_out_can_be_stored_by_postgres(text: str) -> None:
    for clean in (normalize_query(text), fold_name(text), like_pattern(text), drop_unreadable(text)):
        assert "\0" not in clean
        clean.encode()


ROOMS = {
    "однокімнатна": ("однокімнатна", "однокімнатну", "1-кімнатна", "1к", "1-к", "1 к.", "1-кімн.", "однушка",
                     "однокомнатная", "1-комнатная", "1-но кімнатна", "1кк"),
    "двокімнатна": ("двокімнатна", "двокімнатної", "двохкімнатна", "2-кімнатна", "2-х кімнатна", "2-х кімн.",
                    "2 кімн", "2к", "2-к", "2 к.", "2кк", "двушка", "двушку", "двійка", "двухкомнатная",
                    "2-комнатная", "2-х комн.", "2 комнаты", "2-ох кімнатна", "двухкомнатную", "ДВОКІМНАТНА"),
    "трикімнатна": ("трикімнатна", "трьохкімнатна", "3-кімнатна", "3к", "3-кім.", "трёшка", "трешка",
                    "трехкомнатная", "трёхкомнатная", "3-х комн"),
    "чотирикімнатна": ("чотирикімнатна", "чотирьохкімнатна", "4-кімнатна", "4к", "четырехкомнатная"),
    f"п{APOSTROPHE}ятикімнатна": ("п'ятикімнатна", "п’ятикімнатна", "пятикімнатна", "5-ти кімнатна", "5к",
                                  "пятикомнатная"),
    "шестикімнатна": ("шестикімнатна", "6-кімнатна", "шестикомнатная", "6к"),
}  # fmt: skip


@pytest.mark.parametrize(("word", "form"), [(word, form) for word, forms in ROOMS.items() for form in forms])
def test_every_way_of_saying_rooms_becomes_one_word(word: str, form: str) -> None:
    assert normalize_query(f"здам {form} квартиру") == f"здам {word} квартиру"


@pytest.mark.parametrize(
    "text", ["12к", "200к", "1,2 к", "2 км", "2 кв", "буд. 2", "v2к", "двері", "трійця1"]
)
def test_what_is_no_number_of_rooms_stays(text: str) -> None:
    assert normalize_query(text) == text


AREAS = ("65м2", "65 м2", "65 м²", "65м²", "65 кв.м", "65 кв. м.", "65кв.м.", "65 м.кв.", "65 кв метрів",
         "65 квадратних метрів", "65 m2", "65 sq m")  # fmt: skip


@pytest.mark.parametrize("form", AREAS)
def test_every_spelling_of_an_area_becomes_one(form: str) -> None:
    assert normalize_query(f"площа {form}") == "площа 65 м²"


def test_a_decimal_comma_of_an_area_becomes_a_point() -> None:
    assert normalize_query("65,5 м²") == normalize_query("65.5м2") == "65.5 м²"
    assert normalize_query("поверхи 1,2") == "поверхи 1,2"


@pytest.mark.parametrize("sign", APOSTROPHES)
def test_an_apostrophe_in_a_word_becomes_a_letter(sign: str) -> None:
    assert normalize_query(f"Солом{sign}янський") == f"Солом{APOSTROPHE}янський"
    assert fold_name(f"СОЛОМ{sign}ЯНСЬКИЙ") == f"солом{APOSTROPHE}янський"


def test_a_quote_round_a_word_is_no_apostrophe() -> None:
    assert normalize_query("ЖК 'Сонячний' «Дім»") == "ЖК 'Сонячний' \"Дім\""


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("cтудія", "студія"),
        ("Киiв", "Київ"),
        ("краiна", "країна"),
        ("cтудiя", "студія"),
        ("Xаркiв", "Харків"),
    ],
)
def test_latin_look_alikes_in_a_cyrillic_word_become_cyrillic(text: str, meant: str) -> None:
    assert normalize_query(text) == meant
    assert fold_name(text) == fold_name(meant)
    assert like_pattern(text) == f"%{meant}%"


def test_capitals_that_look_alike_meet_in_a_name_too() -> None:
    assert fold_name("KИЇB") == fold_name("київ")
    assert fold_name("ЖИТOMИP") == fold_name("Житомир")


@pytest.mark.parametrize("text", ["IT", "euro", "loft", "smart-квартира", "zхцq"])
def test_latin_words_and_words_that_cannot_be_cyrillic_stay(text: str) -> None:
    assert normalize_query(text) == text


def test_stress_marks_and_unseen_signs_do_not_split_a_word() -> None:
    assert normalize_query("за\u0301мок\u200b і кв\u00adартира\0\ud800") == "замок і квартира"
    assert normalize_query("и\u0306") == "й"


@pytest.mark.parametrize("dash", "-\u2010\u2011\u2012\u2013\u2014\u2212")
def test_names_meet_whatever_their_dash_case_and_blanks(dash: str) -> None:
    assert fold_name(f" ІВАНО{dash}Франківськ ") == fold_name("Івано-Франківськ")
    assert fold_name("Біла  Церква") == fold_name("біла\u00a0церква")


def test_a_pattern_takes_the_texts_own_wildcards_for_what_they_are() -> None:
    assert like_pattern(r"100%_\ і") == r"%100\%\_\\ і%"
    assert like_pattern("Солом'янський") == "%Солом_янський%"
    assert like_pattern(" \n\t ") == "%%"


@pytest.mark.parametrize(
    "text", ["2к " * 5_000, "a\u0301" * 10_000, "'" * 20_000, "кв " * 6_000, "9" * 20_000]
)
def test_twenty_thousand_signs_are_taken(text: str) -> None:
    assert len(normalize_query(text)) <= 6 * len(text)
    assert fold_name(text) is not None
    assert like_pattern(text).endswith("%")


PILES = ("\u0316\u0301", "\u0f73", "\u0344", "\u0591\u05b4", "\u3099\u0951", "\U0001d165\U0001d16d")
"""Marks that canonical ordering has to sort, which takes quadratic time where they stand in one row."""


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign).startswith("M")


@pytest.mark.parametrize("pile", PILES)
def test_of_a_row_of_marks_only_the_first_few_are_read(pile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lengths: list[int] = []
    genuine = unicodedata.normalize

    def normalize(form: Literal["NFC", "NFKC"], text: str) -> str:
        lengths.extend(len(list(row)) for is_mark, row in groupby(text, _is_mark) if is_mark)
        return genuine(form, text)

    monkeypatch.setattr(unicodedata, "normalize", normalize)
    for write in (normalize_query, fold_name, like_pattern):
        write(f"а{pile * 10_000}б")
    assert 0 < max(lengths) <= 8 * 2


def test_every_character_that_can_be_sorted_counts_as_a_mark() -> None:
    sortable = [
        sign
        for sign in map(chr, range(sys.maxunicode + 1))
        if unicodedata.combining(unicodedata.normalize("NFD", sign)[0])
    ]
    assert sortable
    for sign in sortable:
        assert len(normalize_query("а" + sign * 100)) <= 1 + 8 * 2, ascii(sign)


def test_the_few_marks_of_living_scripts_stay() -> None:
    assert normalize_query("שִׁ֑") == unicodedata.normalize("NFC", "שִׁ֑")
    assert normalize_query("བསྒྲུབས") == "བསྒྲུབས"


def test_a_row_of_signs_that_are_no_marks_stays() -> None:
    assert normalize_query("★" * 30) == "★" * 30


@pytest.mark.parametrize("sign", ["а", "ﷺ", "ß", "'", "\u0316\u0301", "ŉ", " а"])
def test_a_name_is_read_for_two_hundred_characters(sign: str) -> None:
    assert len(fold_name(sign * 300_000)) <= 200
    assert fold_name("б" * 200 + sign) == "б" * 200
