"""Names as they are typed, and the patterns that find them."""

import pytest

from vmk_mcp.errors import InvalidArguments
from vmk_mcp.spatial.words import make_pairs, read_name, spell_town


def test_blanks_around_and_inside_a_name_are_evened_out() -> None:
    assert read_name("  坝下\u3000 水库\n", "name") == "坝下 水库"


def test_a_name_has_one_form_of_unicode() -> None:
    assert read_name("Cafe\u0301", "name") == "Caf\u00e9"


@pytest.mark.parametrize("text", ["", "   ", "\u3000", "\n\t"])
def test_a_name_without_a_visible_character_is_refused(text: str) -> None:
    with pytest.raises(InvalidArguments, match="Town must hold at least one character") as caught:
        read_name(text, "town")
    assert caught.value.field == "town"


@pytest.mark.parametrize("text", ["坝\0下", "\0"])
def test_a_name_with_what_no_text_in_the_database_holds_is_refused(text: str) -> None:
    with pytest.raises(InvalidArguments, match="Name must not hold the character NUL") as caught:
        read_name(text, "name")
    assert caught.value.field == "name"


def test_a_name_is_looked_for_by_its_pairs_of_characters_once_each() -> None:
    assert make_pairs("水库水库A") == ["%水库%", "%库水%", "%库a%"]


def test_one_character_is_a_pair_of_its_own() -> None:
    assert make_pairs("山") == ["%山%"]


def test_signs_of_patterns_lose_their_meaning() -> None:
    assert make_pairs("%_\\") == ["%\\%\\_%", "%\\_\\\\%"]


def test_a_town_is_also_looked_for_with_what_people_leave_out() -> None:
    assert spell_town("榜头") == ["榜头", "榜头镇", "榜头乡", "榜头街道"]
