"""The servers that are measured: started, waited for, read by the kernel's own clock, and stopped."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from tests.house import ROOT

_START_LIMIT_S: Final = 180.0
_STOP_LIMIT_S: Final = 30.0
_LOOK_EVERY_S: Final = 0.01
_QUIET: Final = ("--loop", "uvloop", "--http", "httptools", "--no-access-log", "--log-level", "warning")


class Started(Struct, frozen=True):
    """A server that answers.

    Attributes:
        pid: of its one process.
        port: that it listens on.
        ready_s: seconds from its start to the first good answer.
        log: what it wrote on stderr.
    """

    pid: int
    port: int
    ready_s: float
    log: Path

    def cpu_s(self) -> float:
        """Give the CPU time of all its threads so far, user and system, to the nanosecond."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text("ascii").split()[0]) for task in tasks) / 1e9

    def resident_bytes(self) -> int:
        """Give its resident memory now."""
        status = Path(f"/proc/{self.pid}/status").read_text("ascii")
        (kibibytes,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(kibibytes) * 1024

    def has_mapped(self, word: str) -> bool:
        """Say whether a file whose path holds `word` is in its memory, be it code or a model's weights."""
        return word in Path(f"/proc/{self.pid}/maps").read_text("utf-8")


class DidNotStart(Exception):
    """A server ended, or was not ready in time; the text is the end of its log."""


def clean_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """Give an environment in which nothing of the caller's own settings is left."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return {**kept, "PYTHONPATH": str(ROOT), **settings}


@contextmanager
def serving(folder: Path, port: int, settings: Mapping[str, str]) -> Iterator[Started]:
    """Run `vmk-mcp serve` with `settings` until the end of the context."""
    environment = clean_environment({"MCP_PORT": str(port), **settings})
    command = (sys.executable, "-m", "vmk_mcp", "serve")
    with running(command, folder, port, environment, path="/ready", good=(200,)) as started:
        yield started


@contextmanager
def serving_by_workers(
    folder: Path, port: int, settings: Mapping[str, str], workers: int
) -> Iterator[Started]:
    """Run the service under uvicorn with several workers, as in the README, until the end of the context."""
    uvicorn = (sys.executable, "-m", "uvicorn", "--factory", "vmk_mcp.bootstrap:create_app")
    command = (*uvicorn, "--workers", str(workers), "--host", "127.0.0.1", "--port", str(port), *_QUIET)
    environment = clean_environment(settings)
    with running(command, folder, port, environment, path="/ready", good=(200,)) as started:
        yield started


@contextmanager
def serving_bare(folder: Path, port: int, settings: Mapping[str, str]) -> Iterator[Started]:
    """Run the bare peer under uvicorn, one worker, until the end of the context."""
    with serving_app([sys.executable], "bare", folder, port, settings) as started:
        yield started


@contextmanager
def serving_app(
    python: Sequence[str], module: str, folder: Path, port: int, settings: Mapping[str, str]
) -> Iterator[Started]:
    """Run the peer in `module` by `python` under uvicorn, one worker, until the end of the context."""
    uvicorn = (*python, "-m", "uvicorn", f"tests.bench.peers.{module}:app", "--port", str(port))
    # Any answer of the application means that its lifespan has begun; this path it does not know.
    with running(
        (*uvicorn, *_QUIET), folder, port, clean_environment(settings), path="/", good=(404,)
    ) as started:
        yield started


def find_free_port() -> int:
    """Give a port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(  # noqa: PLR0913 (one place starts all servers)
    command: Sequence[str],
    folder: Path,
    port: int,
    environment: Mapping[str, str],
    *,
    path: str,
    good: tuple[int, ...],
) -> Iterator[Started]:
    """Run `command` until the end of the context; it serves once a GET of `path` has a `good` status."""
    log = folder / f"{port}.log"
    with log.open("ab") as stream:
        began = time.monotonic()
        # Its own folder is where it works: an operator's .env in the checkout must not be read.
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
        )
    try:
        _wait_until_ready(process, port, path, good, log)
        yield Started(process.pid, port, time.monotonic() - began, log)
    finally:
        _stop(process)


def _wait_until_ready(
    process: "subprocess.Popen[bytes]", port: int, path: str, good: tuple[int, ...], log: Path
) -> None:
    until = time.monotonic() + _START_LIMIT_S
    while process.poll() is None and time.monotonic() < until:
        if _ask(port, path) in good:
            return
        time.sleep(_LOOK_EVERY_S)
    raise DidNotStart(log.read_text("utf-8", errors="replace")[-2000:])


def _ask(port: int, path: str) -> int | None:
    """Give the status of an answer; waits long, as the service listens before it can answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_START_LIMIT_S)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except OSError:
        return None
    finally:
        connection.close()


def _stop(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    try:
        process.wait(_STOP_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise
