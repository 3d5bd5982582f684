"""The command as a whole: help everywhere, tokens from the shell."""

import importlib
import json
import signal
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner, Result

from tests.fakes import RecordingObserver
from vmk_mcp.bootstrap.door import every_offer, vocabulary
from vmk_mcp.bootstrap.families import ROOMS
from vmk_mcp.cli.app import main
from vmk_mcp.configuration.serving import BUILT_FAMILIES
from vmk_mcp.web.token_edits import list_tokens
from vmk_mcp.web.tokens import TokenFile


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def walk(command: click.Command, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Command]]:
    """Give every command with its words."""
    found = [(path, command)]
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None, name
            found += walk(inner, (*path, name))
    return found


COMMANDS = walk(main)


@pytest.fixture
def tokens_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MCP_TOKENS_FILE", str(tmp_path / "tokens.toml"))
    return tmp_path / "tokens.toml"


@pytest.mark.parametrize("words", [words for words, _ in COMMANDS], ids=" ".join)
def test_every_command_has_help_with_an_example(words: tuple[str, ...]) -> None:
    result = run(*words, "--help")
    assert result.exit_code == 0
    example = result.stdout.partition("\nExample:\n")[2]
    assert "vmk-mcp " + " ".join(words[:1]) in example


@pytest.mark.parametrize(
    "words", [words for words, command in COMMANDS if not isinstance(command, click.Group)]
)
def test_every_option_says_what_it_does(words: tuple[str, ...]) -> None:
    command = dict(COMMANDS)[words]
    options = [one for one in command.params if isinstance(one, click.Option)]
    assert [option.name for option in options if not option.help] == []


def test_the_help_lists_every_command_in_a_line() -> None:
    listed = run("--help").stdout
    top = [words[0] for words, _ in COMMANDS if len(words) == 1]
    assert [word for word in top if f"\n  {word} " not in listed] == []


def test_an_unknown_command_is_a_misuse() -> None:
    result = run("srve")
    assert result.exit_code == 2
    assert "srve" in result.stderr


def test_a_new_token_is_printed_once_and_only_its_hash_is_kept(tokens_file: Path) -> None:
    result = run(
        "token",
        "new",
        "bob",
        "--tools",
        "diagnostics,listings.get_listing_by_id",
        "--towns",
        "all",
        "--rate",
        "60",
    )
    assert result.exit_code == 0
    token = result.stdout.strip()
    assert token.startswith("vmk_")
    assert token not in tokens_file.read_text(encoding="utf-8")
    (caller,) = list_tokens(tokens_file)
    assert (caller.name, caller.towns, caller.rate_per_minute) == ("bob", "all", 60)
    assert caller.rights == {"diagnostics", "listings.get_listing_by_id"}


def test_tokens_are_listed_without_hashes(tokens_file: Path) -> None:
    run("token", "new", "bob", "--tools", "listings", "--user-ids", "3,1", "--contacts")
    rows = json.loads(run("token", "list", "--json").stdout)
    assert rows == [
        {
            "name": "bob",
            "profile": "fixed",
            "tools": ["listings"],
            "towns": [],
            "contacts": True,
            "rate_per_minute": None,
            "user_ids": [1, 3],
        }
    ]
    table = run("token", "list").stdout
    assert "bob" in table
    assert "listings" in table


def test_a_revoked_token_is_gone(tokens_file: Path) -> None:
    run("token", "new", "bob")
    assert run("token", "revoke", "bob").exit_code == 0
    assert list_tokens(tokens_file) == []


def test_revoking_an_unknown_token_fails(tokens_file: Path) -> None:
    result = run("token", "revoke", "bob")
    assert result.exit_code == 1
    assert "no token named bob" in result.stderr


@pytest.mark.parametrize(
    "options",
    [
        ("--tools", "lstings"),
        ("--tools", "listings.serch_by_metadata"),
        ("--tools", "diagnostics.ech"),
        ("--user-ids", "x"),
        ("--rate", "0"),
        ("--profile", "loose"),
    ],
    ids=" ".join,
)
def test_an_impossible_right_is_a_misuse_and_makes_no_token(
    tokens_file: Path, options: tuple[str, str]
) -> None:
    result = run("token", "new", "bob", *options)
    assert result.exit_code == 2
    assert options[0] in result.stderr
    assert not tokens_file.exists()


def test_a_misspelt_tool_is_answered_with_the_one_that_was_meant(tokens_file: Path) -> None:
    result = run("token", "new", "bob", "--tools", "listings.serch_by_metadata")
    assert "did you mean listings.search_by_metadata?" in result.stderr


def test_a_right_that_opens_nothing_yet_is_kept_and_told_of(
    tokens_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vmk_mcp.bootstrap.door.ROOMS", {"listings": ROOMS["listings"]})
    result = run("token", "new", "bob", "--tools", "listings,ask.run_sql")
    assert result.exit_code == 0
    assert "ask.run_sql opens nothing in this version" in result.stderr
    (caller,) = list_tokens(tokens_file)
    assert caller.rights == {"listings", "ask.run_sql"}


def example_tokens() -> list[list[str]]:
    """Give the words of each line of help that makes a token."""
    helps = [run(*words, "--help").stdout for words, _ in COMMANDS if words[:1] == ("token",)]
    lines = [line.split() for text in helps for line in text.splitlines()]
    return [words[1:] for words in lines if words[:3] == ["vmk-mcp", "token", "new"]]


def test_each_token_that_the_help_makes_is_let_in_by_a_server(tokens_file: Path) -> None:
    examples = example_tokens()
    assert len(examples) > 1
    for words in examples:
        tokens_file.unlink(missing_ok=True)
        token = run(*words).stdout.strip()
        tokens = TokenFile(tokens_file, vocabulary(every_offer()), RecordingObserver())
        assert tokens.find(token.encode()) is not None


@pytest.mark.parametrize("served", [(), ("listings",), ("diagnostics",)])
def test_a_sound_token_is_let_in_whatever_is_served(tokens_file: Path, served: tuple[str, ...]) -> None:
    made = run("token", "new", "bob", "--tools", "diagnostics.echo,listings.describe_schema,metrics")
    offers = [offer for offer in every_offer() if offer.family in served]
    tokens = TokenFile(tokens_file, vocabulary(offers), RecordingObserver())
    assert tokens.find(made.stdout.strip().encode()) is not None


def test_every_family_that_can_be_served_has_words_that_a_token_may_use() -> None:
    assert [offer.family for offer in every_offer()] == list(BUILT_FAMILIES)


def test_the_roles_script_is_printed_as_it_is() -> None:
    for database in ("listings", "state"):
        assert "vmk_" in run("roles", "--database", database).stdout


def test_a_watcher_that_is_asked_for_a_look_while_it_starts_is_not_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[object] = []

    def load(name: str) -> SimpleNamespace:
        found.append(signal.getsignal(signal.SIGUSR1))
        return SimpleNamespace(watch=click.Command(name))

    before = signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    monkeypatch.setattr(importlib, "import_module", load)
    assert isinstance(main, click.Group)
    main.get_command(click.Context(main), "watch")
    signal.signal(signal.SIGUSR1, before)
    assert found == [signal.SIG_IGN]
