"""hunspell's lines into what Postgres reads."""

from vmk_mcp.database.dictionary import convert_affixes, convert_words


def test_an_apostrophe_becomes_a_letter_in_the_word_and_stays_in_the_flags() -> None:
    assert list(convert_words(["сім'я/%'", "в'язати/Xyt'"])) == ["сімʼя/%'", "вʼязати/Xyt'"]


def test_the_count_and_empty_lines_are_left_out() -> None:
    assert list(convert_words(["331660", "", "не", "дім/x"])) == ["не", "дім/x"]


def test_a_rule_is_converted_in_all_but_its_flag() -> None:
    lines = ["SFX ' Y 1", "SFX ' ти но ти", "SFX R 'я 'ені м'я", "SFX % я ї ['ьй]я"]
    assert list(convert_affixes(lines)) == [
        "SFX ' Y 1",
        "SFX ' ти но ти",
        "SFX R ʼя ʼені мʼя",
        "SFX % я ї [ʼьй]я",
    ]


def test_what_only_a_spell_checker_needs_is_left_out() -> None:
    lines = ["SET UTF-8", "TRY абв", "ICONV ʼ '", "FLAG num", "", "# note", "SFX 5 ити 'ючи [бвп]ити ###"]
    assert list(convert_affixes(lines)) == ["FLAG num", "SFX 5 ити ʼючи [бвп]ити"]
