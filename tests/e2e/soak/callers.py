"""Those who call: steadily, beyond their rate, leaving in the midst of a call, and editing documents."""

import asyncio
import json
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Final
from urllib.parse import urlsplit

import httpx

from tests.e2e.service import HEADERS
from tests.e2e.soak.documents import CHANGING, SEARCH, Documents
from tests.e2e.soak.door import RATE_PER_MINUTE, Answer, Door
from tests.e2e.soak.questions import Question, essence, wander

Token = Callable[[], str]
"""Gives the token that is good just now."""

NUMBERS: Final = count()
"""Each call that needs the embedder has a number of its own, so that no cache knows its text."""

_LONGEST_REST_S: Final = 0.12
_GREEDY_REST_S: Final = 0.2


class Baseline:
    """Answers as they were before the load."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._right: dict[int, str] = {}

    @property
    def questions(self) -> Sequence[Question]:
        """Those whose answers are on record."""
        return self._questions

    async def take(self, client: httpx.AsyncClient, token: str, questions: Sequence[Question]) -> None:
        """Ask each question twice and keep its answer, which must be the same both times."""
        self._questions = questions
        for question in questions:
            answers = [await self._ask(client, token, question) for _ in range(2)]
            assert answers[0] == answers[1], f"{question.tool} is no question with one answer"
            self._right[id(question)] = answers[0]

    def differs(self, question: Question, found: str) -> str:
        """Say where an answer leaves the one on record; "" where they are the same."""
        right = self._right[id(question)]
        if found == right:
            return ""
        at = next((n for n, (one, other) in enumerate(zip(right, found, strict=False)) if one != other), 0)
        start = max(0, at - 80)
        return f"…{right[start : at + 120]}… became …{found[start : at + 120]}…"

    async def _ask(self, client: httpx.AsyncClient, token: str, question: Question) -> str:
        answer = await self._door.call(client, token, question.tool, question.ask(next(NUMBERS)))
        assert answer is not None
        result = answer.message.get("result", {})
        assert result.get("isError") is False, answer.message
        return essence(result)


class Caller(ABC):
    """One client; it calls as long as `go` is set, and ends by its cancellation, or when the service does."""

    def __init__(self, door: Door, token: Token, chance: random.Random) -> None:
        self.door = door
        self.token = token
        self.chance = chance

    async def run(self, go: asyncio.Event) -> None:
        """Call on and on."""
        async with self.door.open() as client:
            is_served = True
            while is_served:
                await go.wait()
                is_served = await self.call_once(client)
                await asyncio.sleep(self.rest_s())

    def rest_s(self) -> float:
        """Give the seconds until the next call."""
        return self.chance.random() * _LONGEST_REST_S

    @abstractmethod
    async def call_once(self, client: httpx.AsyncClient) -> bool:
        """Make one call and judge it; False where no answer came."""

    async def ask(
        self, client: httpx.AsyncClient, tool: str, arguments: Mapping[str, object]
    ) -> Answer | None:
        """Call a tool by the token of the moment."""
        return await self.door.call(client, self.token(), tool, arguments)

    def book(self, tool: str, answer: Answer, faults: Sequence[str]) -> None:
        """Book an answer as right, or complain of what is wrong with it."""
        if faults:
            self.door.ledger.complain(f"{tool} answered wrongly: {'; '.join(faults)}")
        self.door.ledger.book(tool, "wrong" if faults else "right", answer.began)


class Asker(Caller):
    """Asks what has one answer, and now and then searches by filters drawn by chance."""

    def __init__(self, door: Door, token: Token, chance: random.Random, baseline: Baseline) -> None:
        super().__init__(door, token, chance)
        self._baseline = baseline

    async def call_once(self, client: httpx.AsyncClient) -> bool:
        """See `Caller.call_once`."""
        if self.chance.random() < 0.1:
            return await self._wander(client)
        question = self.chance.choice(self._baseline.questions)
        answer = await self.ask(client, question.tool, question.ask(next(NUMBERS)))
        if answer is None:
            return False
        if (result := self.door.judge(question.tool, answer)) is not None:
            if result["structuredContent"].get("reason_code") == "timeout":
                self.door.ledger.book_failure(
                    question.tool, "timeout", answer.began, "the statement was stopped"
                )
                return True
            differing = self._baseline.differs(question, essence(result))
            self.book(question.tool, answer, [differing] if differing else [])
        return True

    async def _wander(self, client: httpx.AsyncClient) -> bool:
        search = wander(self.chance)
        answer = await self.ask(client, "search_by_metadata", search.arguments)
        if answer is None:
            return False
        if (result := self.door.judge("search_by_metadata", answer)) is not None:
            self.book("search_by_metadata", answer, search.faults_of(result["structuredContent"]))
        return True


class Reader(Caller):
    """Searches the document that is changed all the time, and never sees half of it."""

    def __init__(self, door: Door, token: Token, chance: random.Random, documents: Documents) -> None:
        super().__init__(door, token, chance)
        self._documents = documents

    async def call_once(self, client: httpx.AsyncClient) -> bool:
        """See `Caller.call_once`."""
        confirmed = self._documents.confirmed
        answer = await self.ask(client, "vector_search", SEARCH)
        if answer is None:
            return False
        if (result := self.door.judge("vector_search", answer)) is not None:
            tears = self._documents.tears_in(result["structuredContent"], confirmed)
            self.book("vector_search", answer, tears)
        return True


class Editor(Caller):
    """Changes the document and has it indexed, again and again until that went well."""

    def __init__(self, door: Door, token: Token, chance: random.Random, documents: Documents) -> None:
        super().__init__(door, token, chance)
        self._documents = documents

    async def call_once(self, client: httpx.AsyncClient) -> bool:
        """See `Caller.call_once`."""
        tool = "update_vector_documents"
        if self._documents.written == self._documents.confirmed:
            self._documents.change(self.chance)
        written = self._documents.written
        answer = await self.ask(client, tool, {"file_paths": [CHANGING]})
        if answer is None:
            return False
        if (result := self.door.judge(tool, answer)) is not None:
            (outcome,) = result["structuredContent"]["files"]
            if outcome["status"] in {"indexed", "unchanged"}:
                self._documents.confirmed = written
                self.book(tool, answer, [])
            elif outcome.get("retryable"):
                self.door.ledger.book_failure(tool, "failed file", answer.began, str(outcome))
            else:
                self.book(tool, answer, [str(outcome)])
        return True

    def rest_s(self) -> float:
        """See `Caller.rest_s`."""
        return 0.1 + super().rest_s()


class Greedy(Caller):
    """Calls faster than its token may, and is told how long to wait; it never gets more than its due."""

    def __init__(self, door: Door, token: Token, chance: random.Random) -> None:
        super().__init__(door, token, chance)
        self._began = time.monotonic()
        self._served = 0
        self.refused = 0

    async def call_once(self, client: httpx.AsyncClient) -> bool:
        """See `Caller.call_once`."""
        answer = await self.ask(client, "list_schema", {})
        if answer is None:
            return False
        if answer.status == httpx.codes.TOO_MANY_REQUESTS:
            self.refused += 1
        if self.door.judge("list_schema", answer) is not None:
            self._served += 1
            due = RATE_PER_MINUTE * (1 + (time.monotonic() - self._began) / 60) + 1
            self.book("list_schema", answer, [] if self._served <= due else ["served beyond its rate"])
        return True

    def rest_s(self) -> float:
        """See `Caller.rest_s`."""
        return _GREEDY_REST_S


class Vanishing(Caller):
    """Leaves before its request is whole, while it is worked at, or while it is answered."""

    def __init__(
        self, door: Door, token: Token, chance: random.Random, questions: Sequence[Question]
    ) -> None:
        super().__init__(door, token, chance)
        self._questions = questions

    async def call_once(self, client: httpx.AsyncClient) -> bool:
        """See `Caller.call_once`."""
        question = self.chance.choice(self._questions)
        request = self._request(question)
        sent = request if self.chance.random() < 0.7 else request[: self.chance.randrange(1, len(request))]
        began = time.monotonic()
        try:
            reader, writer = await asyncio.open_connection(urlsplit(self.door.url).hostname, self._port)
        except ConnectionError as refused:
            if began < self.door.left_at:
                self.door.ledger.complain(f"no connection could be opened: {refused!r}")
            return False
        writer.write(sent)
        try:
            async with asyncio.timeout(self.chance.random() * 0.05):
                await reader.read(100)
        except (TimeoutError, ConnectionError):
            pass  # nothing was answered yet, and nobody waits for it
        writer.transport.abort()
        self.door.ledger.book(question.tool, "client vanished", began)
        return True

    @property
    def _port(self) -> int | None:
        return urlsplit(self.door.url).port

    def _request(self, question: Question) -> bytes:
        params = {"name": question.tool, "arguments": question.ask(next(NUMBERS))}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        headers = {
            **HEADERS,
            "Host": urlsplit(self.door.url).netloc,
            "Authorization": f"Bearer {self.token()}",
            "Content-Length": str(len(body)),
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        return f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body
