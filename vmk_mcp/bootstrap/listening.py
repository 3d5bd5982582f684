"""What a process takes hold of before it serves: its port, and the signals that end it."""

import signal
import socket
from typing import Final

from vmk_mcp.errors import StartError

BACKLOG: Final = 2048


def listen(host: str, port: int, *, hint: str) -> socket.socket:
    """Take the port before anything is started, so that a taken one costs nobody a wait.

    Args:
        host: name or address.
        port: 0 takes any free one.
        hint: what to do where the port is taken.

    Raises:
        StartError: the port cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        raise StartError(
            f"Port {port} of {host} cannot be listened on: {error.strerror or 'no such address'}.", hint=hint
        ) from error


def leave_on_signals() -> None:
    """End with status 0 on SIGINT and SIGTERM.

    uvicorn takes them over while it serves, finishes, and then raises the signal again.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)


def _leave(*_: object) -> None:
    raise SystemExit(0)
