"""Starts the service of recorded exchanges, which needs no setting, no database and no embedder."""

import signal
import socket
from collections.abc import Callable

import uvicorn

from vmk_mcp.bootstrap.door import find_contracts
from vmk_mcp.errors import StartError
from vmk_mcp.web.fixtures import MAX_BODY_BYTES, Fixtures
from vmk_mcp.web.records import read_records


def serve_fixtures(host: str, port: int, *, say: Callable[[str], None]) -> None:
    """Serve the recorded exchanges over HTTP until SIGINT or SIGTERM.

    Raises:
        StartError: the port cannot be listened on, or the exchanges are not installed.
    """
    records = read_records(find_contracts() / "exchanges", MAX_BODY_BYTES)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _leave)
    with _listen(host, port) as listening:
        shown = f"[{host}]" if ":" in host else host
        say(f"Serving {len(records)} recorded exchanges at http://{shown}:{listening.getsockname()[1]}/mcp")
        config = uvicorn.Config(
            Fixtures(records, say),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
        )
        uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise StartError(
            f"Port {port} of {host} cannot be listened on: {error.strerror or 'no such address'}.",
            hint="Stop what listens there, or take another --port (0 takes any free one) or --host.",
        ) from error


def _leave(*_: object) -> None:
    # uvicorn finishes at a signal and then raises it again: the status shall be 0.
    raise SystemExit(0)
