"""The real service as a process of its own, started the way people start it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx

from tests.integration.servers import open_folder

VMK_MCP: Final = str(Path(sys.executable).with_name("vmk-mcp"))
HEADERS: Final = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

# A first start makes a cluster and loads the sample, on a machine that may be busy with other tests.
_READY_WITHIN_S: Final = 120
_GONE_WITHIN_S: Final = 30


class Service:
    """A running `vmk-mcp serve`, and what a client needs to reach it."""

    def __init__(self, process: "subprocess.Popen[bytes]", data_dir: Path, log: Path) -> None:
        self.process = process
        self.data_dir = data_dir
        self._log = log
        self.url = ""

    @property
    def log(self) -> str:
        """All that it has said on stderr."""
        return self._log.read_text("utf-8")

    @property
    def token(self) -> str:
        """The token for this machine."""
        return (self.data_dir / "token").read_text("ascii").strip()

    def await_address(self) -> None:
        """Wait until it listens."""
        address = self.data_dir / "address"
        deadline = time.monotonic() + _READY_WITHIN_S
        while not address.exists():
            assert self.process.poll() is None, f"the service ended:\n{self.log}"
            assert time.monotonic() < deadline, f"the service does not listen:\n{self.log}"
            time.sleep(0.05)
        self.url = address.read_text("utf-8").strip()

    def get(self, path: str) -> httpx.Response:
        """Get a page beside the endpoint, with the token."""
        address = self.url.removesuffix("/mcp") + path
        return httpx.get(address, headers={"Authorization": f"Bearer {self.token}"}, timeout=30)

    def post(self, message: object, **headers: str) -> httpx.Response:
        """Post a JSON-RPC message, with the token unless `headers` say otherwise."""
        due = {**HEADERS, "Authorization": f"Bearer {self.token}", **headers}
        return httpx.post(self.url, json=message, headers=due, timeout=60)

    def call(self, tool: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        """Call a tool and give the JSON-RPC result."""
        params = {"name": tool, "arguments": arguments}
        answer = self.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        result: dict[str, Any] = answer.json()["result"]
        return result

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Run another `vmk-mcp` command on the same data folder."""
        return subprocess.run(
            [VMK_MCP, *words],
            env=environment(self.data_dir),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and give the exit status."""
        self.process.send_signal(number)
        return self.process.wait(_GONE_WITHIN_S)


def environment(data_dir: Path, **settings: str) -> dict[str, str]:
    """Give the environment of a process of ours: what a shell has, and settings; nothing of this test run."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {**kept, "DATA_DIR": str(data_dir), **settings}


@contextmanager
def serving(data_dir: Path, **settings: str) -> Iterator[Service]:
    """Run `vmk-mcp serve` on a free port until the end of the block."""
    environ = environment(data_dir, **{"MCP_PORT": "0", **settings})
    with running([VMK_MCP, "serve"], environ, data_dir) as service:
        yield service


@contextmanager
def running(
    command: Sequence[str], environ: Mapping[str, str], data_dir: Path, folder: Path | None = None
) -> Iterator[Service]:
    """Run `command`, which serves on `data_dir`, in `folder` or there, until the end of the block."""
    (data_dir / "address").unlink(missing_ok=True)
    log = data_dir.with_name(f"{data_dir.name}.log")
    with log.open("wb") as stderr:
        process = subprocess.Popen(
            command, env=environ, stdin=subprocess.DEVNULL, stderr=stderr, cwd=folder or data_dir
        )
        service = Service(process, data_dir, log)
        try:
            service.await_address()
            yield service
        finally:
            if process.poll() is None:
                service.stop()


@contextmanager
def fresh_service(**settings: str) -> Iterator[Service]:
    """Run the service on a data folder of its own."""
    with open_folder() as folder:
        data_dir = folder / "data"
        data_dir.mkdir()
        with serving(data_dir, **settings) as service:
            yield service


@contextmanager
def diagnostics_service(**settings: str) -> Iterator[Service]:
    """Run the diagnostics family alone: it needs no database, so that the service is there at once."""
    with fresh_service(VMK_FAMILIES="diagnostics", **settings) as service:
        yield service
