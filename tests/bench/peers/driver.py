"""asyncpg alone: connections that fetch listings by id as fast as they can, in a process of their own.

`python -m tests.bench.peers.driver CONNECTIONS SECONDS` writes calls and CPU seconds as JSON.
"""

import asyncio
import os
import sys
from itertools import cycle
from time import perf_counter, process_time

import asyncpg
import msgspec
import uvloop

from tests.bench.peers.bare import TEXTS
from vmk_mcp.database.pool import PoolLimits, reading_session

_WARM_UP_S = 0.4
_IDS = cycle(range(1, 41))


async def _fetch_on(connection: "asyncpg.Connection[asyncpg.Record]", until: float) -> int:
    calls = 0
    while perf_counter() < until:
        await connection.fetch(TEXTS["get_listing"], next(_IDS), True)
        calls += 1
    return calls


async def _main(count: int, seconds: float) -> None:
    session = reading_session(PoolLimits())
    connections = [
        await asyncpg.connect(os.environ["BENCH_DSN"], server_settings=session) for _ in range(count)
    ]
    await asyncio.gather(*(_fetch_on(one, perf_counter() + _WARM_UP_S) for one in connections))
    started = process_time()
    calls = await asyncio.gather(*(_fetch_on(one, perf_counter() + seconds) for one in connections))
    cpu_s = process_time() - started
    sys.stdout.buffer.write(msgspec.json.encode({"calls": sum(calls), "cpu_s": cpu_s}) + b"\n")
    for connection in connections:
        await connection.close()


if __name__ == "__main__":
    uvloop.run(_main(int(sys.argv[1]), float(sys.argv[2])))
