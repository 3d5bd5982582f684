"""The faults of a soak, in lanes side by side: each strikes, and is over once all is found well again."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final

import httpx
from msgspec import Struct

from tests.e2e.soak.callers import NUMBERS, Baseline
from tests.e2e.soak.door import Door
from tests.e2e.soak.ollama import Mood, SwitchedOllama
from tests.e2e.soak.postgres import Postgres
from tests.e2e.soak.questions import ASKED, DOCUMENTS, LISTINGS, SPATIAL, Question, essence

Strike = Callable[[random.Random], Awaitable[None]]
Probe = Callable[[httpx.AsyncClient], Awaitable[bool]]

_STORE: Final = frozenset({"store_unavailable", "too_slow", "timeout", "failed file"})
_EMBEDDER: Final = frozenset({"embedding_unavailable", "failed file"})
_UNKNOWN: Final = frozenset({"HTTP 401"})

_SPATIAL: Final = frozenset(question.tool for question in SPATIAL)
_OTHERS: Final = frozenset(question.tool for question in (*LISTINGS, *DOCUMENTS, *ASKED)) | {
    "update_vector_documents"
}
_SEARCHES: Final = frozenset({"search_similar_listings", "hybrid_search", "vector_search"})
_EMBEDDING: Final = _SEARCHES | {"update_vector_documents"}

_STORE_BACK_WITHIN_S: Final = 45.0
"""A look a second, 15 s in which backends of a killed server may hold its memory, and its start."""

_EMBEDDER_BACK_WITHIN_S: Final = 45.0
"""A breaker pauses for 5 s, twice as long after each probe that failed: 20 s and less for faults of 5 s."""

_TOKENS_READ_WITHIN_S: Final = 10.0


class Fault(Struct, frozen=True):
    """What may befall the service, whose calls it may fail meanwhile, and by which codes."""

    kind: str
    strike: Strike
    tools: frozenset[str]
    excuses: frozenset[str]


class Lane(Struct, frozen=True):
    """Faults that strike one after another, and how it is found out that all is well again."""

    faults: Sequence[Fault]
    is_well: Probe
    within_s: float

    async def run(self, door: Door, chance: random.Random, until: float, rest_s: float) -> None:
        """Strike by every fault, in an order drawn by chance, and again as long as it is not `until`."""
        is_first = True
        async with door.open() as client:
            while is_first or time.monotonic() < until:
                for fault in chance.sample(self.faults, len(self.faults)):
                    if is_first or time.monotonic() < until:
                        await asyncio.sleep(rest_s * (0.5 + chance.random()))
                        await self._suffer(fault, door, client, chance)
                is_first = False

    async def _suffer(
        self, fault: Fault, door: Door, client: httpx.AsyncClient, chance: random.Random
    ) -> None:
        with door.ledger.episode(fault.kind, fault.tools, fault.excuses):
            await fault.strike(chance)
            deadline = time.monotonic() + self.within_s
            while not await self.is_well(client):
                if time.monotonic() > deadline:
                    door.ledger.complain(f"{self.within_s:.0f} s after {fault.kind} not all is well again")
                    return
                await asyncio.sleep(0.1)


def lane_of_postgres(postgres: Postgres, title: str, door: Door, baseline: Baseline) -> Lane:
    """Give what befalls a cluster of the service; `title` says which."""
    tools = _SPATIAL if title == "PostGIS" else _OTHERS
    questions = [q for q in baseline.questions if q.tool in tools and not q.needs_embedder]

    async def restart(_: random.Random) -> None:
        await postgres.restart()

    async def kill(_: random.Random) -> None:
        await postgres.kill()

    async def terminate(_: random.Random) -> None:
        await postgres.terminate()

    async def freeze(chance: random.Random) -> None:
        await postgres.freeze(1 + 2 * chance.random())

    strikes = {"restarted": restart, "killed": kill, "sessions ended": terminate, "frozen": freeze}
    faults = [Fault(f"{title} {what}", strike, tools, _STORE) for what, strike in strikes.items()]
    return Lane(faults, partial(_are_right, door, baseline, questions), _STORE_BACK_WITHIN_S)


def lane_of_embedder(ollama: SwitchedOllama, door: Door, baseline: Baseline) -> Lane:
    """Give what befalls the embedder; while it is merely slow, no call may fail."""
    questions = [q for q in baseline.questions if q.needs_embedder]

    def turn(mood: Mood) -> Strike:
        async def strike(chance: random.Random) -> None:
            await ollama.turn(mood)
            await asyncio.sleep(2 + 2 * chance.random())
            await ollama.turn(Mood.WELL)

        return strike

    faults = [
        Fault(
            f"embedder {mood.value}", turn(mood), _EMBEDDING, frozenset() if mood is Mood.SLOW else _EMBEDDER
        )
        for mood in (Mood.HANGS, Mood.AWAY, Mood.GARBAGE, Mood.SLOW)
    ]
    return Lane(faults, partial(_are_right, door, baseline, questions), _EMBEDDER_BACK_WITHIN_S)


def lane_of_tokens(door: Door) -> Lane:
    """Give the tokens file replaced: one token is revoked, another added."""
    revoked = ""

    async def replace(_: random.Random) -> None:
        nonlocal revoked
        revoked = door.keyring.replace()

    async def is_well(client: httpx.AsyncClient) -> bool:
        tokens = (revoked, door.keyring.passing)
        answers = [await door.call(client, token, "list_schema", {}) for token in tokens]
        return [answer and answer.status for answer in answers] == [401, 200]

    every = _SPATIAL | _OTHERS
    faults = [Fault("token revoked and another added", replace, every, _UNKNOWN)]
    return Lane(faults, is_well, _TOKENS_READ_WITHIN_S)


async def _are_right(
    door: Door, baseline: Baseline, questions: Sequence[Question], client: httpx.AsyncClient
) -> bool:
    for question in questions:
        arguments = question.ask(next(NUMBERS))
        answer = await door.call(client, door.keyring.operator, question.tool, arguments)
        result = answer.message.get("result", {"isError": True}) if answer else {"isError": True}
        if result["isError"] or baseline.differs(question, essence(result)):
            return False
    return True
