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
from vmk_mcp.observe import Crashed, Observer, Warned
from vmk_mcp.tool import Caller
from vmk_mcp.web.token_entries import BrokenTokens, Fault, read_tokens
from vmk_mcp.web.vocabulary import Vocabulary

_LOOK_EVERY_S: Final = 1.0
# Some five thousand tokens; more is no tokens file, and parsing it would take the other calls' time.
_MOST_BYTES: Final = 1024 * 1024

_Callers = dict[bytes, tuple[bytes, Caller]]


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

    async def refresh(self, *, is_asked: bool = False) -> None:
        """Read the file again if it was changed or replaced since it was last read, or if `is_asked`.

        A broken one leaves the tokens as they are and is warned of. One refresh must end before the next.
        """
        try:
            callers = await asyncio.to_thread(self._read_again, is_asked=is_asked)
        except SettingsError as fault:
            message = f"{fault.message} The tokens read before stay in force."
            self._observer.observe(Warned(subject="tokens", message=message))
        else:
            self._callers = callers

    async def keep_fresh(self, asked: asyncio.Event) -> None:
        """Refresh once a second, and at once where `asked` is set, until cancelled; nothing else ends it."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_EVERY_S):
                    await asked.wait()
            is_asked = asked.is_set()
            asked.clear()
            try:
                await self.refresh(is_asked=is_asked)
            except Exception as bug:  # noqa: BLE001  (revoked tokens must go even after a bug: look on)
                self._observer.observe(Crashed("", bug))

    def _read_again(self, *, is_asked: bool) -> _Callers:
        # Stamped before it is read: what is written meanwhile shows as a change at the next look.
        before, self._stamp = self._stamp, _stamp_of(self._path)
        return self._read() if is_asked or self._stamp != before else self._callers

    def _read(self) -> _Callers:
        try:
            with self._path.open("rb") as file:
                content = file.read(_MOST_BYTES + 1)
        except OSError as fault:
            raise SettingsError(
                f"MCP_TOKENS_FILE: cannot read {self._path} ({fault.strerror}).",
                hint="Name a file that the service may read; `vmk-mcp token new NAME` makes one.",
                field="MCP_TOKENS_FILE",
            ) from None
        if len(content) > _MOST_BYTES:
            raise BrokenTokens(self._path.name, [Fault("it is larger than 1 MiB")])
        callers = read_tokens(content, self._path.name, self._vocabulary)
        return {digest: (digest, caller) for digest, caller in callers.items()}


@contextlib.asynccontextmanager
async def watch_tokens(tokens: TokenFile) -> AsyncIterator[None]:
    """Keep `tokens` up to date: at once on SIGHUP, within a second of a change of the file."""
    loop = asyncio.get_running_loop()
    asked = asyncio.Event()
    # Only the main thread of a POSIX process can take signals; elsewhere looking at the file is enough.
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError, AttributeError):
        loop.add_signal_handler(signal.SIGHUP, asked.set)
    watching = asyncio.create_task(tokens.keep_fresh(asked))
    try:
        yield
    finally:
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError, AttributeError):
            loop.remove_signal_handler(signal.SIGHUP)
        watching.cancel()
        await asyncio.wait((watching,))


def _stamp_of(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_size
