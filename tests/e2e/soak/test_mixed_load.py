"""Mixed load of all families while Postgres, the embedder, clients and tokens fail: nothing is lost or wrong.

`SOAK_MINUTES` says how long; `make soak` takes thirty. `SOAK_SEED` repeats the order of calls and faults.
"""

import asyncio
import os
import random
import signal
import socket
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from tests.e2e.service import Service, serving
from tests.e2e.soak.callers import NUMBERS, Asker, Baseline, Caller, Editor, Greedy, Reader, Vanishing
from tests.e2e.soak.documents import Documents
from tests.e2e.soak.door import Door, Keyring
from tests.e2e.soak.faults import lane_of_embedder, lane_of_postgres, lane_of_tokens
from tests.e2e.soak.ledger import Ledger
from tests.e2e.soak.ollama import Mood, SwitchedOllama
from tests.e2e.soak.postgres import Postgres
from tests.e2e.soak.questions import ASKED, DOCUMENTS, LISTINGS, SPATIAL, Question, essence
from tests.e2e.soak.vitals import Vitals, take_vitals
from tests.integration.servers import open_folder
from vmk_mcp.database.embedded import DEFAULT_NAME, POSTGIS_NAME

MINUTES: Final = float(os.environ.get("SOAK_MINUTES", "0.5"))
SEED: Final = int(os.environ.get("SOAK_SEED", "1"))

WARM_UP_S: Final = max(6.0, 60 * MINUTES / 10)
REST_S: Final = min(10.0, 2 + MINUTES / 2)
"""Between two faults of a lane."""

GONE_WITHIN_S: Final = 30
IN_FLIGHT: Final = 4


class Soak:
    """The service under test, those who call it, and those who make it fail."""

    def __init__(self, service: Service, door: Door, documents: Documents, ollama: SwitchedOllama) -> None:
        self.service = service
        self.door = door
        self.baseline = Baseline(door)
        self._documents = documents
        self._ollama = ollama
        self._process = psutil.Process(service.process.pid)
        self._main = Postgres(service.data_dir, DEFAULT_NAME)
        self.spatial = self._find_spatial()
        self._go = asyncio.Event()
        self._chance = random.Random(SEED)  # noqa: S311 - a run that can be repeated
        self._greedy = Greedy(door, lambda: door.keyring.limited, self._chance)

    @property
    def clusters(self) -> list[Postgres]:
        """The clusters that it runs."""
        return [self._main, *([self.spatial] if self.spatial else [])]

    async def take_baseline(self) -> None:
        """Ask all that is asked later, before there is any load."""
        questions = [*LISTINGS, *DOCUMENTS, *ASKED, *(SPATIAL if self.spatial else ())]
        async with self.door.open() as client:
            await self._await_index(client)
            await self.baseline.take(client, self.door.keyring.operator, questions)

    async def run(self) -> None:
        """Load it, let all faults strike, and compare what it takes before and after."""
        callers = [asyncio.create_task(caller.run(self._go)) for caller in self._callers()]
        self._go.set()
        await asyncio.sleep(WARM_UP_S)
        before = await self._look_in_calm()
        await self._strike(time.monotonic() + 60 * MINUTES)
        after = await self._look_in_calm()
        for grown in after.growth_since(before):
            self.door.ledger.complain(f"grown: {grown}")
        self.door.ledger.notes += [f"before the faults: {before}", f"at the end: {after}"]
        await self._end_under_load()
        await asyncio.wait_for(asyncio.gather(*callers), GONE_WITHIN_S)
        assert self._greedy.refused, "no call was beyond its token's rate"

    async def _strike(self, until: float) -> None:
        lanes = [
            lane_of_postgres(self._main, "Postgres", self.door, self.baseline),
            lane_of_embedder(self._ollama, self.door, self.baseline),
            lane_of_tokens(self.door),
        ]
        if self.spatial:
            lanes.append(lane_of_postgres(self.spatial, "PostGIS", self.door, self.baseline))
        # Each lane has a chance of its own: how long one takes does not change what the others do.
        seeds = [self._chance.random() for _ in lanes]
        chances = [random.Random(seed) for seed in seeds]  # noqa: S311 - as above
        striking = [
            lane.run(self.door, chance, until, REST_S) for lane, chance in zip(lanes, chances, strict=True)
        ]
        await asyncio.gather(*striking)

    async def _look_in_calm(self) -> Vitals:
        self._go.clear()
        await asyncio.sleep(1)
        try:
            return await take_vitals(self._process, self.door, self.clusters)
        finally:
            self._go.set()

    async def _end_under_load(self) -> None:
        """Tell it to end while calls wait for a slow embedder; these are answered, and nothing stays."""
        children = [*self._process.children(recursive=True), *(one.find() for one in self.clusters)]
        await self._ollama.turn(Mood.SLOW)
        async with AsyncExitStack() as stack:
            clients = [await stack.enter_async_context(self.door.open()) for _ in range(IN_FLIGHT)]
            slow = next(question for question in LISTINGS if question.needs_embedder)
            calls = [asyncio.create_task(self._ask_last(client, slow)) for client in clients]
            await asyncio.sleep(0.5)
            self.door.left_at = time.monotonic()
            self.service.process.send_signal(signal.SIGTERM)
            await asyncio.gather(*calls)
        status = await asyncio.to_thread(self.service.process.wait, GONE_WITHIN_S)
        took = time.monotonic() - self.door.left_at
        self.door.ledger.notes.append(f"ended with status {status} {took:.1f} s after SIGTERM")
        left = [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE]
        if status != 0 or left:
            self.door.ledger.complain(f"it ended with status {status} and left {left}")
        with socket.create_server(("127.0.0.1", urlsplit(self.door.url).port or 0)):
            pass  # its port is free again

    async def _ask_last(self, client: httpx.AsyncClient, question: Question) -> None:
        answer = await self.door.call(
            client, self.door.keyring.steady, question.tool, question.ask(next(NUMBERS))
        )
        result = answer and self.door.judge(question.tool, answer)
        if answer is None or not result or self.baseline.differs(question, essence(result)):
            self.door.ledger.complain(f"what was at work at SIGTERM came to {answer}")

    def _callers(self) -> list[Caller]:
        keyring, chance, documents = self.door.keyring, self._chance, self._documents
        steady, passing = (lambda: keyring.steady), (lambda: keyring.passing)
        return [
            *(Asker(self.door, token, chance, self.baseline) for token in (steady, steady, passing, passing)),
            Reader(self.door, steady, chance, documents),
            Editor(self.door, lambda: keyring.operator, chance, documents),
            self._greedy,
            Vanishing(self.door, steady, chance, self.baseline.questions),
        ]

    async def _await_index(self, client: httpx.AsyncClient) -> None:
        deadline = time.monotonic() + GONE_WITHIN_S
        while True:
            answer = await self.door.call(client, self.door.keyring.operator, "get_index_stats", {})
            assert answer is not None
            result = answer.message["result"]
            if not result["isError"] and result["structuredContent"]["files"] == self._documents.count:
                self._documents.confirmed = self._documents.written
                return
            assert time.monotonic() < deadline, result
            await asyncio.sleep(0.1)

    def _find_spatial(self) -> Postgres | None:
        address = self.door.url.removesuffix("/mcp") + "/ready"
        families = httpx.get(address, timeout=30, trust_env=False).json()["families"]
        return None if families["spatial"] == "unavailable" else Postgres(self.service.data_dir, POSTGIS_NAME)


@asynccontextmanager
async def soaking(folder: Path) -> AsyncIterator[Soak]:
    """Run the service with an embedder that can be switched and a tokens file that can be replaced."""
    ollama, data_dir, root = SwitchedOllama(), folder / "data", folder / "documents"
    for path in (data_dir, root):
        path.mkdir()
    keyring, documents = Keyring(folder / "tokens.toml"), Documents(root)
    await ollama.open()
    settings = {
        **ollama.settings(),
        **documents.settings,
        "MCP_TOKENS_FILE": str(keyring.path),
        "DB_QUERY_TIMEOUT": "5",
    }
    serving_here = serving(data_dir, **settings)
    service = await asyncio.to_thread(serving_here.__enter__)
    try:
        yield Soak(service, Door(service.url, Ledger(), keyring), documents, ollama)
    finally:
        await asyncio.to_thread(serving_here.__exit__, None, None, None)
        await ollama.close()


async def test_under_faults_of_all_kinds_no_call_is_lost_no_answer_wrong_and_nothing_grows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with open_folder() as folder:
        async with soaking(folder) as soak:
            await soak.take_baseline()
            await soak.run()
            crashes = [line for line in soak.service.log.splitlines() if '"crashed"' in line]
            ledger = soak.door.ledger
            with capsys.disabled():
                print(f"\nseed {SEED}: {ledger.summary()}")  # noqa: T201 - the soak's own summary
            assert not ledger.complaints, "\n".join(ledger.complaints)
            assert crashes == []
