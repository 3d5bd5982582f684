"""The embedded server's roles and their random passwords, kept beside the cluster."""

import os
import secrets
from enum import StrEnum
from pathlib import Path

import msgspec


class Role(StrEnum):
    """A login of the embedded server."""

    SUPERUSER = "postgres"
    OWNER = "vmk_owner"
    READER = "vmk_reader"
    ASK = "vmk_ask"
    WRITER = "vmk_writer"


Passwords = dict[Role, str]


def read_passwords(home: Path) -> Passwords:
    """Read the passwords of the cluster in `home`; raises `OSError` where they cannot be read."""
    return msgspec.json.decode(_file(home).read_bytes(), type=Passwords)


def make_passwords(home: Path) -> Passwords:
    """Give the passwords of the cluster in `home`, made up and written down before they are first used."""
    path = _file(home)
    known = read_passwords(home) if path.exists() else {}
    passwords = {role: known.get(role) or secrets.token_urlsafe(24) for role in Role}
    if passwords != known:
        write_private(path, msgspec.json.encode(passwords))
    return passwords


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all."""
    partial = path.with_name(f"{path.name}.partial")
    partial.unlink(missing_ok=True)
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    partial.replace(path)


def _file(home: Path) -> Path:
    return home / "passwords.json"
