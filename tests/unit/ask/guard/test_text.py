"""Size and encoding: what cannot be seen is refused before any parser reads it."""

import pytest

from tests.unit.ask.guard.open_city import LIMITS, code_of


@pytest.mark.parametrize(
    "letter",
    [
        chr(code)
        for code in (
            0x00,
            0x07,
            0x0B,
            0x0C,
            0x7F,
            0x85,
            0xA0,
            0xAD,
            0x034F,
            0x061C,
            0x115F,
            0x1680,
            0x180E,
            0x2000,
            0x200B,
            0x200D,
            0x200E,
            0x2028,
            0x2029,
            0x202E,
            0x2060,
            0x2066,
            0x2800,
            0x3000,
            0x3164,
            0xFE0F,
            0xFEFF,
            0xFFA0,
            0xFFF9,
            0xD800,
            0xE000,
            0xE0041,
            0xE0100,
        )
    ],
    ids=lambda letter: f"U+{ord(letter):04X}",
)
def test_a_character_that_cannot_be_seen_is_refused(letter: str) -> None:
    assert code_of(f"SELECT 1 AS a{letter}b") == "bad_encoding"
    assert code_of(f"SELECT 'a{letter}b'") == "bad_encoding"


@pytest.mark.parametrize("text", ["Київ", "naïve", "東京", "€ 5", "e\u0301", "🏠"])
def test_letters_of_any_language_pass(text: str) -> None:
    assert code_of(f"SELECT '{text}' AS a") == ""


def test_a_statement_may_have_as_many_bytes_as_the_limit_says_and_no_more() -> None:
    frame = "SELECT ''"
    full = "SELECT '" + "x" * (LIMITS.statement_bytes - len(frame)) + "'"
    assert code_of(full) == ""
    assert code_of(full + " ") == "too_large"
    assert code_of("SELECT '" + "є" * (LIMITS.statement_bytes // 2) + "'") == "too_large"


@pytest.mark.parametrize("depth", [30, 101, 5_000])
def test_what_is_nested_too_deep_is_refused_in_words(depth: int) -> None:
    assert code_of("SELECT " + "(SELECT " * depth + "1" + ")" * depth) == "too_expensive"
