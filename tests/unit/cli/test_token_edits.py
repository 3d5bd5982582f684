"""Tokens files as people wrote them, changed by the command line."""

import hashlib
import stat
from pathlib import Path
from typing import Final

import pytest

from vmk_mcp.errors import InvalidArguments, NotFound, SettingsError
from vmk_mcp.private_files import FileLock
from vmk_mcp.tool import Caller
from vmk_mcp.web.local_access import AccessFolder
from vmk_mcp.web.token_edits import Grant, add_token, list_tokens, make_token, revoke_token
from vmk_mcp.web.token_entries import read_tokens

HASHES: Final = [hashlib.sha256(name.encode()).hexdigest() for name in ("a", "b", "c")]
WRITTEN: Final = f"""\
# Whom we let in.

# the agent of sales
[[token]]
name = "a"
sha256 = "{HASHES[0]}"   # since January
tools = ["listings"]

# the agent of the fire brigade
# (ask Olena)
[[token]]
name = "b"
sha256 = "{HASHES[1]}"
towns = ["榜头镇"]
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "tokens.toml"
    file.write_text(WRITTEN, encoding="utf-8")
    return file


def names_of(path: Path) -> list[str]:
    return [caller.name for caller in list_tokens(path)]


def test_a_new_token_is_appended_and_everything_before_it_stays_word_for_word(path: Path) -> None:
    add_token(path, Grant(name="new"), "secret")
    text = path.read_text(encoding="utf-8")
    assert text.startswith(WRITTEN)
    assert "secret" not in text
    assert names_of(path) == ["a", "b", "new"]


def test_a_new_token_lets_in_with_exactly_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "tokens.toml"
    grant = Grant(
        name="x",
        tools=("listings",),
        towns=("Київ", 'a"b\\'),
        contacts=True,
        rate_per_minute=6,
        user_ids=(7,),
    )
    add_token(path, grant, "secret")
    callers = read_tokens(path.read_bytes(), path.name)
    assert callers[hashlib.sha256(b"secret").digest()] == Caller(
        name="x",
        profile="fixed",
        rights=frozenset({"listings"}),
        towns=frozenset({"Київ", 'a"b\\'}),
        contacts=True,
        user_ids=frozenset({7}),
        rate_per_minute=6,
    )


def test_all_is_written_out(path: Path) -> None:
    add_token(path, Grant(name="x", towns="all", user_ids="all"), "secret")
    caller = list_tokens(path)[-1]
    assert (caller.towns, caller.user_ids) == ("all", "all")


def test_what_is_not_granted_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "tokens.toml"
    add_token(path, Grant(name="x"), "secret")
    fields = [line.partition(" = ")[0] for line in path.read_text(encoding="utf-8").splitlines()]
    assert fields == ["[[token]]", "name", "sha256", "profile", "contacts"]


def test_a_token_file_is_for_its_owner_only(path: Path) -> None:
    path.chmod(0o644)
    add_token(path, Grant(name="x"), "secret")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["tokens.toml"]


def test_a_taken_name_is_refused_and_the_file_stays(path: Path) -> None:
    with pytest.raises(InvalidArguments, match="named a already"):
        add_token(path, Grant(name="a"), "secret")
    assert path.read_text(encoding="utf-8") == WRITTEN


@pytest.mark.parametrize("name", ["", "two words", "імʼя", "x" * 65, 'a"\n[[token]]'])
def test_an_impossible_name_is_refused_and_the_file_stays(path: Path, name: str) -> None:
    with pytest.raises(InvalidArguments, match=r"^name must be"):
        add_token(path, Grant(name=name), "secret")
    assert path.read_text(encoding="utf-8") == WRITTEN


def test_a_folder_that_cannot_be_made_is_told_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "tokens.toml", tmp_path / "file" / "deep" / "tokens.toml"):
        with pytest.raises(SettingsError, match="cannot be written"):
            add_token(path, Grant(name="x"), "secret")
        with pytest.raises(SettingsError, match="cannot be"):
            AccessFolder(path.parent).ensure_token(Grant(name="x"))
        with pytest.raises(SettingsError, match="cannot be written"):
            AccessFolder(path.parent).note_address("http://127.0.0.1:8080/mcp")


def test_a_folder_that_another_process_holds_is_told_in_words(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vmk_mcp.web.token_edits._TURN_LIMIT_S", 0.0)
    monkeypatch.setattr("vmk_mcp.private_files._POLL_S", 0.0)
    other = FileLock(path.parent)
    assert other.try_exclusive()
    with pytest.raises(SettingsError, match="another process"):
        add_token(path, Grant(name="x"), "secret")
    other.release()
    add_token(path, Grant(name="x"), "secret")
    assert names_of(path) == ["a", "b", "x"]


def test_a_broken_file_is_not_touched(path: Path) -> None:
    path.write_text("[[token]\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="line 1"):
        add_token(path, Grant(name="x"), "secret")
    with pytest.raises(SettingsError, match="line 1"):
        revoke_token(path, "a")
    assert path.read_text(encoding="utf-8") == "[[token]\n"


@pytest.mark.parametrize("text", ["token = " + "[" * 5_000, "token = " + "9" * 5_000])
def test_a_file_that_no_reader_gets_through_is_broken(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match="cannot be used"):
        add_token(path, Grant(name="x"), "secret")
    with pytest.raises(SettingsError, match="cannot be used"):
        list_tokens(path)


def test_a_revoked_token_goes_with_its_own_comment_and_no_other(path: Path) -> None:
    revoke_token(path, "a")
    text = path.read_text(encoding="utf-8")
    assert (
        text
        == WRITTEN[: WRITTEN.index("# the agent of sales")]
        + WRITTEN[WRITTEN.index("# the agent of the fire") :]
    )
    assert names_of(path) == ["b"]


def test_after_the_last_token_nobody_is_let_in_and_one_can_be_added_again(path: Path) -> None:
    revoke_token(path, "b")
    revoke_token(path, "a")
    assert names_of(path) == []
    assert path.read_text(encoding="utf-8") == "# Whom we let in.\n\ntoken = []\n"
    add_token(path, Grant(name="x"), "secret")
    assert names_of(path) == ["x"]


def test_an_unknown_name_cannot_be_revoked(path: Path) -> None:
    with pytest.raises(NotFound, match="no token named z"):
        revoke_token(path, "z")


def test_an_entry_written_inline_is_left_to_people(path: Path) -> None:
    path.write_text(f'token = [{{name = "a", sha256 = "{HASHES[0]}"}}]\n', encoding="utf-8")
    with pytest.raises(SettingsError, match="not written as"):
        revoke_token(path, "a")


def test_a_header_inside_a_text_misleads_nobody(path: Path) -> None:
    odd = f'[[token]]\nname = "a"\nsha256 = "{HASHES[0]}"\ntowns = ["""\n[[token]]\n"""]\n'
    path.write_text(odd + f'[[token]]\nname = "b"\nsha256 = "{HASHES[1]}"\n', encoding="utf-8")
    with pytest.raises(SettingsError, match="not written as"):
        revoke_token(path, "b")
    assert names_of(path) == ["a", "b"]


def test_tokens_are_long_and_never_alike() -> None:
    tokens = {make_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(token) > 40 and token.startswith("vmk_") for token in tokens)


def test_the_local_token_is_made_once(tmp_path: Path) -> None:
    access = AccessFolder(tmp_path)
    assert access.read_token() is None
    token = access.ensure_token(Grant(name="local", tools=("listings",)))
    assert AccessFolder(tmp_path).ensure_token(Grant(name="local")) == token
    assert access.read_token() == token
    assert names_of(access.tokens_file) == ["local"]
    assert {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()} == {0o600}


def test_rights_that_the_local_token_of_an_older_version_lacks_are_named(tmp_path: Path) -> None:
    access = AccessFolder(tmp_path)
    access.ensure_token(Grant(name="local", tools=("listings",)))
    now = Grant(name="local", tools=("listings", "ask"), towns=("A",), contacts=True)
    access.ensure_token(now)
    assert access.find_lacking(now) == ["ask", "towns", "contacts"]
    revoke_token(access.tokens_file, "local")
    access.ensure_token(now)
    assert access.find_lacking(now) == []


def test_a_lost_or_revoked_local_token_is_made_anew_beside_the_others(tmp_path: Path) -> None:
    access = AccessFolder(tmp_path)
    first = access.ensure_token(Grant(name="local"))
    add_token(access.tokens_file, Grant(name="other"), "secret")
    (tmp_path / "token").unlink()
    second = access.ensure_token(Grant(name="local"))
    revoke_token(access.tokens_file, "local")
    third = access.ensure_token(Grant(name="local"))
    assert len({first, second, third}) == 3
    assert names_of(access.tokens_file) == ["local", "other"]


def test_the_address_of_the_last_server_is_remembered(tmp_path: Path) -> None:
    access = AccessFolder(tmp_path)
    assert access.read_address() is None
    access.note_address("http://127.0.0.1:8080/mcp")
    access.note_address("http://127.0.0.1:8081/mcp")
    assert AccessFolder(tmp_path).read_address() == "http://127.0.0.1:8081/mcp"
