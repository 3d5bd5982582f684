"""What a server started here leaves for `vmk-mcp call`: a token for this machine, and its address."""

import contextlib
from collections.abc import Sequence
from pathlib import Path

from vmk_mcp.errors import NotFound
from vmk_mcp.private_files import write_private
from vmk_mcp.web.token_edits import (
    Grant,
    add_token,
    has_entry,
    list_tokens,
    make_token,
    revoke_token,
    told_of,
)


class AccessFolder:
    """Files of `DATA_DIR`: `tokens.toml` (hashes), `token` (the local one), `address` (of the last server).

    Attributes:
        tokens_file: the tokens file in force where the operator names none.
    """

    def __init__(self, folder: Path) -> None:
        self.tokens_file = folder / "tokens.toml"
        self._token_file = folder / "token"
        self._address_file = folder / "address"

    def ensure_token(self, grant: Grant) -> str:
        """Give the local token; it is made with these rights unless it is there and still in force.

        Raises:
            SettingsError: a file cannot be read or written.
        """
        token = self.read_token()
        if token is not None and has_entry(self.tokens_file, grant.name, token):
            return token
        with contextlib.suppress(NotFound):
            revoke_token(self.tokens_file, grant.name)
        token = make_token()
        add_token(self.tokens_file, grant, token)
        _write_line(self._token_file, token)
        return token

    def find_lacking(self, grant: Grant) -> Sequence[str]:
        """Name what `grant` gives and the entry of its name does not: words for tools, `towns`, `contacts`.

        An entry that an older version made stays as it is, for it may as well be one that a person narrowed.

        Raises:
            SettingsError: the tokens file cannot be read.
        """
        return [
            lacking
            for caller in list_tokens(self.tokens_file)
            if caller.name == grant.name
            for lacking in (
                *(word for word in grant.tools if word not in caller.rights),
                *(("towns",) if grant.towns and not caller.towns else ()),
                *(("contacts",) if grant.contacts and not caller.contacts else ()),
            )
        ]

    def read_token(self) -> str | None:
        """Give the local token, or None where no server has made one or it is another account's."""
        return _read_line(self._token_file)

    def note_address(self, url: str) -> None:
        """Note where the server is that was started last; raises `SettingsError` if it cannot be written."""
        if self.read_address() != url:
            _write_line(self._address_file, url)

    def forget_address(self, url: str, before: str | None) -> None:
        """Put the address `before` back, unless another server has noted its own since.

        Raises:
            SettingsError: the file cannot be written.
        """
        if self.read_address() != url:
            return
        if before is not None and before != url:
            _write_line(self._address_file, before)
        else:
            with told_of(self._address_file):
                self._address_file.unlink(missing_ok=True)

    def find_addresses(self, host: str, port: int) -> list[str]:
        """Give where a server of ours may be: as noted, then where the settings have it listen."""
        noted, usual = self.read_address(), endpoint_url(host, port)
        return [usual] if noted is None or noted == usual else [noted, usual]

    def read_address(self) -> str | None:
        """Give the address of the server that was started last, or None."""
        return _read_line(self._address_file)


def endpoint_url(host: str, port: int) -> str:
    """Give the address at which this machine reaches an endpoint that listens on `host`, be it on all."""
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 (nothing is bound here)
    return f"http://{f'[{reached}]' if ':' in reached else reached}:{port}/mcp"


def _write_line(path: Path, line: str) -> None:
    with told_of(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_private(path, f"{line}\n".encode())


def _read_line(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii").strip() or None
    except (OSError, UnicodeDecodeError):
        return None
