"""One peer's turn at one call: its CPU under load, its latency, its answer."""

import http.client
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any, Final

import msgspec
from msgspec import Struct

from tests.bench.calls import BRIEF, DOCUMENTS, Call, Ways, find_ways, make_calls
from tests.bench.load import WARM, Plan, Timing
from tests.bench.processes import Started, clean_environment
from tests.house import ROOT

CONCURRENCY: Final = 8
STRETCH_S: Final = 1.75

_PEER_LIMIT_S: Final = 60.0
_LOG_SETTLES_S: Final = 0.2
_ELSEWHERE: Final = ("database", "embed")


class _LogLine(Struct):
    elapsed_ms: float
    stages_ms: dict[str, float]

    @property
    def own_ms(self) -> float:
        return self.elapsed_ms - sum(self.stages_ms.get(stage, 0) for stage in _ELSEWHERE)


class Bench(Struct, frozen=True):
    """Peers that run, beside one Postgres.

    Attributes:
        others: those that others built, by name.
    """

    ours: Started
    bare: Started
    token: str
    peer_settings: dict[str, str]
    others: dict[str, Started] = {}

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

    def own_share(self) -> float:
        """Give the milliseconds of a brief search, p50, that neither Postgres nor the embedder took.

        They are the service's own figures, out of its log: from the request's head to the answer handed over.
        """
        before = self.ours.log.stat().st_size
        self._load(self.ours, BRIEF, 1, lambda: None)
        # The log writes its lines together, at most 50 ms later.
        time.sleep(_LOG_SETTLES_S)
        with self.ours.log.open("rb") as log:
            log.seek(before)
            lines = [msgspec.json.decode(line, type=_LogLine) for line in log if b'"stages_ms"' in line]
        return median(line.own_ms for line in lines)

    def rate_of(self, server: Started, call: Call) -> float:
        """Give the calls a second that `server` answers, with twice as many clients as the costs have."""
        return self._load(server, call, 2 * CONCURRENCY, lambda: None).calls / STRETCH_S

    def compare_answers(self, calls: Sequence[Call]) -> dict[str, dict[str, list[int]]]:
        """Give the ids of the listings that each call is answered with, by call and peer."""
        peers = {"ours": self.ours, "bare": self.bare, **self.others}
        return {
            call.name: {name: find_ids(self._result_of(server, call)) for name, server in peers.items()}
            for call in calls
            if call.reads_listings
        }

    def _answer_of(self, server: Started, call: Call) -> Mapping[str, Any]:
        """Send the first of the call's requests and give its `structuredContent`."""
        structured: Mapping[str, Any] = self._result_of(server, call)["structuredContent"]
        return structured

    def _result_of(self, server: Started, call: Call) -> Mapping[str, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=_PEER_LIMIT_S)
        headers = {
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        try:
            connection.request("POST", "/mcp", self._bodies(server, call)[0], headers)
            body = connection.getresponse().read()
        finally:
            connection.close()
        # A peer may answer by a stream of one event.
        _, _, message = body.rpartition(b"data: ")
        result: Mapping[str, Any] = msgspec.json.decode(message)["result"]
        return result

    def _bodies(self, server: Started, call: Call) -> tuple[bytes, ...]:
        if server in self.others.values():
            return call.others
        return call.bare if server is self.bare else call.ours

    def _load(self, server: Started, call: Call, concurrency: int, begin: Callable[[], None]) -> Timing:
        bodies = self._bodies(server, call)
        good = call.others_success if server in self.others.values() else call.token_of_success
        plan = Plan(server.port, self.token, bodies, good, concurrency, STRETCH_S)
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


def find_ids(result: object) -> list[int]:
    """Give the ids of the listings in a result, in order, however the peer wrapped its rows.

    Ours and the Python peers' stand in `structuredContent`, the others' in texts that hold JSON, one or many.
    """
    if isinstance(result, str):
        try:
            return find_ids(msgspec.json.decode(result))
        except msgspec.DecodeError:
            return []
    if isinstance(result, Mapping):
        if "url_source" in result:
            return [int(result["id"])]
        return find_ids(result.get("structuredContent") or list(result.values()))
    if isinstance(result, list):
        return [id_ for part in result for id_ in find_ids(part)]
    return []
