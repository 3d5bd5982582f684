"""An answer's head and body by one system call, where uvicorn makes two."""

import asyncio
from typing import Final

# What uvicorn sends on its way to an answer (RFC 9110, 15.2): there is no body to wait for.
_INTERIM: Final = b"HTTP/1.1 100 "


class JoinedWrites:
    """The transport of one answer: its head is held until the first bytes of its body, and both go together.

    ASGI wants just that of a server ("Response Start"); a send to a socket costs more than writing the head.
    """

    __slots__ = ("_has_begun", "_head", "_transport")

    def __init__(self, transport: asyncio.Transport) -> None:
        """Write to `transport`, which other answers use as well."""
        self._transport = transport
        self._head = b""
        self._has_begun = False

    def write(self, data: bytes) -> None:
        """Take the head first, then what follows it."""
        if self._head:
            self._transport.writelines((self._head, data))
            self._head = b""
        elif self._has_begun or data.startswith(_INTERIM):
            self._transport.write(data)
        else:
            self._head, self._has_begun = data, True

    def is_closing(self) -> bool:
        """See `asyncio.BaseTransport`."""
        return self._transport.is_closing()

    def close(self) -> None:
        """See `asyncio.BaseTransport`; a head that waits for its body goes first."""
        if self._head:
            self.write(b"")
        self._transport.close()
