import hashlib

import pytest

from tests.unit.web.token_texts import WORDS, entry, hash_of
from vmk_mcp.errors import SettingsError
from vmk_mcp.tool import ALL, Caller
from vmk_mcp.web.token_entries import BrokenTokens, read_tokens


def read(text: str) -> dict[str, Caller]:
    return {caller.name: caller for caller in read_tokens(text.encode(), "tokens.toml", WORDS).values()}


def fault_of(text: str) -> str:
    with pytest.raises(SettingsError) as caught:
        read(text)
    assert caught.value.field == "MCP_TOKENS_FILE"
    return caught.value.message


def test_every_field_of_an_entry_reaches_the_caller() -> None:
    lines = (
        'profile = "standard"',
        'tools = ["listings", "ask.list_schema", "metrics"]',
        'towns = ["榜头镇", "度尾镇"]',
        "contacts = true",
        "rate_per_minute = 600",
        "user_ids = [7, 8]",
    )
    assert read(entry("superagent", "t", *lines)) == {
        "superagent": Caller(
            name="superagent",
            profile="standard",
            rights=frozenset({"listings", "ask.list_schema", "metrics"}),
            towns=frozenset({"榜头镇", "度尾镇"}),
            contacts=True,
            user_ids=frozenset({7, 8}),
            rate_per_minute=600,
        )
    }


def test_what_an_entry_does_not_name_it_has_not() -> None:
    assert read(entry("bare", "t")) == {"bare": Caller(name="bare")}
    assert Caller(name="bare").rights == frozenset()


def test_all_towns_and_users_are_had_only_where_written_out() -> None:
    caller = read(entry("wide", "t", 'towns = "all"', 'user_ids = "all"'))["wide"]
    assert (caller.towns, caller.user_ids) == (ALL, ALL)


def test_a_hash_in_capitals_is_the_same_hash() -> None:
    text = f'[[token]]\nname = "a"\nsha256 = "{hash_of("t").upper()}"\n'
    assert list(read_tokens(text.encode(), "tokens.toml", WORDS)) == [hashlib.sha256(b"t").digest()]


def test_a_file_without_entries_lets_nobody_in() -> None:
    assert read("token = []\n") == {}
    assert read("# nobody yet\n") == {}


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('tools = ["listing"]', 'line 4: tools names "listing", which is no family (did you mean listings?)'),
        ('tools = ["listing.find"]', 'line 4: tools names "listing.find", which is of no family'),
        ('tools = ["metrics.all"]', 'line 4: tools names "metrics.all", which is of no family'),
        (
            'tools = ["listings.fnd"]',
            'line 4: tools names "listings.fnd", which is no tool of listings (did you mean listings.find?)',
        ),
        ('tools = ["listings."]', 'line 4: tools names "listings.", which is no tool of listings'),
        ('tools = "listings"', "line 4: tools must be a list"),
        ('towns = ["all"]', "line 4: towns must be a list of town names"),
        ('towns = "everywhere"', "line 4: towns must be a list of town names"),
        ("towns = [1]", "line 4: towns must be"),
        ('contacts = "yes"', "line 4: contacts must be true or false"),
        ("contacts = 1", "line 4: contacts must be true or false"),
        ("rate_per_minute = 0", "line 4: rate_per_minute must be an integer"),
        ("rate_per_minute = true", "line 4: rate_per_minute must be an integer"),
        ("rate_per_minute = 1.5", "line 4: rate_per_minute must be an integer"),
        ("user_ids = [true]", "line 4: user_ids must be a list of integers"),
        ('user_ids = "7"', "line 4: user_ids must be a list of integers"),
        ('profile = "loose"', 'line 4: profile names "loose"; there are fixed, standard'),
        ("profile = 7", "line 4: profile must be the name of a profile"),
        ('scope = "x"', "line 4: scope is no field of a token"),
    ],
)
def test_a_wrong_field_is_named_with_its_line(line: str, fault: str) -> None:
    assert fault in fault_of(entry("a", "t", line))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('[[token]]\nsha256 = "' + "0" * 64 + '"\n', "line 1: name is missing"),
        ('[[token]]\nname = "a"\n', "line 1: sha256 is missing"),
        ('[[token]]\nname = "a b"\nsha256 = "' + "0" * 64 + '"\n', "line 2: name must be"),
        ('[[token]]\nname = ["a"]\nsha256 = "' + "0" * 64 + '"\n', "line 2: name must be"),
        ("token = " + "[" * 5_000 + "]" * 5_000, "nested too deeply"),
        ("token = " + "9" * 5_000, "not valid TOML"),
        ('[[token]]\nname = "a"\nsha256 = "9f86d0..."\n', "line 3: sha256 must be 64 hexadecimal digits"),
        ("[[token]\n", "line 1, column "),
        ("a = 1\n", "a: only [[token]] tables belong here"),
        ("token = 1\n", "token: write each as a [[token]] table"),
        ("token = [1]\n", "token: write each as a [[token]] table"),
        ('token = [{name = "a"}]\n', "token 1: sha256 is missing"),
        ("", "it is empty"),
        (" \n", "it is empty"),
    ],
)
def test_a_broken_file_is_refused_with_the_place_of_the_fault(text: str, fault: str) -> None:
    assert fault in fault_of(text)


@pytest.mark.parametrize(
    "word", ["listings.find", "knowledge.index", "spatial", "spatial.find", "ask.run_sql", "metrics"]
)
def test_a_right_of_a_family_that_is_not_served_here_is_no_fault(word: str) -> None:
    assert read(entry("a", "t", f'tools = ["{word}"]'))["a"].rights == {word}


def test_a_broken_file_carries_its_faults_one_by_one() -> None:
    with pytest.raises(BrokenTokens) as caught:
        read(entry("a", "t", "contacts = 1") + entry("b", "u", "towns = 3"))
    assert [(fault.place, fault.field) for fault in caught.value.faults] == [
        ("line 4", "contacts"),
        ("line 8", "towns"),
    ]


def test_a_file_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(SettingsError, match="not UTF-8"):
        read_tokens(b"\xff\xfe", "tokens.toml", WORDS)


def test_all_faults_of_all_entries_are_named_at_once() -> None:
    fault = fault_of(entry("a", "t", "contacts = 1", "rate_per_minute = 0") + entry("b", "u", "towns = 3"))
    assert ["line 4: contacts" in fault, "line 5: rate_per_minute" in fault, "line 9: towns" in fault] == [
        True
    ] * 3


def test_a_name_and_a_hash_stand_for_one_token_only() -> None:
    assert 'line 5: name "a" is taken' in fault_of(entry("a", "t") + entry("a", "u"))
    assert "line 6: sha256 is that of an entry above" in fault_of(entry("a", "t") + entry("b", "t"))


def test_a_fault_never_shows_a_value_that_may_be_the_token_itself() -> None:
    assert "hunter2" not in fault_of('[[token]]\nname = "a"\nsha256 = "hunter2"\n')
