"""`vmk-mcp token new | list | revoke`."""

import json
from pathlib import Path

import click
import msgspec
from msgspec import Struct

from vmk_mcp.bootstrap.door import every_offer, vocabulary
from vmk_mcp.cli.speech import ExampleCommand, ExampleGroup, tell
from vmk_mcp.cli.tables import print_result
from vmk_mcp.settings import read_settings
from vmk_mcp.tool import ALL, Caller
from vmk_mcp.web.local_access import AccessFolder
from vmk_mcp.web.token_edits import Grant, add_token, list_tokens, make_token, revoke_token
from vmk_mcp.web.vocabulary import Vocabulary


class _NewOptions(Struct, kw_only=True):
    """Options of `token new`, as typed on the command line."""

    tools: str
    towns: str
    user_ids: str
    contacts: bool
    rate: int | None
    profile: str
    file: Path | None


_in_file = click.option(
    "--file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Tokens file.  [default: MCP_TOKENS_FILE, or the one that `make run` keeps]",
)


@click.group(
    cls=ExampleGroup,
    example="vmk-mcp token new superagent --tools listings.search_by_metadata,metrics --contacts",
)
def token() -> None:
    """Make, list and revoke tokens; a running server takes the change over by itself."""


@token.command(
    cls=ExampleCommand, example="vmk-mcp token new superagent --tools listings --contacts --rate 600"
)
@click.argument("name")
@click.option(
    "--tools",
    default="",
    help="Families or single tools, with commas: listings or listings.search_by_metadata.",
)
@click.option("--towns", default="", help="Towns in spatial scope, with commas, or all.")
@click.option("--user-ids", default="", help="Users whose documents may be searched, with commas, or all.")
@click.option("--contacts", is_flag=True, help="Show people's contacts in listings.")
@click.option("--rate", type=click.IntRange(min=1), help="Most calls a minute in one process.")
@click.option("--profile", default="fixed", show_default=True, help="Protocol profile.")
@_in_file
def new(name: str, **options: object) -> None:
    """Make a token named NAME, print it once and keep its hash; what is not named is not given."""
    chosen = msgspec.convert(options, _NewOptions)
    words = vocabulary(every_offer())
    if fault := words.fault_of_profile(chosen.profile):
        raise click.BadParameter(f"{chosen.profile} is none: {fault}", param_hint="--profile")
    grant = Grant(
        name=name,
        profile=chosen.profile,
        tools=_read_rights(chosen.tools, words),
        towns=ALL if chosen.towns == ALL else _split(chosen.towns),
        contacts=chosen.contacts,
        rate_per_minute=chosen.rate,
        user_ids=ALL if chosen.user_ids == ALL else _read_user_ids(chosen.user_ids),
    )
    path = chosen.file or _default_file()
    fresh = make_token()
    add_token(path, grant, fresh)
    click.echo(fresh)
    tell(f"{path} holds its hash; the token itself is shown only now.")
    if not grant.tools:
        tell("It opens no tool: name some with --tools.")
    for right in filter(words.opens_nothing, grant.tools):
        tell(f"{right} opens nothing in this version: it cannot serve that family.")


@token.command(name="list", cls=ExampleCommand, example="vmk-mcp token list --json")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@_in_file
def list_them(file: Path | None, *, as_json: bool) -> None:
    """List the tokens by name, with what each may do."""
    rows = [_describe(caller) for caller in list_tokens(file or _default_file())]
    if as_json:
        click.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    print_result({"tokens": rows} if rows else {"tokens": "none"})


@token.command(cls=ExampleCommand, example="vmk-mcp token revoke superagent")
@click.argument("name")
@_in_file
def revoke(name: str, file: Path | None) -> None:
    """Take the token named NAME out of the file; a running server stops serving it within a second."""
    path = file or _default_file()
    revoke_token(path, name)
    tell(f"{name} is out of {path}.")


def _default_file() -> Path:
    settings = read_settings()
    return settings.server.tokens_file or AccessFolder(settings.data_dir).tokens_file


def _read_rights(text: str, words: Vocabulary) -> tuple[str, ...]:
    rights = _split(text)
    for right in rights:
        if fault := words.fault_of_right(right):
            raise click.BadParameter(f"{right} {fault}", param_hint="--tools")
    return rights


def _read_user_ids(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(word) for word in _split(text))
    except ValueError:
        raise click.BadParameter(
            "must be whole numbers with commas, or all", param_hint="--user-ids"
        ) from None


def _split(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))


def _describe(caller: Caller) -> dict[str, object]:
    return {
        "name": caller.name,
        "profile": caller.profile,
        "tools": sorted(caller.rights),
        "towns": caller.towns if isinstance(caller.towns, str) else sorted(caller.towns),
        "contacts": caller.contacts,
        "rate_per_minute": caller.rate_per_minute,
        "user_ids": caller.user_ids if isinstance(caller.user_ids, str) else sorted(caller.user_ids),
    }
