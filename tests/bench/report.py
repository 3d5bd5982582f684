"""The figures of one run as a page to read."""

import os
from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import Final

from tests.bench.figures import Cost, Figures, Idle, Latency, Rate, Starts
from tests.bench.limits import (
    IDLE_BYTES,
    LIMITS,
    LIMITS_BESIDE_OTHERS,
    OWN_SHARE_MS,
    RATE_GOAL,
    SECOND_START_S,
)
from tests.bench.others import TOOLBOX

_MB: Final = 1_000_000

_INTRODUCTION: Final = """\
# What a call costs

Written by `make bench` on {cores} cores with {memory_gib} GiB of memory; {rows:,} listings in the embedded
Postgres. Figures of one machine mean little; ratios are of one run, each round held against itself.

`bare` is [some forty lines](peers/bare.py) of Starlette, orjson and asyncpg that run the same SQL files under
the same uvicorn, without tokens, limits, log, metrics or checks, and write the rows twice, as MCP wants it.
Ours is the whole `vmk-mcp serve`, with its log in a file.

The others serve the same SQL in the same minutes, each set up as its documentation has it: [the official
Python SDK](peers/python_sdk.py) and [FastMCP](peers/fastmcp_server.py) over asyncpg under the same uvicorn,
MCP Toolbox for Databases and DBHub over statements [in which all but one argument is written out](task.py).
They embed nothing: a query's vector comes with each call, as text. Written into the statement it would take
MCP Toolbox about a tenth less.
None of them has a token to check, a limit or a log line a call."""


def write_report(figures: Figures, *, concurrency: int, rounds: int, others_rounds: int) -> str:
    """Write the page, in Markdown."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    introduction = _INTRODUCTION.format(
        cores=os.cpu_count(), memory_gib=round(memory / 1024**3), rows=figures.rows
    )
    sections = (
        introduction,
        f"## CPU of the server's process for a call, {concurrency} at a time",
        f"Microseconds, user and system, all threads; medians of {rounds} rounds.",
        _table(("call", "bare", "ours", "ratio", "goal", "met", "fails above"), _costs(figures.costs)),
        f"asyncpg alone takes {median(figures.driver_us):.0f} for by id, in a loop without HTTP or JSON; "
        f"the page comes from `{figures.ways.page}`, the search by meaning from `{figures.ways.meaning}`.",
        *_reasons(),
        "## The same beside what others built",
        f"Microseconds, medians of {others_rounds} of those rounds; then ours as a share of each.",
        *_not_had(figures),
        _table(("call", "ours", *_names(figures)), _others(figures)),
        _table(("call", "beside", "ours is", "goal", "met"), _shares(figures)),
        "## Calls a second, two workers",
        f"`uvicorn --workers 2` and MCP Toolbox, {2 * concurrency} clients; all share the cores.",
        _table(("call", "ours", TOOLBOX, "ratio", "goal", "met"), map(_rate, figures.rates)),
        "## Latency of a call, one at a time",
        "Milliseconds at the client, p50; the machine's other work is in them.",
        _table(("call", "bare", "ours", *_names(figures)), map(_latency, figures.latencies)),
        f"Of a search for 20 brief hits {figures.own_ms:.2f} ms, p50, are neither Postgres' nor the "
        f"embedder's; the goal is {OWN_SHARE_MS}.",
        "## Start and memory",
        _table(("what", "measured", "limit", "met"), _starts(figures.starts)),
    )
    return "\n\n".join(sections) + "\n"


def _costs(costs: Sequence[Cost]) -> Iterator[Sequence[str]]:
    for cost in costs:
        limit = LIMITS[cost.call]
        bare, ours = median(cost.bare_us), median(cost.ours_us)
        met = _say(cost.ratio <= limit.goal)
        yield (
            cost.call,
            f"{bare:.0f}",
            f"{ours:.0f}",
            f"{cost.ratio:.2f}",
            f"{limit.goal}",
            met,
            f"{limit.today}",
        )


def _reasons() -> Iterator[str]:
    reasons = dict.fromkeys(limit.reason for limit in LIMITS.values() if limit.reason)
    for reason in reasons:
        calls = ", ".join(call for call, limit in LIMITS.items() if limit.reason == reason)
        yield f"Short of the goal, {calls}: {reason}."


def _names(figures: Figures) -> Sequence[str]:
    return tuple(figures.costs[0].others_us)


def _not_had(figures: Figures) -> Iterator[str]:
    for name, reason in figures.not_had.items():
        yield f"Not had: {name}, which {reason}."


def _others(figures: Figures) -> Iterator[Sequence[str]]:
    for cost in figures.costs:
        yield (
            cost.call,
            f"{median(cost.ours_us):.0f}",
            *(f"{median(us):.0f}" for us in cost.others_us.values()),
        )


def _shares(figures: Figures) -> Iterator[Sequence[str]]:
    for cost in figures.costs:
        for name in cost.others_us:
            share, limit = cost.ratio_to(name), LIMITS_BESIDE_OTHERS.get((cost.call, name))
            held = ("", "") if limit is None else (f"{limit.goal:.2f}", _say(share <= limit.goal))
            yield (cost.call, name, f"{share:.2f}", *held)


def _rate(rate: Rate) -> Sequence[str]:
    ours, toolbox = median(rate.ours), median(rate.toolbox)
    met = _say(rate.ratio >= RATE_GOAL)
    return (rate.call, f"{ours:.0f}", f"{toolbox:.0f}", f"{rate.ratio:.2f}", f"{RATE_GOAL}", met)


def _latency(latency: Latency) -> Sequence[str]:
    timings = (latency.bare, latency.ours, *latency.others.values())
    return (latency.call, *(f"{timing.p50_s * 1000:.2f}" for timing in timings))


def _starts(starts: Starts) -> Iterator[Sequence[str]]:
    second_s, idle = min(starts.second_s), starts.without_model.resident_bytes
    yield ("first start, with cluster, schema and sample", f"{starts.cold_s:.1f} s", "", "")
    yield (
        "second start, the least disturbed",
        f"{second_s:.2f} s",
        f"{SECOND_START_S:.0f} s",
        _say(second_s < SECOND_START_S),
    )
    yield (
        "resident, idle, without the local model",
        _megabytes(starts.without_model),
        f"{IDLE_BYTES / _MB:.0f} MB",
        _say(idle < IDLE_BYTES),
    )
    yield (
        "the same after the start that filled the servers",
        _megabytes(starts.filled_without_model),
        "",
        "",
    )
    yield (
        "resident, idle, with the local model in use by two families",
        _megabytes(starts.with_model),
        "",
        "",
    )


def _megabytes(idle: Idle) -> str:
    return f"{idle.resident_bytes / _MB:.0f} MB"


def _say(met: bool) -> str:
    return "yes" if met else "no"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (head, ["---"] * len(head), *rows)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
