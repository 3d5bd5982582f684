"""Starts the service of recorded exchanges, which needs no setting, no database and no embedder."""

from collections.abc import Callable
from typing import Final

import uvicorn

from vmk_mcp.bootstrap.door import find_contracts
from vmk_mcp.bootstrap.listening import leave_on_signals, listen
from vmk_mcp.web.fixtures import MAX_BODY_BYTES, Fixtures
from vmk_mcp.web.records import read_records

_PORT_HINT: Final = "Stop what listens there, or take another --port (0 takes any free one) or --host."


def serve_fixtures(host: str, port: int, *, say: Callable[[str], None]) -> None:
    """Serve the recorded exchanges over HTTP until SIGINT or SIGTERM.

    Raises:
        StartError: the port cannot be listened on, or the exchanges are not installed.
    """
    records = read_records(find_contracts() / "exchanges", MAX_BODY_BYTES)
    leave_on_signals()
    with listen(host, port, hint=_PORT_HINT) as listening:
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
