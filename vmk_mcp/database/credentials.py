"""The embedded server's roles and their random passwords, kept beside the cluster."""

import secrets
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from vmk_mcp.private_files import write_private


class Role(StrEnum):
    """A login of the embedded server."""

    SUPERUSER = "postgres"
    OWNER = "vmk_owner"
    READER = "vmk_reader"
    ASK = "vmk_ask"
    WRITER = "vmk_writer"


Passwords = dict[Role, str]

LOGIN_FILE: Final = "logins.json"
"""The file's name in the home of a cluster; only the one who made the cluster may read it."""


def has_passwords(home: Path) -> bool:
    """Say whether passwords were written down for the cluster in `home`."""
    return (home / LOGIN_FILE).exists()


def read_passwords(home: Path) -> Passwords:
    """Read the passwords of the cluster in `home`; raises `OSError` where they cannot be read."""
    return msgspec.json.decode((home / LOGIN_FILE).read_bytes(), type=Passwords)


def make_passwords(home: Path) -> Passwords:
    """Give the passwords of the cluster in `home`, made up and written down before they are first used."""
    path = home / LOGIN_FILE
    known = read_passwords(home) if has_passwords(home) else {}
    passwords = {role: known.get(role) or secrets.token_urlsafe(24) for role in Role}
    if passwords != known:
        write_private(path, msgspec.json.encode(passwords))
    return passwords
