"""The tokens file: whose each bearer token is, kept up to date while the service runs."""

import asyncio
import contextlib
import hashlib
import hmac
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from vmk_mcp.errors import SettingsError
from vmk_mcp.observe import Observer, Warned
from vmk_mcp.tool import Caller
from vmk_mcp.web.token_entries import Vocabulary, read_tokens

_LOOK_EVERY_S: Final = 1.0


class TokenFile:
    """The callers that a TOML file of token hashes names.

    A file that breaks while the service runs changes nothing but for a warning: the last good one stays in
    force, so that a slip of the editor locks nobody out.
    """

    def __init__(self, path: Path, vocabulary: Vocabulary, observer: Observer) -> None:
        """Read the file.

        Raises:
            SettingsError: it is missing or broken; the message names every fault with its line and field.
        """
        self._path = path
        self._vocabulary = vocabulary
        self._observer = observer
        self._stamp = _stamp_of(path)
        self._callers = self._read()

    def find(self, token: bytes) -> Caller | None:
        """Give the caller that `token` stands for, or None for an unknown token."""
        digest = hashlib.sha256(token).digest()
        found = self._callers.get(digest)
        # The lookup is of a hash, which tells nothing of the token by its timing; the comparison that decides
        # takes the same time for any two digests.
        if found is None or not hmac.compare_digest(found[0], digest):
            return None
        return found[1]

    def refresh(self) -> None:
        """Read the file again if it was changed or replaced since it was last read."""
        if _stamp_of(self._path) != self._stamp:
            self.reload()

    def reload(self) -> None:
        """Read the file again; a broken one leaves the tokens as they are and is warned of."""
        # Stamped before it is read: what is written meanwhile shows as a change at the next look.
        self._stamp = _stamp_of(self._path)
        try:
            self._callers = self._read()
        except SettingsError as fault:
            message = f"{fault.message} The tokens read before stay in force."
            self._observer.observe(Warned(subject="tokens", message=message))

    def _read(self) -> dict[bytes, tuple[bytes, Caller]]:
        try:
            content = self._path.read_bytes()
        except OSError as fault:
            raise SettingsError(
                f"MCP_TOKENS_FILE: cannot read {self._path} ({fault.strerror}).",
                hint="Name a file that the service may read; `vmk-mcp token new NAME` makes one.",
                field="MCP_TOKENS_FILE",
            ) from None
        callers = read_tokens(content, self._path.name, self._vocabulary)
        return {digest: (digest, caller) for digest, caller in callers.items()}


@contextlib.asynccontextmanager
async def watch_tokens(tokens: TokenFile) -> AsyncIterator[None]:
    """Keep `tokens` up to date: at once on SIGHUP, within a second of a change of the file."""
    loop = asyncio.get_running_loop()
    # Only the main thread of a POSIX process can take signals; elsewhere looking at the file is enough.
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError, AttributeError):
        loop.add_signal_handler(signal.SIGHUP, tokens.reload)
    looking = asyncio.create_task(_look_again(tokens))
    try:
        yield
    finally:
        looking.cancel()
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError, AttributeError):
            loop.remove_signal_handler(signal.SIGHUP)


async def _look_again(tokens: TokenFile) -> None:
    while True:
        await asyncio.sleep(_LOOK_EVERY_S)
        tokens.refresh()


def _stamp_of(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_size
