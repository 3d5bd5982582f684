import hashlib
import os
import signal
from pathlib import Path

import pytest

from tests.fakes import RecordingObserver
from tests.unit.web.door import settle
from vmk_mcp.errors import SettingsError
from vmk_mcp.observe import Warned
from vmk_mcp.tool import ALL, Caller
from vmk_mcp.web import tokens as tokens_module
from vmk_mcp.web.token_entries import Vocabulary, read_tokens
from vmk_mcp.web.tokens import TokenFile, watch_tokens

WORDS = Vocabulary(
    rights={"listings", "spatial", "ask.list_schema", "knowledge.index", "metrics"},
    profiles={"fixed", "standard"},
)


def hash_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def entry(name: str, token: str, *lines: str) -> str:
    return "\n".join(["[[token]]", f'name = "{name}"', f'sha256 = "{hash_of(token)}"', *lines, ""])


def read(text: str) -> dict[str, Caller]:
    return {caller.name: caller for caller in read_tokens(text.encode(), "tokens.toml", WORDS).values()}


def fault_of(text: str) -> str:
    with pytest.raises(SettingsError) as caught:
        read(text)
    assert caught.value.field == "MCP_TOKENS_FILE"
    return caught.value.message


@pytest.fixture
def observer() -> RecordingObserver:
    return RecordingObserver()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "tokens.toml"
    file.write_text(entry("one", "t1"), encoding="utf-8")
    return file


def replace(path: Path, text: str) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


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
        ('tools = ["listing"]', 'line 4: tools names "listing"'),
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


def test_a_known_token_is_found_and_no_other(path: Path, observer: RecordingObserver) -> None:
    tokens = TokenFile(path, WORDS, observer)
    assert tokens.find(b"t1") == Caller(name="one")
    assert tokens.find(b"t2") is None
    assert tokens.find(hash_of("t1").encode()) is None


def test_a_missing_file_is_a_fault_at_start(tmp_path: Path, observer: RecordingObserver) -> None:
    with pytest.raises(SettingsError, match="cannot read"):
        TokenFile(tmp_path / "none.toml", WORDS, observer)


def test_a_changed_file_is_read_again(path: Path, observer: RecordingObserver) -> None:
    tokens = TokenFile(path, WORDS, observer)
    replace(path, entry("two", "t2"))
    tokens.refresh()
    assert (tokens.find(b"t1"), tokens.find(b"t2")) == (None, Caller(name="two"))
    assert observer.events == []


def test_a_file_replaced_by_one_of_the_same_size_and_time_is_read_again(
    path: Path, observer: RecordingObserver
) -> None:
    tokens = TokenFile(path, WORDS, observer)
    before = path.stat()
    replace(path, entry("two", "t2"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    tokens.refresh()
    assert tokens.find(b"t2") == Caller(name="two")


def test_an_unchanged_file_is_not_read_again(path: Path, observer: RecordingObserver) -> None:
    tokens = TokenFile(path, WORDS, observer)
    before = tokens.find(b"t1")
    tokens.refresh()
    assert tokens.find(b"t1") is before


@pytest.mark.parametrize("broken", ["[[token]\n", "", '[[token]]\nname = "a"\n'])
def test_a_file_that_breaks_while_running_changes_nothing_and_warns_once(
    path: Path, observer: RecordingObserver, broken: str
) -> None:
    tokens = TokenFile(path, WORDS, observer)
    replace(path, broken)
    tokens.refresh()
    tokens.refresh()
    assert tokens.find(b"t1") == Caller(name="one")
    (warned,) = observer.of(Warned)
    assert warned.subject == "tokens"
    assert warned.message.endswith("The tokens read before stay in force.")
    replace(path, entry("two", "t2"))
    tokens.refresh()
    assert tokens.find(b"t1") is None


def test_a_file_that_vanishes_keeps_its_tokens_until_it_is_back(
    path: Path, observer: RecordingObserver
) -> None:
    tokens = TokenFile(path, WORDS, observer)
    path.unlink()
    tokens.refresh()
    assert tokens.find(b"t1") == Caller(name="one")
    assert len(observer.of(Warned)) == 1
    path.write_text(entry("two", "t2"), encoding="utf-8")
    tokens.refresh()
    assert tokens.find(b"t2") == Caller(name="two")


async def test_the_file_is_looked_at_while_watched(
    path: Path, observer: RecordingObserver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens_module, "_LOOK_EVERY_S", 0.0)
    tokens = TokenFile(path, WORDS, observer)
    async with watch_tokens(tokens):
        replace(path, entry("two", "t2"))
        await settle()
        assert tokens.find(b"t2") == Caller(name="two")


async def test_sighup_has_the_file_read_at_once(path: Path, observer: RecordingObserver) -> None:
    tokens = TokenFile(path, WORDS, observer)
    async with watch_tokens(tokens):
        replace(path, entry("two", "t2"))
        signal.raise_signal(signal.SIGHUP)
        await settle()
        assert tokens.find(b"t2") == Caller(name="two")
