"""Changes to a tokens file, as changes of its text, so that comments and order stay as people wrote them."""

import hashlib
import re
import secrets
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from vmk_mcp.errors import InvalidArguments, NotFound, SettingsError
from vmk_mcp.private_files import FileLock, write_private
from vmk_mcp.tool import Caller
from vmk_mcp.web.token_entries import BrokenTokens, read_tokens

_HEADER: Final = re.compile(r"\s*\[\[\s*token\s*\]\]")
_NOBODY: Final = re.compile(r"^\s*token\s*=\s*\[\s*\]\s*(#.*)?$\n?", re.MULTILINE)
_NOBODY_TEXT: Final = "token = []\n"
_TURN_LIMIT_S: Final = 10.0


class Grant(Struct, frozen=True, kw_only=True):
    """A token to be made; what is not named is not given. `all` stands for every town or user."""

    name: str
    profile: str = "fixed"
    tools: tuple[str, ...] = ()
    towns: tuple[str, ...] | str = ()
    contacts: bool = False
    rate_per_minute: int | None = None
    user_ids: tuple[int, ...] | str = ()


def make_token() -> str:
    """Make up a token of 256 random bits."""
    return f"vmk_{secrets.token_urlsafe(32)}"


def add_token(path: Path, grant: Grant, token: str) -> None:
    """Append an entry with the hash of `token`; the file is made where there is none.

    Raises:
        InvalidArguments: the name is taken, or a field of the grant cannot be.
        SettingsError: the file as it is cannot be read or written.
    """

    def edit(text: str) -> str:
        if grant.name in {entry.get("name") for entry in _entries(text)}:
            raise InvalidArguments(
                f"{path} has a token named {grant.name} already.",
                hint=f"Take another name, or `vmk-mcp token revoke {grant.name}` first.",
            )
        kept = _NOBODY.sub("", text)
        gap = "\n" if kept and not kept.endswith("\n\n") else ""
        return kept + ("\n" if kept and not kept.endswith("\n") else "") + gap + _write_entry(grant, token)

    _change(path, edit)


def revoke_token(path: Path, name: str) -> None:
    """Take the entry of that name out; nobody is let in by its token from the next look at the file.

    Raises:
        NotFound: no entry has that name.
        SettingsError: the file cannot be read or written, or is written in a way that only people can edit.
    """

    def edit(text: str) -> str:
        entries = _entries(text)
        places = [number for number, entry in enumerate(entries) if entry.get("name") == name]
        if not places:
            raise NotFound(f"{path} has no token named {name}.", hint="`vmk-mcp token list` shows the names.")
        shorter = _cut(text, places[0])
        if _entries(shorter) != entries[: places[0]] + entries[places[0] + 1 :]:
            raise SettingsError(
                f"{path} is not written as [[token]] tables.", hint="Take the entry out by hand."
            )
        return shorter if len(entries) > 1 else shorter + _NOBODY_TEXT

    _change(path, edit)


def list_tokens(path: Path) -> list[Caller]:
    """Give whom the file lets in, by name; a missing file lets nobody in.

    Raises:
        SettingsError: the file cannot be read.
    """
    text = _read(path)
    return sorted(_check(path, text), key=lambda caller: caller.name) if text else []


def has_entry(path: Path, name: str, token: str) -> bool:
    """Say whether the file lets in `token` under that name; raises `SettingsError` if it is unreadable."""
    text = _read(path)
    if text:
        _check(path, text)
    digest = hashlib.sha256(token.encode()).hexdigest()
    return any((entry["name"], entry["sha256"].lower()) == (name, digest) for entry in _entries(text))


def _write_entry(grant: Grant, token: str) -> str:
    fields: dict[str, object] = {
        "name": grant.name,
        "sha256": hashlib.sha256(token.encode()).hexdigest(),
        "profile": grant.profile,
        "tools": grant.tools,
        "towns": grant.towns,
        "contacts": grant.contacts,
        "rate_per_minute": grant.rate_per_minute,
        "user_ids": grant.user_ids,
    }
    written = {name: value for name, value in fields.items() if value not in (None, ())}
    # JSON's strings, lists, numbers and booleans are TOML's too.
    return "[[token]]\n" + "".join(
        f"{name} = {msgspec.json.encode(value).decode()}\n" for name, value in written.items()
    )


def _cut(text: str, number: int) -> str:
    """Take out the table of that number with the comment right above it; other comments stay."""
    lines = text.splitlines(keepends=True)
    starts = [_with_comment(lines, at) for at, line in enumerate(lines) if _HEADER.match(line)]
    if number >= len(starts):
        return text
    end = starts[number + 1] if number + 1 < len(starts) else len(lines)
    return "".join(lines[: starts[number]] + lines[end:])


def _with_comment(lines: Sequence[str], at: int) -> int:
    while at > 0 and lines[at - 1].lstrip().startswith("#"):
        at -= 1
    return at


def _entries(text: str) -> list[Mapping[str, Any]]:
    """Give the tables as they stand; of a text that is no tokens file, nothing."""
    try:
        entries = tomllib.loads(text).get("token", [])
    except (ValueError, RecursionError):
        return []
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _check(path: Path, text: str) -> list[Caller]:
    """Hold the text against all that the server asks, save the words, which only a server knows."""
    return list(read_tokens(text.encode(), path.name).values())


def _change(path: Path, edit: Callable[[str], str]) -> None:
    with told_of(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _turn(path.parent):
            before = _read(path)
            if before:
                _check(path, before)
            after = edit(before)
            try:
                _check(path, after)
            except BrokenTokens as broken:
                raise InvalidArguments("; ".join(fault.claim for fault in broken.faults)) from None
            write_private(path, after.encode())


@contextmanager
def _turn(folder: Path) -> Iterator[None]:
    """Let one process at a time change files of `folder`."""
    lock = FileLock(folder)
    try:
        lock.take_exclusive(_TURN_LIMIT_S)
        yield
    finally:
        lock.release()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError):
        raise SettingsError(
            f"{path} cannot be read as UTF-8 text.", hint="Check its rights and content."
        ) from None


@contextmanager
def told_of(path: Path) -> Iterator[None]:
    """Say in words why `path` could not be written: the body's `OSError` becomes a `SettingsError`."""
    try:
        yield
    except TimeoutError:
        raise SettingsError(
            f"{path} cannot be written: another process has been at it for {_TURN_LIMIT_S:.0f} s.",
            hint="Look whether a vmk-mcp hangs there.",
        ) from None
    except OSError as fault:
        raise SettingsError(
            f"{path} cannot be written ({fault.strerror}).",
            hint="Check the rights of its folder and the room on its disk.",
        ) from None
