"""What a server started here leaves for `vmk-mcp call`: a token for this machine, and its address."""

import contextlib
from pathlib import Path

from vmk_mcp.errors import NotFound
from vmk_mcp.private_files import write_private
from vmk_mcp.web.token_edits import Grant, add_token, has_entry, make_token, revoke_token, told_of


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

    def read_token(self) -> str | None:
        """Give the local token, or None where no server has made one or it is another account's."""
        return _read_line(self._token_file)

    def note_address(self, url: str) -> None:
        """Note where the server is that was started last; raises `SettingsError` if it cannot be written."""
        if self.read_address() != url:
            _write_line(self._address_file, url)

    def read_address(self) -> str | None:
        """Give the address of the server that was started last, or None."""
        return _read_line(self._address_file)


def _write_line(path: Path, line: str) -> None:
    with told_of(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_private(path, f"{line}\n".encode())


def _read_line(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii").strip() or None
    except (OSError, UnicodeDecodeError):
        return None
