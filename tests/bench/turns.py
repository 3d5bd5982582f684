"""One peer's turn at one call: its CPU under load, its latency, its answer."""

import http.client
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from tests.bench.calls import DOCUMENTS, Call, Ways, find_ways, make_calls
from tests.bench.load import WARM, Plan, Timing
from tests.bench.processes import Started, clean_environment
from tests.house import ROOT

CONCURRENCY: Final = 8
STRETCH_S: Final = 2.5

_PEER_LIMIT_S: Final = 60.0


class Bench(Struct, frozen=True):
    """Peers that run, beside one Postgres."""

    ours: Started
    bare: Started
    token: str
    peer_settings: dict[str, str]

    def cost_of(self, server: Started, call: Call) -> float:
        """Load `server` with `call` and give its CPU a call, in microseconds."""
        before = 0.0

        def note() -> None:
            nonlocal before
            before = server.cpu_s()

        timing = self._load(server, call, CONCURRENCY, note)
        return (server.cpu_s() - before) / timing.calls * 1e6

    def latency_of(self, server: Started, call: Call) -> Timing:
        """Time `call` with one client alone."""
        return self._load(server, call, 1, lambda: None)

    def driver_cost(self) -> float:
        """Give the CPU that asyncpg alone takes to fetch a listing by id, in microseconds."""
        done = subprocess.run(
            [sys.executable, "-m", "tests.bench.peers.driver", str(CONCURRENCY), str(STRETCH_S)],
            cwd=ROOT,
            env=clean_environment(self.peer_settings),
            stdout=subprocess.PIPE,
            timeout=_PEER_LIMIT_S,
            check=True,
        )
        found = msgspec.json.decode(done.stdout, type=dict[str, float])
        return found["cpu_s"] / found["calls"] * 1e6

    def find_ways(self) -> Ways:
        """Ask the service, which warms all of it, and tell which SQL files it took."""
        *_, page, by_meaning = make_calls()
        return find_ways(self._answer_of(self.ours, page), self._answer_of(self.ours, by_meaning))

    def search_documents(self) -> None:
        """Search the documents by meaning, once."""
        self._answer_of(self.ours, DOCUMENTS)

    def compare_answers(self, calls: Sequence[Call]) -> dict[str, tuple[list[int], list[int]]]:
        """Give the ids of the listings that each call is answered with, ours and bare's."""
        return {
            call.name: (
                _ids_of(self._answer_of(self.ours, call)),
                _ids_of(self._answer_of(self.bare, call)),
            )
            for call in calls
            if call.reads_listings
        }

    def _answer_of(self, server: Started, call: Call) -> Mapping[str, Any]:
        """Send the first of the call's requests and give its `structuredContent`."""
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=_PEER_LIMIT_S)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        try:
            connection.request("POST", "/mcp", self._bodies(server, call)[0], headers)
            answer = msgspec.json.decode(connection.getresponse().read())
        finally:
            connection.close()
        structured: Mapping[str, Any] = answer["result"]["structuredContent"]
        return structured

    def _bodies(self, server: Started, call: Call) -> tuple[bytes, ...]:
        return call.ours if server is self.ours else call.bare

    def _load(self, server: Started, call: Call, concurrency: int, begin: Callable[[], None]) -> Timing:
        bodies = self._bodies(server, call)
        plan = Plan(server.port, self.token, bodies, call.token_of_success, concurrency, STRETCH_S)
        with subprocess.Popen(
            [sys.executable, "-m", "tests.bench.load"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as load:
            if load.stdin is None or load.stdout is None:
                raise RuntimeError("the load has no pipes")
            load.stdin.write(msgspec.json.encode(plan) + b"\n")
            load.stdin.flush()
            if load.stdout.readline() != WARM:
                raise RuntimeError(f"{call.name}: the load ended before it was warm")
            begin()
            load.stdin.write(b"\n")
            load.stdin.flush()
            return msgspec.json.decode(load.stdout.readline(), type=Timing)


def _ids_of(structured: Mapping[str, Any]) -> list[int]:
    """Give the ids: ours stand in a page or alone, the bare peer's in rows."""
    for name in ("listings", "rows"):
        if name in structured:
            return [listing["id"] for listing in structured[name]]
    return [structured["id"]]
